"""What a phase of a run has done so far, and the lines that say so."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from longctx.stats.rates import Rate


@dataclass(slots=True)
class Tally:
    """done, total: trials. work, work_done: what they take, in one unit, where that is known; 0 where it is not.
    rates: of each family on each model, in the order in which they were first met."""

    total: int
    work: int = 0
    done: int = 0
    work_done: int = 0
    failed: int = 0
    rates: dict[tuple[str, str], Rate] = field(default_factory=dict)

    def add(self, family: str, model: str, rate: Rate) -> None:
        before = self.rates.get((family, model), Rate(0, 0))
        self.rates[family, model] = Rate(before.correct + rate.correct, before.n + rate.n)

    def left(self, seconds: float) -> str | None:
        """How long the rest takes at the pace so far: of the work where it is known, else of the trials."""
        return time_left(seconds, self.work_done, self.work) if self.work else time_left(seconds, self.done, self.total)

    def rate_lines(self) -> list[tuple[str, str]]:
        """Whose rate, and the rate."""
        return [
            (
                f"{family} on {model}",
                f"{rate.correct:,} of {rate.n:,} correct, {rate.rate:.2f} [{rate.lo:.2f}, {rate.hi:.2f}]",
            )
            for (family, model), rate in self.rates.items()
            if rate.n
        ]


def time_left(seconds: float, done: int, total: int) -> str | None:
    """How long the rest takes at the pace of what was done in `seconds`; None where nothing tells it yet."""
    if not 0 < done < total:
        return None
    left = datetime.timedelta(seconds=round(seconds / done * (total - done)))
    return f"about {left} left"
