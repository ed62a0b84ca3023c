"""The trials that two runs have in common: the same question, whatever the model and the wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longctx.results.row import Row

TrialKey = tuple[str, int, str, int, int]
"""Scenario, seed, item, trial and repeat: together they identify a trial within its family."""


@dataclass(frozen=True, slots=True)
class TrialPairs:
    """The trials of one family, for one subject of each run.

    before, after: all trials of each. common: those that ask the same question in both. mismatched: how many share a
    key but ask different questions: they expect different answers, or different versions of the family built them.
    """

    before: Mapping[TrialKey, Row]
    after: Mapping[TrialKey, Row]
    common: Mapping[TrialKey, tuple[Row, Row]]
    mismatched: int


def pairs(before: Sequence[Row], after: Sequence[Row]) -> TrialPairs:
    """Pair the trials of two runs. before, after: rows of one family and subject each."""
    ours, theirs = by_key(before), by_key(after)
    shared = [key for key in ours if key in theirs]
    common = {key: (ours[key], theirs[key]) for key in shared if _same_question(ours[key], theirs[key])}
    return TrialPairs(ours, theirs, common, len(shared) - len(common))


def by_key(rows: Sequence[Row]) -> dict[TrialKey, Row]:
    return {(row.scenario, row.seed, row.item or "", row.trial, row.repeat): row for row in rows}


def _same_question(before: Row, after: Row) -> bool:
    """Compare versions and expected answers. Runs kept without text have no expected answers: the key must do."""
    if before.version != after.version:
        return False
    return None in (before.expected, after.expected) or before.expected == after.expected
