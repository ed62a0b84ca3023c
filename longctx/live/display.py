"""The live display: lines on a terminal that are redrawn while a run works. Other outputs get nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from longctx import clocks
from longctx.live.tally import Tally

if TYPE_CHECKING:
    from rich.console import Console, Group


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

    It is drawn by the calls of `show`, without a clock or a thread of its own.
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
        """Draw the current tally and these details; those that are None are left out."""
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
