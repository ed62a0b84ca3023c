"""A live run, from cases to answers on the tape.

It learns from the server what is not known of the models, tells the price, and asks what the tape lacks.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from longctx import clocks
from longctx.cases.case import Case, Group, Question
from longctx.cases.reply_tokens import ReplyTokens
from longctx.errors import Interrupted, UserError
from longctx.files import check_writable
from longctx.live import interrupted
from longctx.live.asking import Asked, Progress, ask_all
from longctx.live.batches.claims import Batches, BatchTerms
from longctx.live.batches.filling import fill, pending
from longctx.live.batches.ledger import each_once, place_in
from longctx.live.batches.service import Service, check_provider
from longctx.live.bounds import Bounds
from longctx.live.canary import UNREADABLE, Canary, first
from longctx.live.cost.estimate import estimate, total_price
from longctx.live.cost.money import check_cap, check_default_cap
from longctx.live.estimating import (
    BUILT,
    fitted,
    say_estimate,
    say_misfits,
    say_unused,
    still_fitting,
    with_recorded_replies,
    with_sharing,
)
from longctx.live.failure import Unasked
from longctx.live.interrupted import Halt
from longctx.live.outcomes import Outcomes, work
from longctx.live.server.calibrate import calibrate
from longctx.live.server.clients import open_clients
from longctx.live.server.counting import counted
from longctx.live.server.providers import Client, provider_of
from longctx.live.tally import Tally
from longctx.live.waiting import Say, waiting
from longctx.recording.missing import missing
from longctx.recording.tape import NotRecorded, Tape, Wanted
from longctx.visible import visible
from longctx.workspace import Workspace

Result = TypeVar("Result")
AskQuestions = Callable[[Sequence[Question]], Awaitable[Asked]]
AskingOrder = Callable[[Sequence[Case], Sequence[Question], AskQuestions], Awaitable[Asked]]
"""A function that decides what is asked when.

It is called with the cases, the questions that the tape lacks, and a function that asks some of them.
"""


class AskingObserver(Protocol):
    """An observer that is told before the asking what will not be asked. Its methods may raise to end the run."""

    def passed_over(self, question: Question, wanted: Wanted) -> None:
        """The record mode does not ask this question."""

    def ready(self, unasked: Sequence[Unasked]) -> None:
        """Everything else will be asked, except these cases."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of an asking pass.

    base_url: None for the SDK's own. in_flight: the most requests at once. max_cost: USD; None for no cap. batch:
    whether to ask in batches. batch_wait_s: how long to wait for them; None to wait until they end. canary: whether to
    ask a few trials of each family first.
    """

    base_url: str | None = None
    in_flight: int = 4
    max_cost: float | None = None
    stated_cap: bool = True
    """Whether the user stated the cap; if not, a run that is estimated to cost more is refused."""
    batch: bool = False
    batch_wait_s: float | None = None
    canary: bool = True


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a live run.

    to_ask: the number of questions to ask. unasked: the cases that their model cannot be asked, and why. outcomes: a
    sentence on each family and model, and one on the cost. spent: USD, of those prices that are known.
    """

    asked: Asked
    to_ask: int
    unasked: tuple[Unasked, ...]
    outcomes: tuple[str, ...] = ()
    spent: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether every question was answered, or did not need to be asked."""
        return all(failure == self.asked.settled for failure in self.asked.failures.values()) and not self.unasked

    def sentences(self) -> Iterator[str]:
        """Yield what a user should know of the asking."""
        asked = self.asked
        stopped = f": {asked.stopped.message}" if asked.stopped else ""
        yield f"Asked {asked.answered:,} of {self.to_ask:,} trials{stopped}"
        yield from self.outcomes
        for (model, by), number in asked.others.items():
            yield f"{model} was asked for, but the server says that {visible(by)[:80]} answered {number:,} of them."
        if asked.settled:
            yield f"Stopped early: {asked.settled.message}"
        reported = [
            failure
            for failure in asked.failures.values()
            if not failure.fatal or failure.cause in ("pending", "canceled", UNREADABLE)
        ]
        for message, number in Counter(failure.message for failure in reported).items():
            yield f"{number:,} were not answered: {message}"


def ask_live(
    workspace: Workspace,
    tape: Tape,
    cases: Sequence[Case],
    terms: Terms,
    say: Say,
    progress: Callable[[Tally, Say], AbstractContextManager[Progress]],
    order: AskingOrder | None = None,
    observer: AskingObserver | None = None,
    halt: Halt | None = None,
) -> Done:
    """Ask what the tape lacks.

    say: prints a sentence. progress: opens the display of a tally. order: decides the order if not everything
    is asked in one go. observer: told what will not be asked. halt: stops the asking from another thread. Raises
    UserError if nothing could be asked for a reason that concerns all trials, and Interrupted.
    """
    to_ask: list[int] = []
    halt = halt or Halt()
    done = stoppable(
        lambda: _ask(workspace, tape, cases, terms, say, progress, order, observer, to_ask.append, halt),
        halt,
        say,
        lambda: interrupted.sentence(tape, sum(to_ask)),
    )
    stopped = done.asked.stopped
    if stopped and not done.asked.answered and stopped.cause != "budget":
        raise UserError("nothing-answered", stopped.message)
    for sentence in done.sentences():
        say(sentence)
    if not stopped and any(not failure.fatal for failure in done.asked.failures.values()):
        say(interrupted.sends_the_rest(tape))
    return done


def stoppable(ask: Callable[[], Coroutine[Any, Any, Result]], halt: Halt, say: Say, kept: Callable[[], str]) -> Result:
    """Run an asking pass that signals stop. kept: returns a sentence on what is kept. Raises Interrupted, UserError."""

    async def with_signals() -> Result:
        with halt.on_signals(say):
            return await ask()

    try:
        return clocks.run(with_signals())
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise Interrupted("interrupted", kept()) from None
    except NotRecorded as error:  # the answer of a batch; that of a direct request is kept as a failure
        raise UserError(
            "answers-not-kept",
            f"{error} Its batch still has it: free some disk space, and give the same command again.",
        ) from None


async def _ask(
    workspace: Workspace,
    tape: Tape,
    cases: Sequence[Case],
    terms: Terms,
    say: Say,
    progress: Callable[[Tally, Say], AbstractContextManager[Progress]],
    order: AskingOrder | None,
    observer: AskingObserver | None,
    count: Callable[[int], object],
    halt: Halt,
) -> Done:
    """Ask with the client of the provider. count: called with the number of questions to ask, once it is known."""
    models = [case.model for case in cases]
    check_cap(terms.max_cost if terms.stated_cap else None, models)
    if terms.batch:
        check_provider(models)
    providers = " and ".join(dict.fromkeys(map(provider_of, models)))
    async with contextlib.AsyncExitStack() as stack:
        with waiting(say, f"what a client of {providers} needs to be opened"):
            clients = await stack.enter_async_context(open_clients(tape, terms.base_url, terms.in_flight, models))
        batches = await open_batches(clients.first, tape, terms, say)
        calibrated, uncounted = [], []
        for client, of_client in clients.grouped(cases, lambda case: case.model):
            of_server = await calibrate(workspace, client, of_client, say)
            calibrated += of_server[0]
            uncounted += of_server[1]
        fit, unfit = fitted(with_recorded_replies(tape, calibrated))
        with waiting(say, BUILT):
            lacking = missing(tape, fit, observer.passed_over if observer else None)
        if terms.batch:
            lacking = each_once(lacking)
        claimed = batches.held()
        held = [question for question in lacking if place_in(question) in claimed]
        free = [question for question in lacking if place_in(question) not in claimed.keys() | batches.collected]
        counts = [
            await counted(client, of_client, say)
            for client, of_client in clients.grouped(free, lambda question: question.case.model)
        ]
        known, too_long = still_fitting([question for of_client in counts for question in of_client])
        unfit += too_long
        if observer:
            observer.ready((*uncounted, *unfit))
        say_misfits(say, unfit)
        questions = with_sharing(known, terms.batch)
        estimates = say_estimate(say, fit, questions, batch=terms.batch)
        if terms.max_cost is not None and not terms.stated_cap:
            check_default_cap(total_price(estimates, terms.batch), terms.max_cost)
        say_unused(say, tape, questions, terms.batch)
        if questions:
            check_writable(tape.written_to)
        to_ask = len(questions) + len(held)
        count(to_ask)
        bounds = Bounds.of(terms.in_flight, terms.max_cost, halt)
        tally = Tally(to_ask, sum(map(work, [*questions, *held])))
        with progress(tally, say) as shown:
            sizes = Counter(question.case.group for question in [*questions, *held])
            canary = Canary(sizes, say if terms.canary else None, text=tape.keeps)
            outcomes = Outcomes(tally, shown, canary)

            async def ask_some(some: Sequence[Question]) -> Asked:
                asked = await ask_all(clients, tape, some, bounds, outcomes)
                if halt.requested:
                    raise Interrupted("interrupted", interrupted.sentence(tape, to_ask, lost=False))
                return asked

            first_replies = FirstReplies(outcomes, terms.batch, say)

            async def ask(some: Sequence[Question]) -> Asked:
                here = {question.key for question in some}
                asked, rest = await first(canary, [each for each in some if each.key not in of_batches], ask_some)
                rest = first_replies.planned(rest, again=len(rest) < len(questions))
                if not terms.batch:
                    if rest:
                        asked.add(await ask_some(rest))
                    return asked
                awaited = [question for key, question in of_batches.items() if key in here]
                asked.add(await fill(batches, rest, awaited, ask_some, bounds.budget, outcomes))
                return asked

            of_batches = {question.key: question for question in held} if terms.batch else {}
            every = [*questions, *of_batches.values()]
            asked = await (order(fit, every, ask) if order else ask(every))
            if not terms.batch:
                asked.failures |= {question.key: pending(claimed[place_in(question)]) for question in held}
    return Done(asked, to_ask, (*uncounted, *unfit), tuple(outcomes.sentences()), bounds.budget.spent)


class FirstReplies:
    """What the first replies of a run say of their length: the rest is priced and planned by it."""

    def __init__(self, outcomes: Outcomes, batch: bool, say: Say) -> None:
        self._outcomes, self._batch, self._say = outcomes, batch, say
        self._said: set[Group] = set()

    def planned(self, questions: Sequence[Question], again: bool) -> list[Question]:
        """Return the questions as they are asked, and say what they cost if the replies were first known now.

        again: whether what they share must be planned again, since others were asked before them.
        """
        cases: dict[int, Case] = {}
        measured: set[Group] = set()
        for question in questions:
            case, group = question.case, question.case.group
            if case.replies is None and (replies := ReplyTokens.of(self._outcomes.output_tokens[group])):
                case = dataclasses.replace(case, replies=replies)
                measured.add(group)
            cases.setdefault(id(question.case), case)
        if not (again or measured):
            return list(questions)
        rest = with_sharing(
            [dataclasses.replace(question, case=cases[id(question.case)]) for question in questions], self._batch
        )
        for estimated in estimate(list(cases.values()), rest, batches=self._batch):
            group = estimated.family, estimated.model
            if group in measured - self._said and estimated.price is not None:
                self._said.add(group)
                self._say(f"After the first answers: {estimated}")
        return rest


async def open_batches(client: Client, tape: Tape, terms: Terms, say: Say) -> Batches:
    """Collect the batches that have ended, and return those that have not.

    Raises UserError if the questions are to be asked in batches and the server takes none.
    """
    batches = Batches(Service(client), tape, BatchTerms(terms.base_url, terms.batch_wait_s), say)
    with waiting(say, f"{client.base_url} to tell of its batches"):
        if terms.batch:
            await batches.service.check()
        await batches.collect()
    return batches
