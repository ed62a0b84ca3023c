"""The live progress of the asking pass; an output that is not a terminal only gets a line on long waits."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from longctx.live.cost.money import paid, usd
from longctx.live.display import Display, open_display
from longctx.live.failure import Failure
from longctx.live.tally import Tally
from longctx.recording.case import Question
from longctx.stats.rates import Rate
from longctx.vocabulary.scenario import Reply, Trial

if TYPE_CHECKING:
    from longctx.live.asking import Progress
    from longctx.live.waiting import Say

PAUSE_S = 0.1
"""The seconds from a change until it is drawn, together with all later changes."""


@contextlib.contextmanager
def live_progress(questions: Sequence[Question], say: Say) -> Iterator[Progress]:
    """Show the progress of asking the questions; if it cannot be drawn, only print what is waited for."""
    tally = Tally(len(questions), sum(map(_work, questions)))
    live = open_display(sys.stderr, "asking", tally, keep=False) if questions else None
    if live is None:
        yield Plain(say)
        return
    progress = AskingProgress(tally, live)
    try:
        yield progress
    finally:
        progress.settle()
        live.close()


def _work(question: Question) -> int:
    """Return the tokens of a question's prompt and reply, as a measure of the time that asking takes."""
    return question.case.size_tokens + question.case.reply_tokens


class Silent:
    """A progress that shows nothing."""

    def in_flight(self, number: int) -> None:
        pass

    def waiting(self, silent_s: float, what: str) -> None:
        pass

    def ended(self, question: Question, trial: Trial, result: Reply | Failure) -> None:
        pass


class Plain(Silent):
    """A progress that prints what is waited for: at the first silence, then whenever one is three times as long."""

    def __init__(self, say: Say) -> None:
        self._say, self._worth_a_line_s = say, 0.0

    def waiting(self, silent_s: float, what: str) -> None:
        if silent_s >= self._worth_a_line_s:
            still = f"Still waiting, after {silent_s:,.0f} s," if self._worth_a_line_s else "Waiting"
            self._worth_a_line_s = 3 * silent_s
            self._say(f"{still} for {what} …")


class AskingProgress:
    """A progress that counts what is asked and draws it after a short delay, because drawing is slow."""

    def __init__(self, tally: Tally, live: Display) -> None:
        self._tally, self._live = tally, live
        self._in_flight = self._tokens = 0
        self._cost: float | None = 0.0
        self._drawing: asyncio.TimerHandle | None = None
        self._waiting: str | None = None

    def waiting(self, silent_s: float, what: str) -> None:
        self._waiting = f"waiting for {what}"
        self._soon()

    def in_flight(self, number: int) -> None:
        self._in_flight = number
        self._soon()

    def ended(self, question: Question, trial: Trial, result: Reply | Failure) -> None:
        self._waiting = None
        self._tally.done += 1
        self._tally.work_done += _work(question)
        if isinstance(result, Reply):
            self._answered(question, trial, result)
        else:
            self._tally.failed += 1
        self._soon()

    def settle(self) -> None:
        """Draw pending changes at once."""
        if self._drawing:
            self._drawing.cancel()
            self._show()

    def _answered(self, question: Question, trial: Trial, reply: Reply) -> None:
        self._tokens += reply.input_tokens + reply.output_tokens
        spent = paid(question.case.model.prices, reply)
        # If any price is unknown, no sum is shown: it would look like the whole cost.
        self._cost = None if spent is None or self._cost is None else self._cost + spent
        # If judging an unforeseen reply raises, its test reports it, and the asking goes on.
        with contextlib.suppress(Exception):
            correct = question.case.scenario.judge(trial, reply).kind == "correct"
            self._tally.add(question.case.scenario.family, question.case.model.model, Rate(int(correct), 1))

    def _soon(self) -> None:
        if self._drawing is None:
            self._drawing = asyncio.get_running_loop().call_later(PAUSE_S, self._show)

    def _show(self) -> None:
        self._drawing = None
        tally = self._tally
        self._live.show(
            f"{tally.done:,} of {tally.total:,} trials",
            f"{self._tokens:,} tokens",
            None if self._cost is None else usd(self._cost),
            f"{self._in_flight} in flight",
            f"{tally.failed:,} failed" if tally.failed else None,
            self._waiting,
        )
