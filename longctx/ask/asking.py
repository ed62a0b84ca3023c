"""The asking pass: one process asks what the tape lacks, in an order that lets prompts share their beginning.

Workers take questions from one ordered list, so neighbours are asked close together; each answer is on the tape
before the next question of that worker. What cannot be asked keeps its typed cause.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from anthropic import AsyncAnthropic

from longctx.ask.case import Question
from longctx.ask.client import Failure, explain
from longctx.ask.money import Budget, estimated_cost
from longctx.ask.reply import read_message
from longctx.ask.request import parameters
from longctx.ask.tape import WANTED, Tape, Wanted
from longctx.ask.transport import UNRECORDED
from longctx.scenarios.base import Reply, Trial


class Progress(Protocol):
    """Told of every question as it goes to the server, and as it ends."""

    def started(self, question: Question) -> None: ...

    def ended(self, question: Question, trial: Trial, result: Reply | Failure) -> None: ...


@dataclass(slots=True)
class Asked:
    """What an asking pass did: how many were answered, and why the others were not, by `Question.key`.

    stopped: what kept it from asking on. settled: why the rest needed no asking.
    """

    answered: int = 0
    failures: dict[str, Failure] = field(default_factory=dict)
    stopped: Failure | None = None
    settled: Failure | None = None

    def add(self, other: Asked) -> None:
        """What a further round did."""
        self.answered += other.answered
        self.failures |= other.failures
        self.stopped = other.stopped


async def ask_all(
    client: AsyncAnthropic,
    tape: Tape,
    questions: Sequence[Question],
    in_flight: int,
    budget: Budget,
    progress: Progress,
) -> Asked:
    """Ask with at most `in_flight` requests at once. Never raises for what a server does."""
    asked = Asked()
    queue = iter(questions)
    settled = asyncio.Condition()
    workers = (_work(client, tape, queue, budget, settled, progress, asked) for _ in range(in_flight))
    await asyncio.gather(*workers)
    for question in queue:
        asked.failures[question.key] = asked.stopped or Failure("not_asked", "not reached")
    return asked


async def _work(
    client: AsyncAnthropic,
    tape: Tape,
    queue: Iterator[Question],
    budget: Budget,
    settled: asyncio.Condition,
    progress: Progress,
    asked: Asked,
) -> None:
    while asked.stopped is None and (question := next(queue, None)) is not None:
        model = question.case.model
        estimate = estimated_cost(model, question.case.size_tokens, question.case.reply_tokens) or 0.0
        if not await _room(budget, estimate, settled, asked):
            cap = Failure("budget", f"the cap of ${budget.cap:,.2f} leaves no room for it", fatal=True)
            asked.stopped = asked.stopped or cap
            asked.failures[question.key] = asked.stopped
            return
        progress.started(question)
        trial = question.build()
        result = await _ask(client, tape, question, trial)
        if isinstance(result, Reply):
            asked.answered += 1
        else:
            asked.failures[question.key] = result
            if result.fatal:
                asked.stopped = result
        async with settled:
            budget.settle(estimate, result if isinstance(result, Reply) else None, model.prices)
            settled.notify_all()
        progress.ended(question, trial, result)


async def _room(budget: Budget, estimate: float, settled: asyncio.Condition, asked: Asked) -> bool:
    """Take room for a request, waiting while what is in flight may yet cost less than was reserved for it."""
    async with settled:
        await settled.wait_for(lambda: asked.stopped or budget.has_room(estimate) or not budget.in_flight)
        return asked.stopped is None and budget.take(estimate)


async def _ask(client: AsyncAnthropic, tape: Tape, question: Question, trial: Trial) -> Reply | Failure:
    model = question.case.model
    wanted = Wanted.of(question, trial)
    WANTED.set(wanted)
    try:
        raw = await client.messages.with_raw_response.create(
            **parameters(trial, model), extra_body=model.extra_body or None
        )
        if error := raw.http_response.extensions.get(UNRECORDED):
            raise error
        reply = tape.reply(wanted)
        if reply is None:
            read_message(raw.http_response.content)
            raise AssertionError("an answered question is not on the tape")
    except Exception as error:
        return explain(error, client)
    return reply
