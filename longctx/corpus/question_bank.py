"""Questions about the sections of a corpus, as JSON lines that are validated when loaded, and the bank of them."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from longctx.config.project_files import first_fault
from longctx.conflicts import check_no_conflict
from longctx.corpus.documents import Corpus, bank_files, load_corpus, read_settings
from longctx.corpus.filters import Filter, choose_filter
from longctx.corpus.frozen import moved_to
from longctx.errors import UserError
from longctx.vocabulary.bank import SHIPPED, Bank, Item, Section
from longctx.vocabulary.point import EARLIER, PROTOCOL
from longctx.workspace import Workspace

OPTIONAL = "accepted", "reviewed"
"""What a question may have that is no part of it: files leave it out where there is none, and no digest covers it."""


class Reviewed(BaseModel):
    """A reviewer's decision that a question stays, unchanged (`kept`) or `edited`; by whom, and on which day."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    decision: Literal["kept", "edited"]
    by: str = Field(min_length=1)
    on: datetime.date


class BankQuestion(BaseModel):
    """A question with one right and three wrong answers, which a trial shuffles."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: str = Field(pattern=r"^[A-Za-z0-9._@+-]+$")
    section: str = Field(min_length=1)
    """The id of the section that answers it."""
    question: str = Field(min_length=1)
    right: str = Field(min_length=1)
    wrong: tuple[str, str, str]
    numerical: bool = False
    fact: str = ""
    """The kind of fact requested, in a word; questions about the same kind have answers of the same kind."""
    provenance: str = ""
    """Who or what wrote it."""
    accepted: tuple[str, ...] = ()
    """Other forms of the right answer, which [short_answers] takes for it, too. They are part of no digest."""
    reviewed: Reviewed | None = None
    """Who reviewed it; no part of the question or of a digest."""

    @field_validator("wrong", mode="before")
    @classmethod
    def _three(cls, value: object) -> object:
        if isinstance(value, list | tuple) and len(value) != 3:
            raise ValueError(f"a question has 3 wrong answers, but here are {len(value)}")
        return value

    @field_validator("question", "right", "wrong")
    @classmethod
    def _one_line(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        """Check that a text is one line, as the protocol puts every answer on its own line."""
        for text in [value] if isinstance(value, str) else value:
            if not text.strip() or "\n" in text:
                raise ValueError("a question or an answer must be one line of text")
        return value

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers, the right one first."""
        return (self.right, *self.wrong)

    @property
    def distinct(self) -> bool:
        """Whether the four answers differ."""
        return len({answer.strip() for answer in self.answers}) == 4


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of one file."""

    name: str
    questions: tuple[BankQuestion, ...]
    digest: str = field(init=False)
    """SHA-256 over the questions, independent of the order of keys in the file."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", _digest(self.questions))


def load_questions(path: Path, corpus: Corpus | None = None) -> QuestionSet:
    """Load the questions of a file. With a corpus, every question must be about one of its sections.

    Raises UserError naming the line and what is wrong with it.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # a question may hold what else ends a line
    except FileNotFoundError:
        raise UserError(
            "no-questions-file", f"There is no file of questions {path}: name a .jsonl file with one question per line."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError("not-readable", f"{path} cannot be read as UTF-8 text: {error}. Save it as UTF-8.") from None
    check_no_conflict(path, "keep the correct questions, and delete the lines of the markers")
    questions = tuple(_parse(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip())
    if not questions:
        raise UserError("no-questions", f"{path} contains no questions: write one JSON object per line.")
    _check_ids(questions, path)
    if corpus is not None:
        _check_sections(questions, path, corpus)
    return QuestionSet(path.stem, questions)


def dropped_beside(path: Path) -> Path:
    """Return the path that keeps the dropped questions of a file: FILE.dropped.jsonl."""
    return path.with_name(f"{path.stem}.dropped.jsonl")


def dump(questions: Iterable[BankQuestion]) -> str:
    """Return the questions as JSON lines, with their reviews."""
    return "".join(
        f"{question.model_dump_json(exclude={name for name in OPTIONAL if not getattr(question, name)})}\n"
        for question in questions
    )


def _digest(questions: Iterable[BankQuestion]) -> str:
    """Return the SHA-256 over the questions. A review does not change it.

    Where a provenance names the prompt set `protocol`, its earlier name counts, which is in the digests of recordings.
    """
    lines = (f"{question.model_dump_json(exclude={*OPTIONAL})}\n" for question in map(_as_recorded, questions))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _as_recorded(question: BankQuestion) -> BankQuestion:
    earlier = question.provenance.replace(f"prompts {PROTOCOL} (", f"prompts {EARLIER} (")
    return question if earlier == question.provenance else question.model_copy(update={"provenance": earlier})


def _parse(line: str, where: str) -> BankQuestion:
    try:
        return BankQuestion.model_validate_json(line)
    except ValidationError as error:
        raise UserError("bad-question", f"{where}: {first_fault(BankQuestion, error, 'the line')}") from None


def _check_ids(questions: tuple[BankQuestion, ...], path: Path) -> None:
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise UserError(
                "duplicate-question-id",
                f"{path} has two questions with the id {question.id!r}: give each question its own id.",
            )
        seen.add(question.id)
        if not question.distinct:
            raise UserError(
                "duplicate-answers",
                f"{path}, question {question.id}: two of its four answers are the same. Write four different answers.",
            )


def _check_sections(questions: tuple[BankQuestion, ...], path: Path, corpus: Corpus) -> None:
    kept = {section.id for section in corpus.sections}
    out = {section.id: section.tokens for section in corpus.left_out}
    examples = {section.id for section in corpus.examples}
    for question in questions:
        if question.section in kept:
            continue
        why = f"which is not a section of {corpus.name}{moved_to(question.section, kept)}"
        if question.section in out:
            why = f"which {corpus.name} leaves out, since its {out[question.section]} tokens are out of bounds"
        elif question.section in examples:
            why = f"which is one of the examples of {corpus.name}, which are not part of the test"
        raise UserError(
            "unusable-section",
            f"{path}, question {question.id}: it is about {question.section!r}, {why}. Change its section, or leave "
            "it out.",
        )


@functools.lru_cache(maxsize=16)
def load_bank(
    workspace: Workspace,
    documents: Path | None,
    questions: Path | None,
    model: str,
    name: str = SHIPPED,
    frozen: tuple[Filter, ...] | None = None,
) -> Bank:
    """Load the sections of a folder and the questions of a file, by default those of the bank of this name.

    The bank keeps the questions that the filter of `model` keeps; all of them if it has none. frozen: the filters of a
    baseline, which replace the model's own; None without a baseline. Raises UserError.
    """
    if documents is None or questions is None:
        folder, file = bank_files(workspace, name)
        documents, questions = documents or folder, questions or file
    bank = _read(documents, questions)
    known = choose_filter(workspace, frozen, model, bank.filter_key)
    if known is None:
        return bank
    kept, decided = frozenset(known.kept), {*known.kept, *known.dropped}
    if bank.version > 1:  # one filter for all banks
        own = frozenset(bank.item_name(index) for index in range(len(bank.items)))
        kept, decided = kept & own, decided & own
    return dataclasses.replace(bank, kept=kept, asked=len(decided)) if decided else bank


@functools.lru_cache(maxsize=4)
def _read(documents: Path, questions: Path) -> Bank:
    """Read the bank without a filter, once for all models."""
    corpus = load_corpus(documents)
    asked = load_questions(questions, corpus)
    settings = read_settings(documents)
    items = tuple(
        Item(question.id, question.section, question.question, question.right, question.wrong, question.accepted)
        for question in asked.questions
    )
    bank = Bank(
        sections={section.id: Section(section.id, section.text, section.tokens) for section in corpus.sections},
        items=items,
        digest=hashlib.sha256(f"{corpus.digest}/{asked.digest}".encode()).hexdigest(),
        kept=frozenset(item.id for item in items),
        rounds=settings.rounds,
        literal=settings.literal,
        version=settings.version,
    )
    if bank.version == 1:
        return bank
    return dataclasses.replace(bank, kept=frozenset(map(bank.item_name, range(len(items)))))
