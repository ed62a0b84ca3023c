"""The count of what a phase of a run has done so far, and its lines for the display."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from longctx.stats.rates import Rate

if TYPE_CHECKING:
    from longctx.config.models import Prices
    from longctx.vocabulary.cell import Reply


@dataclass(slots=True)
class Tally:
    """The progress of a phase."""

    total: int
    """The number of trials."""
    work: int = 0
    """The expected effort of all trials, in any unit; 0 if it is not known."""
    done: int = 0
    work_done: int = 0
    failed: int = 0
    rates: dict[tuple[str, str], Rate] = field(default_factory=dict)
    """The rate so far of each (test, model)."""
    tokens: int = 0
    """The tokens of prompts and replies."""
    cost: float | None = 0.0
    """The cost in USD; None if it is not known."""

    def answered(self, reply: Reply, prices: Prices | None) -> None:
        """Count the tokens of a reply, and what it cost."""
        from longctx.live.cost.money import paid  # a replay counts with a tally, too, and needs no prices

        self.tokens += reply.input_tokens + reply.output_tokens
        spent = paid(prices, reply)
        # If any price is unknown, no sum is shown: it would look like the whole cost.
        self.cost = None if spent is None or self.cost is None else self.cost + spent

    def add(self, test: str, model: str, rate: Rate) -> None:
        before = self.rates.get((test, model), Rate(0, 0))
        self.rates[test, model] = Rate(before.correct + rate.correct, before.n + rate.n)

    @property
    def rate(self) -> Rate:
        """The rate so far of all tests and models."""
        return Rate(sum(rate.correct for rate in self.rates.values()), sum(rate.n for rate in self.rates.values()))

    def left(self, seconds: float) -> str | None:
        """Return the time left at the pace so far, by work if it is known, else by trials."""
        return time_left(seconds, self.work_done, self.work) if self.work else time_left(seconds, self.done, self.total)

    def rate_lines(self) -> list[tuple[str, str]]:
        """Return the name and the rate of each test and model."""
        return [
            (
                f"{test} on {model}",
                f"{rate.correct:,} of {rate.n:,} correct, {rate.rate:.2f} [{rate.lo:.2f}, {rate.hi:.2f}]",
            )
            for (test, model), rate in self.rates.items()
            if rate.n
        ]


def time_left(seconds: float, done: int, total: int) -> str | None:
    """Return the time left at the pace of what was done in `seconds`; None if nothing or everything is done."""
    if not 0 < done < total:
        return None
    left = datetime.timedelta(seconds=round(seconds / done * (total - done)))
    return f"about {left} left"
