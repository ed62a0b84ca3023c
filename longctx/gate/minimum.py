"""Which scenarios are shown to lie below the minimum rate they must meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longctx.stats.rates import Rate, below, holm

ALPHA = 0.05
"""The chance that a run of scenarios that all meet their minimum is called short of it."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A scenario's rate and the least it must be."""

    rate: Rate
    minimum: float

    @property
    def p_value(self) -> float:
        return below(self.rate.correct, self.rate.n, self.minimum)

    def __str__(self) -> str:
        return f"rate {self.rate} is shown to lie below the minimum of {self.minimum:g} (p = {self.p_value:.2g})"


def short(requirements: Sequence[Requirement]) -> list[bool]:
    """Which are shown to be short of their minimum: exact binomial, one-sided, Holm over all of a run."""
    return holm([requirement.p_value for requirement in requirements], ALPHA)


def short_among(requirement: Requirement, number: int) -> bool:
    """Holm's first step: short whatever the other of `number` requirements show. What it finds, `short` finds."""
    return requirement.p_value <= ALPHA / max(1, number)
