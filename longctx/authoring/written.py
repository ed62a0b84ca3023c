"""Reading the questions in a model's reply: well-formed ones are kept, and the others dropped with a reason."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from longctx.authoring.faults import JOINERS
from longctx.authoring.tagged import BULLETS, Tagged, bullets, find_tagged
from longctx.corpus.question_bank import BankQuestion, dropped_beside, dump, load_questions
from longctx.errors import UserError
from longctx.files import check_file_can_be_written, check_writable, write_file
from longctx.text import visible
from longctx.vocabulary.answer import CUT_OFF, Answer
from longctx.vocabulary.bank import numerical

LONGEST = 1000
"""The most characters of a question or an answer."""
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


def read_reply(section: str, answer: Answer, per_section: int, provenance: str, document: str | None = None) -> Written:
    """Read the questions of an answer to a request for `per_section` of them about a section. Never raises.

    Ids are `<section>-q<N>`, where N is the number in the tags, or else the position in the answer. document: the
    corpus's own word for its documents, if it has one.
    """
    kept: dict[int, BankQuestion] = {}
    dropped: list[Dropped] = []
    seen: set[int] = set()
    parts = list(find_tagged(answer.text))
    if not parts:
        ended = {"refusal": "refused", **dict.fromkeys(CUT_OFF, "cut off")}
        reason = ended.get(answer.stop_reason or "", "no questions in the reply")
        dropped.append(Dropped(section, reason, answer.text))
    for index, tagged in enumerate(parts, 1):
        number = index if tagged.number is None else tagged.number
        cut = tagged is parts[-1] and answer.cut_off and not tagged.closed
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
    """Remove notes such as `(correct)`. Raises _Unfit if they mark another answer than the first as right."""
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


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The paths of the questions, and of the parts of replies that were dropped."""

    questions: Path
    dropped: Path

    @classmethod
    def at(cls, path: Path) -> WrittenFiles:
        """Return the files for a path of questions. Raises UserError if they cannot be written."""
        check_file_can_be_written(path, force=True)
        dropped = dropped_beside(path)
        if dropped == path or path.suffix != ".jsonl":
            raise UserError(
                "questions-not-jsonl",
                f"{path} is not a name for a file of questions: choose one that ends in .jsonl, such as "
                "questions.jsonl.",
            )
        check_writable(path.parent)
        return cls(path, dropped)

    def check_unchanged(self, written: Sequence[Written]) -> None:
        """Raise UserError if a person has changed the files: they differ from what was written.

        written: the replies that were on the tape before anything was asked.
        """
        if not self.questions.exists():
            return
        now = {question.id: question for batch in written for question in batch.questions}
        existing = {question.id: question for question in load_questions(self.questions).questions}
        sections = {question.section for question in existing.values()}
        changed = [name for name, question in existing.items() if now.get(name) != question]
        gone = [name for name, question in now.items() if question.section in sections and name not in existing]
        noted = set(_lines(self.dropped)) - set(dump_dropped(_dropped(written)).splitlines())
        if changed or gone or noted:
            where = f"{(changed or gone)[0]}" if changed or gone else f"in {self.dropped.name}"
            raise UserError(
                "questions-changed",
                f"{self.questions} was reviewed or changed since it was written ({where}), or was not written by this "
                "command: choose another name, or overwrite it with --force.",
            )

    def write(self, written: Sequence[Written]) -> None:
        """Write both files, each completely or not at all; an empty one is left out. Raises UserError."""
        questions = dump(question for batch in written for question in batch.questions).encode()
        if questions:
            write_file(self.questions, lambda part: part.write_bytes(questions))
        if dropped := dump_dropped(_dropped(written)):
            write_file(self.dropped, lambda part: part.write_bytes(dropped))
        else:
            self.dropped.unlink(missing_ok=True)


def _dropped(written: Sequence[Written]) -> Iterator[Dropped]:
    return (drop for batch in written for drop in batch.dropped)


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines() if path.is_file() else []
