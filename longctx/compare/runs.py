"""Runs side by side on the same trials: rates of each, the paired difference, and what changed trial by trial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longctx.compare.match import Left, Matched, match_runs
from longctx.compare.pairs import Pairs, pairs
from longctx.errors import UserError
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate


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


def compare(before: Sequence[Row], after: Sequence[Row], between: str | None = None) -> Comparison:
    """The rows of two runs. between: what changed (see match).

    Raises UserError where it is not clear which subjects are to be compared, or where nothing can be.
    """
    first, second = ([row for row in rows if row.measured] for rows in (before, after))
    matched, left = match_runs(first, second, between)
    versus = tuple(map(_versus, matched))
    if not any(one.total.paired.n for one in versus):
        raise UserError(
            "no-trial-in-common",
            "The two runs have no trial in common: they are compared on the same families, scenarios and seeds "
            "(run both with the same --ctx-profile and --ctx-seed).",
        )
    return Comparison(versus, (_alone(left[0]), _alone(left[1])))


def _alone(left: Left) -> tuple[tuple[str, Subject, int], ...]:
    return tuple((family, one, len(rows)) for (family, one), rows in left.items())


def _versus(one: Matched) -> Versus:
    first, second = one.rows
    found = pairs(first, second)
    shared = {key[0] for key in found.after}
    scenarios = [name for name in dict.fromkeys(key[0] for key in found.before) if name in shared]
    common = len(found.both) + found.otherwise
    return Versus(
        one.family,
        one.before,
        one.after,
        tuple(_change(name, [name], found) for name in scenarios),
        _change("all", scenarios, found),
        tuple(_flips(found)),
        (len(found.before) - common, len(found.after) - common),
        found.otherwise,
        (first[0].prompt_digest, second[0].prompt_digest),
    )


def _change(name: str, scenarios: Sequence[str], found: Pairs) -> Change:
    wanted = set(scenarios)
    sides = (found.before, found.after)
    before, after = (_rate([row for key, row in side.items() if key[0] in wanted]) for side in sides)
    mine = {key: pair for key, pair in found.both.items() if key[0] in wanted}
    right = [tuple(row.correct for row in pair) for pair in mine.values()]
    questions = {item or (scenario, seed, trial) for scenario, seed, item, trial, _ in mine}
    paired = Paired(right.count((False, True)), right.count((True, False)), len(mine))
    return Change(name, before, after, paired, clustered=len(questions) < len(mine))


def _rate(rows: Sequence[Row]) -> Rate:
    return Rate(sum(row.correct for row in rows), len(rows))


def _flips(found: Pairs) -> Iterator[Flip]:
    """Lost ones first."""
    flips = [
        Flip(
            **{name: getattr(one, name) for name in ("scenario", "seed", "trial", "item", "repeat", "expected")},
            before=(one.outcome, one.returned),
            after=(two.outcome, two.returned),
        )
        for one, two in found.both.values()
        if one.correct != two.correct
    ]
    yield from sorted(flips, key=lambda flip: not flip.lost)
