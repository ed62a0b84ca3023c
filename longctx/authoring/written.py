"""Reading the questions in a model's reply: well-formed ones are kept, and the others dropped with a reason.

A parser for the tagged questions and answers that models write, tolerant of sloppy tags.

Source: the notebook on long-context QA (docs/protocols.md), cells 8 and 9. Like it, the parser accepts a missing
closing tag and numbered bullets; it also accepts tags in another case or without a number, other bullets, and
surrounding text.

Writing the questions of long-context QA: a model is shown one section, and two examples of how it is done.

Source: the notebook "Experimentally Testing Claude's Long-Context QA Abilities" (Anthropic, 2023), its two-shot prompt.
Its examples are real notices; here they are the two sections of the shipped register that are kept out of the test.
No test of the benchmark: there is no answer that could be right. It is a cell so that a tape can hold it.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from longctx.authoring.faults import JOINERS
from longctx.corpus.question_bank import BankQuestion, dropped_beside, dump, load_questions
from longctx.errors import UserError
from longctx.files import check_file_can_be_written, check_writable, write_file
from longctx.text import visible
from longctx.vocabulary.answer import CUT_OFF, Answer
from longctx.vocabulary.bank import Section, numerical
from longctx.vocabulary.point import BuiltTrial, Declaration, Identity, Outcome, Point, Templates
from longctx.vocabulary.text import fill

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
    for place, tagged in enumerate(parts, 1):
        number = place if tagged.number is None else tagged.number
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


TAG = re.compile(r"<\s{0,2}(/?)\s{0,2}(question|answers?)\s{0,2}#?(\d{0,6})n?\s{0,2}>", re.IGNORECASE)
BULLETS = tuple(
    re.compile(rf"(?:{bullet})(?:\s+(.*))?$", re.DOTALL)
    for bullet in (r"\(?\d{1,2}[.):]", r"\(?[A-Da-d][.):]", r"[-*•–]")
)
"""The bullets that may begin an answer's line: `1.` `1)` `(1)` `A.` `-`."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """A question with its answers, as text between tags; None for what is missing."""

    number: int | None
    """The number in the tags, if any."""
    question: str | None
    answers: str | None
    raw: str
    """Both with their tags."""
    closed: bool
    """Whether the last part has a closing tag."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The text after an opening tag, up to the next tag of any kind."""

    is_question: bool
    number: int | None
    text: str
    start: int
    end: int
    closed: bool


def find_tagged(reply: str) -> Iterator[Tagged]:
    """Yield every question and list of answers in a reply, in order; answers belong to the question before them."""
    parts = list(_parts(reply))
    taken = False
    for part, after in pairwise([*parts, None]):
        assert part is not None
        if taken:
            taken = False
        elif not part.is_question:
            yield Tagged(part.number, None, part.text, reply[part.start : part.end], part.closed)
        elif after is None or after.is_question or not _same(part.number, after.number):
            yield Tagged(part.number, part.text, None, reply[part.start : part.end], part.closed)
        else:
            taken = True
            number = after.number if part.number is None else part.number
            yield Tagged(number, part.text, after.text, reply[part.start : after.end], after.closed)


def bullets(text: str) -> list[str]:
    """Return the answers in a list, without their bullets. Without any bullets, every line is an answer.

    Lines before the first bullet, and after a line without words, are no answers; a continuation line is joined to the
    answer before it.
    """
    lines = [line.strip() for line in text.splitlines()]
    bullet = next((pattern for line in lines for pattern in BULLETS if pattern.match(line)), None)
    if bullet is None:
        return [line for line in lines if line]
    answers: list[str] = []
    in_answer = False
    for line in lines:
        if match := bullet.match(line):
            answers.append(match[1] or "")
            in_answer = True
        elif not any(character.isalnum() for character in line):  # an empty line, or a fence such as ```
            in_answer = False
        elif in_answer:
            answers[-1] += f" {line}"
    return answers


def _parts(reply: str) -> Iterator[_Part]:
    tags = list(TAG.finditer(reply))
    for tag, after in pairwise([*tags, None]):
        assert tag is not None
        if tag[1]:
            continue
        end = len(reply) if after is None else after.start()
        closed = after is not None and bool(after[1])
        number = int(tag[3]) if tag[3] else None
        yield _Part(tag[2].lower() == "question", number, reply[tag.end() : end], tag.start(), end, closed)


def _same(question: int | None, answers: int | None) -> bool:
    """Tell whether the numbers of a question and of answers agree; a missing number agrees with any."""
    return question is None or answers is None or question == answers


MOST_QUESTIONS = 20
NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
PROMPT_TOKENS = 3600
"""The tokens of the prompt set `protocol` without the section, in the reference vocabulary."""


@dataclass(frozen=True, slots=True)
class Writing(Point):
    """`per_section` questions about one section, the last of them numerical. One trial, whatever the seed.

    The trial is identified by the section's id and text, so that it stays the same when other documents come or go.
    """

    declared = Declaration(
        name="writing",
        parameters=("per_section",),
        templates={
            "system": (),
            "prompt": ("number", "others", "passage", "passage1", "questions1", "passage2", "questions2"),
            "passage1": (),
            "questions1": (),
            "passage2": (),
            "questions2": (),
            "prefill": (),
            "without_prefill": ("prefill",),
        },
        size=lambda cell, tokens: (PROMPT_TOKENS + cell.section.tokens) * tokens["reference"],
    )

    per_section: int
    max_tokens: int = field(default=3000, kw_only=True)
    section: Section = field(kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if not 2 <= self.per_section <= MOST_QUESTIONS:
            raise ValueError(f"--per-section {self.per_section} is not possible: use 2 to {MOST_QUESTIONS}.")

    def run(
        self, words: Templates, seed: int, index: int, repeat: int, answer: Callable[[BuiltTrial], Answer | None]
    ) -> tuple[BuiltTrial, Outcome | None]:
        """Return the trial, without an outcome: what was written is read and checked, not judged."""
        number = {"number": NUMBERS[self.per_section], "others": str(self.per_section - 1)}
        user = fill(words["prompt"], {**words, **number, "passage": self.section.text})
        built = BuiltTrial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected="",
            max_tokens=self.max_tokens,
            depth=user.rindex(self.section.text) / len(user),
            prefix=self.test,
            prefill=words["prefill"],
            without_prefill=fill(words["without_prefill"], {"prefill": words["prefill"]}),
        )
        answer(built)
        return built, None

    @property
    def id(self) -> str:
        return f"{self.slug}-{self.section.id}"

    def identity(self, seed: int, index: int, repeat: int) -> Identity:
        text = hashlib.sha256(self.section.text.encode("utf-8", "surrogatepass")).hexdigest()
        item = f"{self.section.id}@{text[:12]}"
        return replace(super(Writing, self).identity(0, 0, repeat), item=item)
