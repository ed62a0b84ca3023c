"""The live display: lines on a terminal that are redrawn while a run works. Other outputs get nothing."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from longctx import clocks
from longctx.stats.rates import Rate
from longctx.vocabulary.point import MEASURED

if TYPE_CHECKING:
    from rich.console import Console, Group

    from longctx.config.models import Prices
    from longctx.vocabulary.answer import Answer


def open_display(stream: TextIO, doing: str, tally: Tally, *, keep: bool, pause: float = 0) -> Display | None:
    """Open a display of `tally` on a stream; return None if the stream is not a terminal that can redraw lines.

    doing: the word for what is counted. keep: whether the lines stay after closing. pause: the least seconds between
    two drawings.
    """
    if not stream.isatty():
        return None
    from rich.console import Console

    console = Console(file=stream)
    # rich heeds TERM=dumb and TTY_COMPATIBLE; FORCE_COLOR makes no terminal of a file, hence isatty above.
    if not console.is_terminal or console.is_dumb_terminal:
        return None
    return Display(console, doing, tally, keep, pause)


class Display:
    """A line with the progress, and a line with the rate so far of each test and model.

    It is drawn by the calls of `show`, without a clock or its own thread.
    """

    def __init__(self, console: Console, doing: str, tally: Tally, keep: bool, pause: float) -> None:
        from rich.live import Live as Drawn

        self._doing, self._tally, self._details = doing, tally, ""
        self._started = clocks.monotonic()
        self._pause, self._next = pause, 0.0
        self._drawn = Drawn(
            console=console,
            auto_refresh=False,
            transient=not keep,
            redirect_stdout=False,
            redirect_stderr=False,
            get_renderable=self._lines,
        )
        self._drawn.start()

    def show(self, *details: str | None) -> None:
        """Draw the current tally and these details, except None."""
        self._details = ", ".join(filter(None, details))
        now = clocks.monotonic()
        if now >= self._next:
            self._drawn.refresh()
            self._next = clocks.monotonic() + self._pause

    def close(self) -> None:
        """Draw the last state and end the display."""
        self._drawn.stop()

    def _lines(self) -> Group:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        tally = self._tally
        left = tally.left(clocks.monotonic() - self._started)
        head = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=tally.total, completed=tally.done, width=20)
        head.add_row(self._doing, bar, Text(", ".join(filter(None, (self._details, left)))))
        rates = Table.grid(padding=(0, 2))
        for name, rate in tally.rate_lines():
            rates.add_row(Text(f"  {name}"), Text(rate))
        return Group(head, rates) if tally.rates else Group(head)


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
    kinds: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """How the trials of each (test, model) have ended."""
    answers: int = 0
    tokens: int = 0
    """The tokens of prompts and replies."""
    cost: float | None = 0.0
    """The cost in USD; None if it is not known."""

    def begin(self, total: int) -> None:
        """Begin another part of the phase, of this many trials. Outcomes, tokens and cost are those of all parts."""
        self.total, self.done, self.failed = total, 0, 0

    def answered(self, answer: Answer, prices: Prices | None) -> None:
        """Count the tokens of an answer, and what it cost."""
        from longctx.live.cost.money import paid  # a replay counts with a tally, too, and needs no prices

        self.answers += 1
        self.tokens += answer.input_tokens + answer.output_tokens
        spent = paid(prices, answer)
        # If any price is unknown, no sum is shown: it would look like the whole cost.
        self.cost = None if spent is None or self.cost is None else self.cost + spent

    def ended(self, group: tuple[str, str], kind: str) -> None:
        """Count how a trial has ended; its rate counts only measured outcomes."""
        self.kinds[group][kind] += 1
        if kind in MEASURED:
            self.add(*group, Rate(int(kind == "correct"), 1))

    def add(self, test: str, model: str, rate: Rate) -> None:
        before = self.rates.get((test, model), Rate(0, 0))
        self.rates[test, model] = Rate(before.correct + rate.correct, before.n + rate.n)

    @property
    def rate(self) -> Rate:
        """The rate so far of all tests and models."""
        rates = list(self.rates.values())  # a copy: another thread may add one
        return Rate(sum(rate.correct for rate in rates), sum(rate.n for rate in rates))

    def left(self, seconds: float) -> str | None:
        """Return the time left at the pace so far, by work if it is known, else by trials."""
        return time_left(seconds, self.work_done, self.work) if self.work else time_left(seconds, self.done, self.total)

    def rate_lines(self) -> list[tuple[str, str]]:
        """Return the name and the accuracy of each test and model."""
        return [
            (
                f"{test} on {model}",
                f"{rate.correct:,} of {rate.n:,} correct, {rate.rate:.2f} [{rate.lo:.2f}, {rate.hi:.2f}]",
            )
            for (test, model), rate in list(self.rates.items())
            if rate.n
        ]


def time_left(seconds: float, done: int, total: int) -> str | None:
    """Return the time left at the pace of what was done in `seconds`; None before the first and after the last step."""
    if not 0 < done < total:
        return None
    left = datetime.timedelta(seconds=round(seconds / done * (total - done)))
    return f"about {left} left"
