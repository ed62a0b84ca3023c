"""The questions in a model's reply: only what is sound in form is kept, and what is dropped says why."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from longctx.authoring.tagged import BULLETS, Tagged, bullets, find_tagged
from longctx.corpus.questions import BankQuestion
from longctx.corpus.standing import numerical
from longctx.visible import visible
from longctx.vocabulary.judging import CUT_OFF
from longctx.vocabulary.scenario import Reply

LONGEST = 1000
"""Characters of a question, and of an answer."""
JOINERS = "\u200c\u200d\ufe0f"
"""Characters without a shape that some scripts, and emoji, are written with."""
PROMPT_TAGS = r"question|answers?|passage|example|scratchpad|government record"
"""Tags of the prompts that a question is asked in: within a question such a tag would end what it stands in."""
NUMBERED = re.compile(r"^\(?\d{1,2}[.):]\s+")
MARK = re.compile(r"\s*[\[(*]+(?:(correct(?: answer)?|right answer)|incorrect(?: answer)?|wrong answer)[\])*]+$", re.I)
"""What a model adds to tell the right answer: `(correct)`."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was not kept of the reply about a section, and why. raw: as the model wrote it."""

    section: str
    reason: str
    raw: str


@dataclass(frozen=True, slots=True)
class Written:
    """What came of one section. missing: how many of the questions asked for are nowhere in the reply."""

    questions: tuple[BankQuestion, ...]
    dropped: tuple[Dropped, ...]
    missing: int


class _Unfit(Exception):
    """Why something cannot be kept."""


def read_reply(section: str, reply: Reply, per_section: int, provenance: str, document: str | None = None) -> Written:
    """The questions of a reply that was asked for `per_section` of them about a section. Never raises.

    Ids are `<section>-q<N>`, N the number in the tags, or the place where these have none. document: what the prompts
    call the documents, where that is the corpus's own word.
    """
    kept: dict[int, BankQuestion] = {}
    dropped: list[Dropped] = []
    met: set[int] = set()
    found = list(find_tagged(reply.text))
    if not found:
        ended = {"refusal": "refused", **dict.fromkeys(CUT_OFF, "cut off")}
        reason = ended.get(reply.stop_reason or "", "no questions in the reply")
        dropped.append(Dropped(section, reason, reply.text))
    for place, one in enumerate(found, 1):
        number = place if one.number is None else one.number
        cut = one is found[-1] and reply.stop_reason in CUT_OFF and not one.closed
        try:
            if not 1 <= number <= per_section:
                raise _Unfit("numbered beyond what was asked")
            if number in met:
                raise _Unfit("a number used twice")
            met.add(number)
            question, (right, *wrong) = _sound(one, cut, document)
            kept[number] = BankQuestion(
                id=f"{section}-q{number}",
                section=section,
                question=question,
                right=right,
                wrong=(wrong[0], wrong[1], wrong[2]),
                numerical=numerical(right),
                provenance=provenance,
            )
        except _Unfit as why:
            dropped.append(Dropped(section, str(why), one.raw))
    return Written(tuple(kept[number] for number in sorted(kept)), tuple(dropped), per_section - len(met))


def dump_dropped(dropped: Iterable[Dropped]) -> bytes:
    """JSON lines. A lone surrogate, which UTF-8 cannot hold, is a JSON escape."""
    lines = (json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in dropped)
    return "".join(lines).encode("utf-8", "backslashreplace")


def _sound(found: Tagged, cut: bool, document: str | None) -> tuple[str, list[str]]:
    """The question and its four answers, each one line. Raises _Unfit."""
    if cut:
        raise _Unfit("cut off")
    if found.question is None:
        raise _Unfit("answers without a question")
    if found.answers is None:
        raise _Unfit("a question without answers")
    question, *more = found.question.strip().splitlines() or [""]
    if any(bullet.match(line.strip()) for line in more for bullet in BULLETS):
        raise _Unfit("a list within the question")
    question = NUMBERED.sub("", _line([question, *more]))
    answers = [_line([answer]) for answer in bullets(found.answers)]
    if len(answers) != 4:
        raise _Unfit("not four answers")
    for text in (question, *answers):
        _check_text(text, document)
    answers = _without_marks(answers)
    if len(re.findall(r"[?\uff1f\u061f](?=\s|$)", question)) > 1:
        raise _Unfit("more than one question")
    if len({_alike(answer) for answer in answers}) != 4:
        raise _Unfit("two answers alike")
    return question, answers


def _line(lines: Sequence[str]) -> str:
    """Lines as one, with single spaces."""
    return " ".join(" ".join(lines).split())


def _without_marks(answers: Sequence[str]) -> list[str]:
    """The answers without notes such as `(correct)`. Raises _Unfit where these say that another is right."""
    marks = [MARK.search(answer) for answer in answers]
    says_right = [bool(mark and mark[1]) for mark in marks]
    says_wrong = [bool(mark and not mark[1]) for mark in marks]
    if any(says_right[1:]) or says_wrong[0]:
        raise _Unfit("the right answer is not the first")
    bare = [answer[: mark.start()] if mark else answer for answer, mark in zip(answers, marks, strict=True)]
    if not all(bare):
        raise _Unfit("empty")
    return bare


def _check_text(text: str, document: str | None) -> None:
    if len(text) > LONGEST:
        raise _Unfit("too long")
    if not any(unicodedata.category(one)[0] in "LNS" for one in text):
        raise _Unfit("empty")
    tags = f"{PROMPT_TAGS}|{re.escape(document)}" if document else PROMPT_TAGS
    if re.search(rf"</?\s*(?:{tags})\b[^<>]*>", text, re.IGNORECASE):
        raise _Unfit("a tag of the prompt")
    if visible(text, JOINERS) != text:
        raise _Unfit("hidden characters")


def _alike(answer: str) -> str:
    """What two answers share that differ in case, in forms of letters, or in a full stop only."""
    return unicodedata.normalize("NFKC", answer).casefold().rstrip(" .;,")
