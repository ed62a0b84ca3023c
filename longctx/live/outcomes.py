"""The outcomes of a live pass: each answer is judged and priced once, as it arrives."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from longctx.cells.cell import Group
from longctx.live.canary import Canary
from longctx.live.display import Tally
from longctx.live.failure import NOT_ASKED, Failure
from longctx.recording.request import Request
from longctx.text import count, usd
from longctx.vocabulary.answer import Answer

if TYPE_CHECKING:
    from longctx.live.progress import Progress

NOT_JUDGED = "not judged"
"""Stands for an outcome of replies that cannot be judged, such as questions that a model wrote."""


class Outcomes:
    """A progress that adds outcomes, tokens and cost to a tally, and forwards every event to the progress display.

    canary: notes how each trial ends.
    """

    def __init__(self, tally: Tally, shown: Progress, canary: Canary | None = None) -> None:
        self._tally, self._shown, self._canary = tally, shown, canary or Canary({}, None)
        self.output_tokens: dict[Group, list[int]] = defaultdict(list)
        """The output tokens of each answer, thinking included."""

    def in_flight(self, number: int, note: str = "") -> None:
        self._shown.in_flight(number, note)

    def waiting(self, silent_s: float, what: str) -> None:
        self._shown.waiting(silent_s, what)

    def ended(self, request: Request, result: Answer | Failure) -> None:
        tally = self._tally
        if isinstance(result, Failure) and result.cause == NOT_ASKED:
            self._canary.failed(request.cell.group)
            return
        tally.done += 1
        tally.work_done += work(request)
        if isinstance(result, Answer):
            self._answered(request, result)
        else:
            tally.failed += 1
            self._canary.failed(request.cell.group)
        self._shown.ended(request, result)

    def _answered(self, request: Request, answer: Answer) -> None:
        tally, group = self._tally, request.cell.group
        tally.answered(answer, request.model.prices)
        self.output_tokens[group].append(answer.output_tokens)
        kind = NOT_JUDGED
        if request.built and request.built.judge:
            # If judging an unforeseen answer raises, its test reports it, and the asking goes on.
            with contextlib.suppress(Exception):
                kind = request.built.judge(answer).kind
            tally.ended(group, kind)
        self._canary.ended(group, kind, answer.text)


def sentences(tally: Tally) -> Iterator[str]:
    """Yield the outcomes of each test and model, and what the answers cost."""
    for (test, model), rate in tally.rates.items():
        listed = ", ".join(f"{n:,} {kind}" for kind, n in tally.kinds[test, model].most_common() if kind != "correct")
        yield (
            f"{test} on {model}: {rate.correct:,} of {rate.n:,} correct, "
            f"{rate.rate:.2f} [{rate.lo:.2f}, {rate.hi:.2f}]{f'; {listed}' if listed else ''}."
        )
    if tally.answers:
        answers = count(tally.answers, "answer")
        yield f"The cost of {answers} is not known." if tally.cost is None else f"{answers} cost {usd(tally.cost)}."


def work(request: Request) -> int:
    """Return the tokens of a request and of its reply, as a measure of how long it takes."""
    return request.tokens.prompt + request.tokens.reply
