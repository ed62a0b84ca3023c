"""The test of cells against the minimum rate that they must reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from longctx.stats.rates import Rate, holm, rate_of

if TYPE_CHECKING:
    from longctx.results.row import Row

Key = TypeVar("Key")
ALPHA = 0.05
"""The probability that any cell of a run fails although all reach their minimum."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A cell's rate, and the minimum that it must reach."""

    rate: Rate
    minimum: float

    @classmethod
    def of(cls, rows: Sequence[Row], minimum: float | None) -> Requirement | None:
        """Return what the trials of a cell are tested for; None without a minimum, or if any was not measured.

        The test needs a number of trials that was fixed before any answer was seen.
        """
        if minimum is None or not all(row.measured for row in rows):
            return None
        return cls(rate_of(rows), minimum)

    @property
    def p_value(self) -> float:
        return self.rate.p_below(self.minimum)

    def __str__(self) -> str:
        return (
            f"accuracy {self.rate.rate:.2f} < {self.minimum:g}: {self.rate} is significantly below min_rate "
            f"(p = {self.p_value:.2g})"
        )


def requirements_of(rows: Sequence[Row], min_rates: Mapping[str, float]) -> dict[str, Requirement]:
    """Return what the cells of a run are tested for, by `cell_name`. min_rates: by the same names."""
    from longctx.results.cell_names import cell_name
    from longctx.results.grouping import grouped

    trials = grouped(rows if min_rates else (), lambda row: cell_name(row.test, row.cell, row.subject))
    required = {name: Requirement.of(group, min_rates.get(name)) for name, group in trials.items()}
    return {name: requirement for name, requirement in required.items() if requirement}


def shortfalls(required: Iterable[tuple[Key, Requirement]]) -> list[tuple[Key, Requirement]]:
    """Return the requirements, each with its key, whose accuracies are significantly below their minimum."""
    pairs = list(required)
    are_short = below_minimum([requirement for _, requirement in pairs])
    return [pair for pair, is_short in zip(pairs, are_short, strict=True) if is_short]


def below_minimum(requirements: Sequence[Requirement]) -> list[bool]:
    """Return which rates are significantly below their minimum: one-sided exact binomial tests, Holm over the run."""
    return holm([requirement.p_value for requirement in requirements], ALPHA)


def below_minimum_among(requirement: Requirement, number: int) -> bool:
    """Return whether Holm's first step among `number` requirements shows the accuracy to be below its minimum.

    What it shows holds whatever the other requirements show, and `below_minimum` shows it too.
    """
    return requirement.p_value <= ALPHA / max(1, number)
