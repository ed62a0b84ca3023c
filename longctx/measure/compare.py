"""Runs side by side on the same trials: rates of each, the paired difference, and what changed trial by trial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from longctx.errors import UserError
from longctx.measure.match import match
from longctx.measure.paired import Paired
from longctx.measure.rates import Rate
from longctx.measure.subject import Subject, subjects
from longctx.measure.summary import MEASURED

Key = tuple[str, int, str, int, int]
"""Of a trial within a family: scenario, seed, item, trial, repeat. Two trials with one key ask the same question."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A trial that is correct under one of two conditions only. before, after: outcome and what was returned."""

    scenario: str
    seed: int
    trial: int
    item: str | None
    repeat: int
    expected: str | None
    before: tuple[str, str | None]
    after: tuple[str, str | None]

    @property
    def lost(self) -> bool:
        return self.before[0] == "correct"


@dataclass(frozen=True, slots=True)
class Change:
    """One scenario, or all of a family together. before, after: the rates of all that each run measured of it.

    paired: over the trials that both measured. clustered: some question is in it more than once, so that the
    interval, which takes trials for independent, is too narrow.
    """

    scenario: str
    before: Rate
    after: Rate
    paired: Paired
    clustered: bool


@dataclass(frozen=True, slots=True)
class Versus:
    """One subject against another in one family. scenarios: those that both measured; total: all of them.

    alone: measured trials of each that the other did not measure. otherwise: trials of one name that expect
    different answers, so that they ask different questions; they are not paired. digests: of the words of each.
    """

    family: str
    before: Subject
    after: Subject
    scenarios: tuple[Change, ...]
    total: Change
    flips: tuple[Flip, ...]
    alone: tuple[int, int]
    otherwise: int
    digests: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """left: (family, subject, number of measured trials) that have nobody to be compared with, of each run."""

    versus: tuple[Versus, ...]
    left: tuple[tuple[tuple[str, Subject, int], ...], tuple[tuple[str, Subject, int], ...]]


def compare(before: pd.DataFrame, after: pd.DataFrame, between: str | None = None) -> Comparison:
    """The rows of two runs, as results.store loads them. between: what changed (see match).

    Raises UserError where it is not clear which subjects are to be compared, or where nothing can be.
    """
    first, second = _by_family(before), _by_family(after)
    versus: list[Versus] = []
    left: tuple[list[tuple[str, Subject, int]], list[tuple[str, Subject, int]]] = ([], [])
    for family in dict.fromkeys((*first, *second)):
        ours, theirs = first.get(family, {}), second.get(family, {})
        pairs = match(family, tuple(ours), tuple(theirs), between)
        versus += (_versus(family, one, two, ours[one], theirs[two]) for one, two in pairs)
        for place, (rows, matched) in enumerate(
            ((ours, {one for one, _ in pairs}), (theirs, {two for _, two in pairs}))
        ):
            left[place].extend((family, one, len(rows[one])) for one in rows if one not in matched)
    if not any(one.total.paired.n for one in versus):
        raise UserError(
            "No trial was measured by both: runs are compared on the same families, scenarios and seeds "
            "(run both with the same --ctx-profile and --ctx-seed)."
        )
    return Comparison(tuple(versus), (tuple(left[0]), tuple(left[1])))


def _by_family(rows: pd.DataFrame) -> dict[str, dict[Subject, pd.DataFrame]]:
    """The measured rows of each family and subject, in the order in which they come."""
    measured = rows[rows["outcome"].isin(MEASURED)]
    found: dict[str, dict[Subject, pd.DataFrame]] = {}
    measured = measured.assign(subject=subjects(measured))
    for _, group in measured.groupby(["family", "subject"], sort=False):
        first = group.iloc[0]
        found.setdefault(first["family"], {})[first["subject"]] = group
    return found


def _versus(family: str, before: Subject, after: Subject, first: pd.DataFrame, second: pd.DataFrame) -> Versus:
    ours, theirs = _by_key(first), _by_key(second)
    common = [key for key in ours if key in theirs]
    pairs = {key: (ours[key], theirs[key]) for key in common if _same_question(ours[key], theirs[key])}
    shared = {key[0] for key in theirs}
    scenarios = [name for name in dict.fromkeys(key[0] for key in ours) if name in shared]
    return Versus(
        family,
        before,
        after,
        tuple(_change(name, [name], ours, theirs, pairs) for name in scenarios),
        _change("all", scenarios, ours, theirs, pairs),
        tuple(_flips(pairs)),
        (len(ours) - len(common), len(theirs) - len(common)),
        len(common) - len(pairs),
        (str(first["prompt_digest"].iloc[0]), str(second["prompt_digest"].iloc[0])),
    )


def _by_key(rows: pd.DataFrame) -> dict[Key, dict[str, Any]]:
    names = ["scenario", "seed", "trial", "item", "repeat", "outcome", "expected", "returned"]
    found: list[dict[str, Any]] = [
        {name: None if pd.isna(value) else value for name, value in zip(names, values, strict=True)}
        for values in zip(*(rows[name] for name in names), strict=True)
    ]
    return {(one["scenario"], one["seed"], one["item"] or "", one["trial"], one["repeat"]): one for one in found}


def _same_question(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Runs kept without text do not know what they expected; for them the key must do."""
    return None in (before["expected"], after["expected"]) or bool(before["expected"] == after["expected"])


def _change(
    name: str,
    scenarios: Sequence[str],
    ours: dict[Key, dict[str, Any]],
    theirs: dict[Key, dict[str, Any]],
    pairs: dict[Key, tuple[dict[str, Any], dict[str, Any]]],
) -> Change:
    wanted = set(scenarios)
    before, after = (_rate([row for key, row in side.items() if key[0] in wanted]) for side in (ours, theirs))
    mine = {key: pair for key, pair in pairs.items() if key[0] in wanted}
    right = [tuple(row["outcome"] == "correct" for row in pair) for pair in mine.values()]
    questions = {item or (scenario, seed, trial) for scenario, seed, item, trial, _ in mine}
    paired = Paired(right.count((False, True)), right.count((True, False)), len(mine))
    return Change(name, before, after, paired, clustered=len(questions) < len(mine))


def _rate(rows: Sequence[dict[str, Any]]) -> Rate:
    return Rate(sum(row["outcome"] == "correct" for row in rows), len(rows))


def _flips(pairs: dict[Key, tuple[dict[str, Any], dict[str, Any]]]) -> Iterator[Flip]:
    """Lost ones first."""
    found = [
        Flip(
            **{name: one[name] for name in ("scenario", "seed", "trial", "item", "repeat", "expected")},
            before=(one["outcome"], one["returned"]),
            after=(two["outcome"], two["returned"]),
        )
        for one, two in pairs.values()
        if (one["outcome"] == "correct") != (two["outcome"] == "correct")
    ]
    yield from sorted(found, key=lambda flip: not flip.lost)
