"""The test of scenarios against the minimum rate that they must reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longctx.stats.rates import Rate, below, holm

ALPHA = 0.05
"""The probability that any scenario of a run fails although all reach their minimum."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A scenario's rate, and the minimum that it must reach."""

    rate: Rate
    minimum: float

    @property
    def p_value(self) -> float:
        return below(self.rate.correct, self.rate.n, self.minimum)

    def __str__(self) -> str:
        return f"rate {self.rate} is shown to lie below the minimum of {self.minimum:g} (p = {self.p_value:.2g})"


def below_minimum(requirements: Sequence[Requirement]) -> list[bool]:
    """Return which rates are shown to be below their minimum: one-sided exact binomial tests, Holm over the run."""
    return holm([requirement.p_value for requirement in requirements], ALPHA)


def below_minimum_among(requirement: Requirement, number: int) -> bool:
    """Return whether Holm's first step among `number` requirements shows the rate to be below its minimum.

    What it shows holds whatever the other requirements show, and `below_minimum` shows it too.
    """
    return requirement.p_value <= ALPHA / max(1, number)
