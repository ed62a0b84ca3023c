"""What a parameter costs within one run: the drop from its first value to each other, and the effective length.

The effective length is the longest at which, and at all shorter ones, accuracy is significantly at least a share of
that at the shortest. Source: A. Modarressi et al., "NoLiMa: Long-Context Evaluation Beyond Literal Matching", 2025,
arXiv:2502.05167, whose share is 85%.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from statistics import NormalDist
from typing import NamedTuple

from longctx.compare.pairs import Treatments, by_item, paired, params_of
from longctx.results.constant import guessing_of
from longctx.results.grouping import by_test, grouped
from longctx.results.row import Row, Subject
from longctx.stats.averaged import Averaged
from longctx.stats.mover import Sample, correlation, interval
from longctx.stats.paired import Paired
from longctx.stats.rates import Z95, Rate, rate_of
from longctx.stats.unpaired import Unpaired
from longctx.vocabulary.both import Both
from longctx.vocabulary.declaration import Protocol
from longctx.vocabulary.point import LENGTHS, length_of

SHARE = 0.85
"""NoLiMa's share of the rate at the shortest length."""
LENGTH = "length"
"""Stands for the parameter that gives the length of each test."""
ParamValue = int | float | str | None


class Ends(NamedTuple):
    """The ends of an interval."""

    lo: float
    hi: float


@dataclass(frozen=True, slots=True)
class Step:
    """One value of a parameter, compared with the first."""

    value: ParamValue
    rate: Rate
    difference: float
    """The accuracy minus that at the first value, on the same items if they correspond."""
    interval: tuple[float, float]
    retained: Ends
    """The interval of the accuracy minus a share of the accuracy at the first value, corrected for all values."""
    observed: bool
    """Whether the accuracy is that share, or more."""

    @property
    def shown(self) -> bool:
        """Whether the accuracy is shown to be at least the share."""
        return self.retained.lo >= 0

    @property
    def below(self) -> bool:
        """Whether the accuracy is shown to be less than the share."""
        return self.retained.hi < 0


@dataclass(frozen=True, slots=True)
class Curve:
    """The rates of one test and subject along a parameter."""

    test: str
    subject: Subject
    parameter: str
    first: ParamValue
    rate: Rate
    """That at the first value."""
    steps: tuple[Step, ...]
    paired: bool
    guessing: float
    left_out: int
    """How many trials are not on the curve, because their other parameters are not measured at all values."""
    pooled: bool
    """Whether no combination of the other parameters is measured at all values; accuracies are then over all."""

    @property
    def can_fall(self) -> bool:
        """Whether the rate at the first value is shown to exceed what guessing reaches."""
        return self.rate.correct > 0 and self.rate.lo > self.guessing

    @property
    def effective(self) -> tuple[ParamValue, ParamValue, ParamValue, bool]:
        """The longest length shown to retain the share, the longest observed to, the longest that may, and whether
        even longer ones than were measured may."""
        shown = [self.first, *(step.value for step in takewhile(lambda step: step.shown, self.steps))]
        observed = [self.first, *(step.value for step in takewhile(lambda step: step.observed, self.steps))]
        may = [self.first, *(step.value for step in takewhile(lambda step: not step.below, self.steps))]
        return shown[-1], observed[-1], may[-1], len(may) == len(self.steps) + 1


def curves(
    rows: Sequence[Row], tests: Mapping[str, Protocol], parameter: str = LENGTH, share: float = SHARE
) -> list[Curve]:
    """Return the curves of a run along a parameter that have at least two values. rows: the measured ones."""
    found: list[Curve] = []
    for name, subjects in by_test(rows, tests).items():
        for subject, group in subjects.items():
            found += _curve(_Group(name, tests.get(name), subject, group), parameter, share)
    return found


@dataclass(frozen=True, slots=True)
class _Group:
    """The rows of one test and subject."""

    name: str
    test: Protocol | None
    subject: Subject
    rows: Sequence[Row]


Cells = Mapping[tuple[tuple[str, object], ...], Sequence[Row]]
"""The rows with each combination of the other parameters."""


def _curve(of: _Group, along: str, share: float) -> Iterator[Curve]:
    """Yield the curve of a group, if a parameter has at least two values. along: its name, or LENGTH."""
    treatments = Treatments.of(of.test)
    params = params_of(of.rows, treatments.parameters)
    names = (of.test.context,) if of.test and of.test.context else LENGTHS
    parameter = length_of(next(iter(params.values())), names) if along == LENGTH else along
    if parameter is None:
        return

    def others(row: Row) -> tuple[tuple[str, object], ...]:
        return tuple((key, value) for key, value in params[row.cell].items() if key != parameter)

    placed = [row for row in of.rows if parameter in params[row.cell]]
    by_value = {
        value: grouped(group, others)
        for value, group in grouped(placed, lambda row: params[row.cell][parameter]).items()
    }
    common = set.intersection(*map(set, by_value.values())) if by_value else set()
    rows_of_value = {
        value: {cell: rows for cell, rows in cells.items() if cell in common or not common}
        for value, cells in by_value.items()
    }
    known = list(rows_of_value)
    if all(isinstance(value, int | float) for value in known):
        known.sort(key=lambda value: float(value or 0))
    if len(known) < 2:
        return
    first, *rest = known
    first_rows = [row for rows in rows_of_value[first].values() for row in rows]
    same_items = bool(common) and treatments.keeps_item(parameter)
    z = NormalDist().inv_cdf(1 - 0.025 / len(rest))
    yield Curve(
        of.name,
        of.subject,
        parameter,
        first,
        rate_of(first_rows),
        tuple(_step(value, rows_of_value[first], rows_of_value[value], same_items, share, z) for value in rest),
        same_items,
        guessing_of(of.test, first_rows),
        len(placed) - sum(len(rows) for cells in rows_of_value.values() for rows in cells.values()),
        not common,
    )


def _step(value: ParamValue, before: Cells, after: Cells, same_items: bool, share: float, z: float) -> Step:
    sides = Both(before, after).map(lambda cells: [row for rows in cells.values() for row in rows])
    rate = rate_of(sides.after)
    alike = 0.0
    change: Paired | Averaged | Unpaired | None = None
    if same_items:
        items = [
            item
            for cell in before
            for item in by_item(before[cell], after.get(cell, ()), lambda row: (row.seed, row.item, row.trial))
        ]
        sides = Both([row for item in items for row in item.before], [row for item in items for row in item.after])
        alike = correlation([(rate_of(first).rate, rate_of(second).rate) for first, second in items])
        change = paired(items)
    first, second = (
        Sample.of([[row.credit for row in rows] for rows in grouped(side, lambda row: row.identified[0]).values()])
        for side in sides
    )
    change = change or Unpaired(first, second)
    low, _ = interval(second, first, Z95, share, alike)
    _, high = interval(second, first, z, share, alike)
    observed = bool(second.rate.n) and second.rate.rate >= share * first.rate.rate
    return Step(value, rate, change.difference if change.n else 0.0, change.interval(), Ends(low, high), observed)
