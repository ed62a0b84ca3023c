"""The live progress of the live pass: drawn on a terminal, and elsewhere a line a minute, and one on long waits."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from longctx.live.display import Display, Tally, open_display
from longctx.live.failure import Failure
from longctx.live.watch import Timer
from longctx.recording.request import Request
from longctx.text import usd
from longctx.vocabulary.answer import Answer

if TYPE_CHECKING:
    from longctx.live.watch import Say

PAUSE_S = 0.1
"""The seconds from a change until it is drawn, together with all later changes."""
LINE_S = 60.0
"""The seconds from one line to the next where nothing can be drawn."""


class Progress(Protocol):
    """The display of a live pass.

    It is called with the number of requests in flight and a note on their limit, with each request that ends, and,
    while none ends, with the seconds of silence and what is waited for.
    """

    def in_flight(self, number: int, note: str = "") -> None: ...

    def waiting(self, silent_s: float, what: str) -> None: ...

    def ended(self, request: Request, result: Answer | Failure) -> None: ...


@contextlib.contextmanager
def live_progress(tally: Tally, say: Say) -> Iterator[Progress]:
    """Show the progress of a live pass, which counts on the tally."""
    live = open_display(sys.stderr, "asking", tally, keep=False) if tally.total else None
    if live is None:
        lines = Lines(tally, say, asyncio.get_running_loop())
        try:
            yield lines
        finally:
            lines.close()
        return
    progress = AskingProgress(tally, live)
    try:
        yield progress
    finally:
        progress.settle()
        live.close()


class Silent:
    """A progress that shows nothing."""

    def in_flight(self, number: int, note: str = "") -> None:
        pass

    def waiting(self, silent_s: float, what: str) -> None:
        pass

    def ended(self, request: Request, result: Answer | Failure) -> None:
        pass


class Lines(Silent):
    """A progress that prints a line a minute, and what is waited for.

    The latter at the first silence, and then whenever one is three times as long.
    """

    def __init__(self, tally: Tally, say: Say, clock: Timer) -> None:
        self._tally, self._say, self._clock = tally, say, clock
        self._began, self._worth_a_line_s = clock.time(), 0.0
        self._in_flight = ""
        self._timer = clock.call_later(LINE_S, self._line)

    def waiting(self, silent_s: float, what: str) -> None:
        if silent_s >= self._worth_a_line_s:
            still = f"Still waiting, after {silent_s:,.0f} s," if self._worth_a_line_s else "Waiting"
            self._worth_a_line_s = 3 * silent_s
            self._say(f"{still} for {what} …")

    def in_flight(self, number: int, note: str = "") -> None:
        self._in_flight = f"{number} in flight{note}"

    def close(self) -> None:
        """Print no more."""
        self._timer.cancel()

    def _line(self) -> None:
        tally = self._tally
        details = (
            f"{tally.done:,} of {tally.total:,} trials",
            f"{tally.rate.rate:.2f} correct" if tally.rate.n else None,
            None if tally.cost is None else usd(tally.cost),
            self._in_flight,
            f"{tally.failed:,} failed" if tally.failed else None,
            tally.left(self._clock.time() - self._began),
        )
        self._say(f"Asking: {', '.join(filter(None, details))}.")
        self._timer = self._clock.call_later(LINE_S, self._line)


class AskingProgress(Silent):
    """A progress that draws the tally after a short delay, because drawing is slow."""

    def __init__(self, tally: Tally, live: Display) -> None:
        self._tally, self._live = tally, live
        self._in_flight = "0 in flight"
        self._drawing: asyncio.TimerHandle | None = None
        self._waiting: str | None = None

    def waiting(self, silent_s: float, what: str) -> None:
        self._waiting = f"waiting for {what}"
        self._soon()

    def in_flight(self, number: int, note: str = "") -> None:
        self._in_flight = f"{number} in flight{note}"
        self._soon()

    def ended(self, request: Request, result: Answer | Failure) -> None:
        self._waiting = None
        self._soon()

    def settle(self) -> None:
        """Draw pending changes at once."""
        if self._drawing:
            self._drawing.cancel()
            self._show()

    def _soon(self) -> None:
        if self._drawing is None:
            self._drawing = asyncio.get_running_loop().call_later(PAUSE_S, self._show)

    def _show(self) -> None:
        self._drawing = None
        tally = self._tally
        self._live.show(
            f"{tally.done:,} of {tally.total:,} trials",
            f"{tally.tokens:,} tokens",
            None if tally.cost is None else usd(tally.cost),
            self._in_flight,
            f"{tally.failed:,} failed" if tally.failed else None,
            self._waiting,
        )
