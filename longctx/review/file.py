"""A question file under review: rewritten after each decision, but never over changes that somebody else made."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from longctx.config.text_files import first_fault, read_text
from longctx.corpus.documents import Corpus
from longctx.corpus.questions import BankQuestion, dropped_beside, dump, load_questions
from longctx.errors import UserError
from longctx.fields import parsed
from longctx.files import write_file
from longctx.review.session import Entry, Session, Who

REVIEWER = "reviewer"


class DroppedByReviewer(BaseModel):
    """A line of FILE.dropped.jsonl for a question that a reviewer dropped."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    section: str
    question: BankQuestion
    reason: Literal["reviewer"]
    by: str
    on: datetime.date
    place: NonNegativeInt
    """Its index among all questions."""


class QuestionFile:
    """A question file and the file of dropped questions beside it, whose lines with other reasons are left unchanged.

    A question that a crash left in both files counts as not dropped.
    """

    def __init__(self, path: Path, corpus: Corpus) -> None:
        self.path = path
        self.dropped = dropped_beside(path)
        self._corpus = corpus
        self._others: list[str] = []
        self._seen: dict[Path, str] = {}

    def read(self) -> Session:
        """Return the present content of both files. Raises UserError."""
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
        for drop in sorted(drops, key=lambda drop: drop.place):
            entries.insert(drop.place, Entry(drop.question, Who(drop.by, drop.on)))
        self._others, self._seen = others, seen
        return Session(tuple(entries))

    def write(self, session: Session) -> None:
        """Write both files. Raises UserError, with nothing written, if a file has changed since it was read."""
        for path, digest in self._seen.items():
            if _digest(path) != digest:
                raise UserError(
                    "questions-changed-meanwhile",
                    f"{path} was changed by somebody else since it was read: nothing was written. Reload the page, "
                    "and decide again.",
                )
        texts = {self.dropped: self._dropped_lines(session), self.path: dump(session.questions)}
        # The file that grows is written first: a question that moves is then in both files for a moment, never in none.
        for path in sorted(texts, key=lambda path: len(texts[path]) < _size(path)):
            self._put(path, texts[path])

    def _dropped_lines(self, session: Session) -> str:
        drops = [
            DroppedByReviewer(
                section=entry.question.section,
                question=entry.question,
                reason=REVIEWER,
                by=entry.dropped.by,
                on=entry.dropped.on,
                place=place,
            ).model_dump_json()
            for place, entry in enumerate(session.entries)
            if entry.dropped
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
    """Parse a line; return None if it was not written by a review. Raises UserError."""
    try:
        record = parsed(json.loads, line)
        ours = isinstance(record, dict) and record.get("reason") == REVIEWER
        return DroppedByReviewer.model_validate(record) if ours else None
    except ValidationError as error:
        raise UserError("bad-dropped-line", f"{where}: {first_fault(DroppedByReviewer, error, 'the line')}") from None
    except ValueError as error:
        raise UserError("line-not-json", f"{where} is not JSON: {error}. Correct the line, or delete it.") from None


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in read_text(path).split("\n") if line.strip()]
    except FileNotFoundError:
        return []


def _write_through(path: Path, text: str) -> None:
    """Write and sync to disk, so that a laptop that dies loses nothing."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file; empty if there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
