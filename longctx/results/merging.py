"""The merging of several runs: CI shards, or checkpoints with different labels. Their order does not matter."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from longctx.errors import UserError
from longctx.results.cell_names import cell_name
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.store import check_each_once, read, row_of

MergeKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """A row of one of the runs."""

    folder: Path
    place: int
    """Its line in the files of `folder`, from 0."""
    row: Row
    has_view: bool
    """Whether it has a view."""
    digest: bytes
    """The digest of the row and its view."""

    @classmethod
    def of(cls, folder: Path, place: int, line: str, view: str) -> Kept:
        digest = hashlib.sha256(f"{line}\t{view}".encode()).digest()
        return cls(folder, place, row_of(line, folder), bool(view), digest)

    @property
    def subject(self) -> MergeKey:
        """The test and the subject of the row."""
        labels = json.dumps(sorted(self.row.labels.items()))
        server = self.row.server or ""
        return (self.row.test, self.row.model, self.row.prompt_set, self.row.shape, server, labels)

    @property
    def answer(self) -> MergeKey:
        """The identity of the answer. Rows of one trial with the same answer count once."""
        return (str(self.row.prompt_sha256), str(self.row.recorded_at))

    def __str__(self) -> str:
        return cell_name(self.row.test, f"{self.row.cell}#{self.row.name}", self.row.subject)


def merge_rows(folders: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Yield the rows of all runs with their views, as `store.write` takes them; trials in several runs count once.

    The texts are read again one by one, because those of all runs may not fit into memory. Raises UserError if two runs
    answer a trial differently, or use one name for different prompts, and if a run contains a trial in two rows.
    """
    kept = [Kept.of(folder, index, *pair) for folder in folders for index, pair in enumerate(read(folder))]
    for folder, entries in grouped(kept, lambda entry: entry.folder).items():
        check_each_once(folder, (entry.row for entry in entries))
    _check_words(kept)
    counted: dict[tuple[object, ...], Kept] = {}
    for entry in kept:
        other = counted.setdefault(entry.row.identity, entry)
        if other is not entry:
            counted[entry.row.identity] = _one_of(other, entry)
    counts = {(entry.folder, entry.place) for entry in counted.values()}
    return (pair for folder in folders for index, pair in enumerate(read(folder)) if (folder, index) in counts)


def _check_words(kept: Sequence[Kept]) -> None:
    """Raise UserError if two runs use the same name for prompt sets with different templates."""
    words: dict[MergeKey, Kept] = {}
    for entry in kept:
        other = words.setdefault(entry.subject, entry)
        if entry.row.prompt_digest != other.row.prompt_digest:
            raise UserError(
                "prompt-sets-differ",
                f"The prompts {entry.row.prompt_set!r} of {entry.row.test} have different texts in "
                f"{entry.folder} ({entry.row.prompt_digest}) and in {other.folder} "
                f"({other.row.prompt_digest}): "
                f"{_told_apart(entry, other)}",
            )


def _one_of(first: Kept, second: Kept) -> Kept:
    """Return the row of a trial that counts: a measured one rather than one that was not; of equal answers, either.

    Raises UserError if the answers differ, or were judged differently.
    """
    if first.row.measured and second.row.measured:
        if first.answer != second.answer:
            raise UserError(
                "answered-twice",
                f"{first} was answered twice, in {first.folder} and in {second.folder}, and longctx "
                f"cannot choose between them: {_told_apart(first, second)}",
            )
        judged = [kept.row.outcome for kept in (first, second)]
        if judged[0] != judged[1]:
            raise UserError(
                "judged-twice",
                f"{first} has one answer, judged {judged[0]} in {first.folder} and {judged[1]} in "
                f"{second.folder}: replay both runs with the same version of longctx, and merge those.",
            )
    return min(first, second, key=_rank)


def _rank(kept: Kept) -> tuple[object, ...]:
    """Return a sort key: measured before unmeasured, with text before without, live before replayed; then by digest."""
    return (not kept.row.measured, not kept.has_view, kept.row.source != "live", kept.digest)


def _told_apart(first: Kept, second: Kept) -> str:
    if first.folder == second.folder:
        return f"run {first.folder} again, once."
    return "leave out one of the runs, or distinguish them by labels (--ctx-label NAME=VALUE)."
