"""The files of `questions write`, FILE.jsonl and FILE.dropped.jsonl, which never overwrite a person's work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from longctx.authoring.written import Dropped, Written, dump_dropped
from longctx.corpus.questions import dropped_beside, dump, load_questions
from longctx.errors import UserError
from longctx.files import check_free, check_writable, write_file


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The paths of the questions, and of the parts of replies that were dropped."""

    questions: Path
    dropped: Path

    @classmethod
    def at(cls, path: Path) -> WrittenFiles:
        """Return the files for a path of questions. Raises UserError if they cannot be written."""
        check_free(path, force=True)
        dropped = dropped_beside(path)
        if dropped == path or path.suffix != ".jsonl":
            raise UserError(
                "questions-not-jsonl",
                f"{path} is not a name for questions: give one that ends in .jsonl, such as questions.jsonl.",
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
                "command: give another name, or --force to overwrite it.",
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
