"""A question file under review, on disk: written whole after each decision, never over what somebody else wrote."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from longctx.config.folders import first_fault, read_text
from longctx.corpus.documents import Corpus
from longctx.corpus.questions import BankQuestion, dropped_beside, dump, load_questions
from longctx.errors import UserError
from longctx.files import write_file
from longctx.review.session import Entry, Session, Who

REVIEWER = "reviewer"


class DroppedByReviewer(BaseModel):
    """A line of FILE.dropped.jsonl that a reviewer is the reason of. place: among all questions, dropped ones too."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    section: str
    question: BankQuestion
    reason: Literal["reviewer"]
    by: str
    on: datetime.date
    place: NonNegativeInt


class QuestionFile:
    """The file and, beside it, the one of what was dropped, whose lines with other reasons stay as they are.

    A question that a crash left in both stands in the file.
    """

    def __init__(self, path: Path, corpus: Corpus) -> None:
        self.path = path
        self.dropped = dropped_beside(path)
        self._corpus = corpus
        self._others: list[str] = []
        self._seen: dict[Path, str] = {}

    def read(self) -> Session:
        """What both files hold now. Raises UserError."""
        seen = {path: _digest(path) for path in (self.path, self.dropped)}
        entries = [Entry(question) for question in load_questions(self.path, self._corpus).questions]
        sections = {section.id for section in self._corpus.sections}
        here, others = {entry.question.id for entry in entries}, []
        drops = []
        for number, line in enumerate(_lines(self.dropped), 1):
            drop = _parse(line, f"{self.dropped}, line {number}")
            if drop is None or drop.section not in sections:
                others.append(line)
            elif drop.question.id not in here:
                here.add(drop.question.id)
                drops.append(drop)
        for drop in sorted(drops, key=lambda one: one.place):
            entries.insert(drop.place, Entry(drop.question, Who(drop.by, drop.on)))
        self._others, self._seen = others, seen
        return Session(tuple(entries))

    def write(self, session: Session) -> None:
        """Raises UserError, with nothing written, where a file is no longer what was read."""
        for path, digest in self._seen.items():
            if _digest(path) != digest:
                raise UserError(
                    "questions-changed-meanwhile",
                    f"{path} was changed by somebody else since it was read: nothing was written. Reload the page, "
                    "and decide again.",
                )
        texts = {self.dropped: self._dropped_lines(session), self.path: dump(session.questions)}
        for path in sorted(texts, key=lambda one: len(texts[one]) < _size(one)):  # what grows first: a question that
            self._put(path, texts[path])  # moves stands in both files for a moment, and never in none

    def _dropped_lines(self, session: Session) -> str:
        drops = [
            DroppedByReviewer(
                section=one.question.section,
                question=one.question,
                reason=REVIEWER,
                by=one.dropped.by,
                on=one.dropped.on,
                place=place,
            ).model_dump_json()
            for place, one in enumerate(session.entries)
            if one.dropped
        ]
        return "".join(f"{line}\n" for line in (*self._others, *drops))

    def _put(self, path: Path, text: str) -> None:
        if self._seen[path] == (hashlib.sha256(text.encode()).hexdigest() if text else ""):
            return
        if text:
            write_file(path.resolve(), lambda part: _write_through(part, text))
        else:
            path.unlink(missing_ok=True)
        self._seen[path] = _digest(path)


def _parse(line: str, where: str) -> DroppedByReviewer | None:
    """None for a line that something else wrote, for a reason of its own. Raises UserError."""
    try:
        found = json.loads(line)
        ours = isinstance(found, dict) and found.get("reason") == REVIEWER
        return DroppedByReviewer.model_validate(found) if ours else None
    except json.JSONDecodeError as error:
        raise UserError("line-not-json", f"{where} is not JSON: {error}. Correct the line, or delete it.") from None
    except ValidationError as error:
        raise UserError("bad-dropped-line", f"{where}: {first_fault(DroppedByReviewer, error, 'the line')}") from None


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in read_text(path).split("\n") if line.strip()]
    except FileNotFoundError:
        return []


def _write_through(path: Path, text: str) -> None:
    """To the disk itself: a laptop that dies loses nothing."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _digest(path: Path) -> str:
    """Empty where there is no file."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
