"""Sending what a pass lacks: directly, or in batches. And the end of a pass, as sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longctx.cases.case import Question
from longctx.live.asking import Progress, ask_all
from longctx.live.batches.claims import Batches
from longctx.live.batches.filling import fill
from longctx.live.bounds import Bounds
from longctx.live.canary import UNREADABLE
from longctx.live.failure import Asked
from longctx.live.interrupted import sends_the_rest
from longctx.live.server.clients import Clients
from longctx.plural import count
from longctx.recording.tape import Tape
from longctx.visible import visible

OWN_CAUSES = "pending", "canceled", UNREADABLE
"""The causes of failures that concern all trials, and that nothing else reports."""


@dataclass(frozen=True, slots=True)
class Sending:
    """What is needed to send requests and to record their answers."""

    clients: Clients
    tape: Tape
    bounds: Bounds
    progress: Progress
    batches: Batches | None = None
    """None to send directly."""

    async def directly(self, questions: Sequence[Question]) -> Asked:
        """Send these one by one, with as many in flight as the limit allows. Raises Interrupted after a signal."""
        asked = await ask_all(self.clients, self.tape, questions, self.bounds, self.progress)
        self.bounds.halt.check(self.tape)
        return asked

    async def all(self, questions: Sequence[Question], held: Sequence[Question] = ()) -> Asked:
        """Send these, and wait for what batches hold already."""
        if self.batches is not None:
            return await fill(self.batches, questions, held, self.directly, self.bounds.budget, self.progress)
        return await self.directly(questions) if questions else Asked()


def ending(what: str, asked: Asked, tape: Tape, outcomes: Sequence[str] = ()) -> Iterator[str]:
    """Yield what a user should know of a pass that has ended.

    what: how many of which were asked. outcomes: a sentence on each test and model, and one on the cost.
    """
    yield f"Asked {what}{f': {asked.stopped.message}' if asked.stopped else '.'}"
    yield from outcomes
    for (model, by), number in asked.others.items():
        yield f"{model} was asked for, but the server says that {visible(by)[:80]} answered {number:,} of them."
    if settled := asked.settled:
        yield f"Stopped early: {settled.message}"
    reported = [failure for failure in asked.failures.values() if not failure.fatal or failure.cause in OWN_CAUSES]
    for message, number in Counter(failure.message for failure in reported).items():
        yield f"{number:,} were not answered: {message}"
    if not asked.stopped and any(not failure.fatal for failure in asked.failures.values()):
        yield sends_the_rest(tape)
    if asked.stale:
        stale = count(asked.stale, "trial is", "trials are")
        yield f"{stale} stale, recorded for another request: --ctx-record new_episodes sends them again."
    for message, number in asked.errors.items():
        yield f"{number:,} ended with an error of the test: {message}"
