"""The trials that two runs have in common: the same question, asked of whom or in which words it may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longctx.results.row import Row

Key = tuple[str, int, str, int, int]
"""What tells trials of a family apart: scenario, seed, item, trial, repeat. Two with one key ask the same question."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Trials of one family, one subject of each run. before, after: all their trials; both: those that ask the same.

    otherwise: how many have one key and yet ask different questions: they expect different answers, or a new version
    of the family built them.
    """

    before: Mapping[Key, Row]
    after: Mapping[Key, Row]
    both: Mapping[Key, tuple[Row, Row]]
    otherwise: int


def pairs(before: Sequence[Row], after: Sequence[Row]) -> Pairs:
    """before, after: rows of one family and subject each."""
    ours, theirs = by_key(before), by_key(after)
    common = [key for key in ours if key in theirs]
    both = {key: (ours[key], theirs[key]) for key in common if _same_question(ours[key], theirs[key])}
    return Pairs(ours, theirs, both, len(common) - len(both))


def by_key(rows: Sequence[Row]) -> dict[Key, Row]:
    return {(row.scenario, row.seed, row.item or "", row.trial, row.repeat): row for row in rows}


def _same_question(before: Row, after: Row) -> bool:
    """Runs kept without text do not know what they expected; for them the key must do."""
    if before.version != after.version:
        return False
    return None in (before.expected, after.expected) or before.expected == after.expected
