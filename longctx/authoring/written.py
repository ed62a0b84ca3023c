"""Reading the questions in a model's reply: well-formed ones are kept, and the others dropped with a reason."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from longctx.authoring.tagged import BULLETS, Tagged, bullets, find_tagged
from longctx.corpus.questions import BankQuestion
from longctx.visible import visible
from longctx.vocabulary.occurrence import numerical
from longctx.vocabulary.scenario import CUT_OFF, Reply

LONGEST = 1000
"""The most characters of a question or an answer."""
JOINERS = "\u200c\u200d\ufe0f"
"""Invisible characters that some scripts and emoji need."""
PROMPT_TAGS = r"question|answers?|passage|example|scratchpad|government record"
"""Tags of the prompts that ask a question: inside the question, such a tag would close the prompt's own."""
NUMBERED = re.compile(r"^\(?\d{1,2}[.):]\s+")
MARK = re.compile(r"\s*[\[(*]+(?:(correct(?: answer)?|right answer)|incorrect(?: answer)?|wrong answer)[\])*]+$", re.I)
"""A note that a model adds to mark an answer as right or wrong, such as `(correct)`."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A part of a reply that was not kept, and why."""

    section: str
    reason: str
    raw: str
    """The text as the model wrote it."""


@dataclass(frozen=True, slots=True)
class Written:
    """The questions written about one section."""

    questions: tuple[BankQuestion, ...]
    dropped: tuple[Dropped, ...]
    missing: int
    """How many of those asked for are not in the reply."""


class _Unfit(Exception):
    """The reason why a question cannot be kept."""


def read_reply(section: str, reply: Reply, per_section: int, provenance: str, document: str | None = None) -> Written:
    """Read the questions of a reply that was asked for `per_section` of them about a section. Never raises.

    Ids are `<section>-q<N>`, where N is the number in the tags, or else the position in the reply. document: the
    corpus's own word for its documents, if it has one.
    """
    kept: dict[int, BankQuestion] = {}
    dropped: list[Dropped] = []
    seen: set[int] = set()
    parts = list(find_tagged(reply.text))
    if not parts:
        ended = {"refusal": "refused", **dict.fromkeys(CUT_OFF, "cut off")}
        reason = ended.get(reply.stop_reason or "", "no questions in the reply")
        dropped.append(Dropped(section, reason, reply.text))
    for place, tagged in enumerate(parts, 1):
        number = place if tagged.number is None else tagged.number
        cut = tagged is parts[-1] and reply.cut_off and not tagged.closed
        try:
            if not 1 <= number <= per_section:
                raise _Unfit("numbered beyond what was asked")
            if number in seen:
                raise _Unfit("a number used twice")
            seen.add(number)
            question, (right, *wrong) = _well_formed(tagged, cut, document)
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
            dropped.append(Dropped(section, str(why), tagged.raw))
    return Written(tuple(kept[number] for number in sorted(kept)), tuple(dropped), per_section - len(seen))


def dump_dropped(dropped: Iterable[Dropped]) -> bytes:
    """Return JSON lines. A lone surrogate, which UTF-8 cannot encode, becomes a JSON escape."""
    lines = (json.dumps(asdict(entry), ensure_ascii=False) + "\n" for entry in dropped)
    return "".join(lines).encode("utf-8", "backslashreplace")


def _well_formed(tagged: Tagged, cut: bool, document: str | None) -> tuple[str, list[str]]:
    """Return the question and its four answers, each on one line. Raises _Unfit."""
    if cut:
        raise _Unfit("cut off")
    if tagged.question is None:
        raise _Unfit("answers without a question")
    if tagged.answers is None:
        raise _Unfit("a question without answers")
    question, *more = tagged.question.strip().splitlines() or [""]
    if any(bullet.match(line.strip()) for line in more for bullet in BULLETS):
        raise _Unfit("a list within the question")
    question = NUMBERED.sub("", _line([question, *more]))
    answers = [_line([answer]) for answer in bullets(tagged.answers)]
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
    """Join lines, with single spaces."""
    return " ".join(" ".join(lines).split())


def _without_marks(answers: Sequence[str]) -> list[str]:
    """Remove notes such as `(correct)`. Raises _Unfit if they say that another answer than the first is right."""
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
    if not any(unicodedata.category(character)[0] in "LNS" for character in text):
        raise _Unfit("empty")
    tags = f"{PROMPT_TAGS}|{re.escape(document)}" if document else PROMPT_TAGS
    if re.search(rf"</?\s*(?:{tags})\b[^<>]*>", text, re.IGNORECASE):
        raise _Unfit("a tag of the prompt")
    if visible(text, JOINERS) != text:
        raise _Unfit("hidden characters")


def _alike(answer: str) -> str:
    """Normalize an answer: its case, its letter forms and its final punctuation do not distinguish it."""
    return unicodedata.normalize("NFKC", answer).casefold().rstrip(" .;,")
