"""A live run, from cells to answers on the tape.

It queries the server for what is unknown about the models, prints the price, and sends what the tape lacks.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from longctx import clocks
from longctx.cells.cell import Cell, Group, ReplyTokens, Trial
from longctx.errors import Interrupted, UserError
from longctx.files import check_writable
from longctx.live import interrupted
from longctx.live.asking import ask_all
from longctx.live.batches.collect import Batches, BatchTerms
from longctx.live.batches.filling import ask_in_batches, held_in_batch
from longctx.live.batches.ledger import each_once
from longctx.live.batches.service import Service, check_provider
from longctx.live.bounds import Bounds, Terms
from longctx.live.canary import UNREADABLE, Canary, first
from longctx.live.cost.estimate import estimate, total_price
from longctx.live.cost.money import check_cap, check_default_cap
from longctx.live.display import Tally
from longctx.live.estimating import (
    BUILT,
    fitted,
    misfits,
    say_estimate,
    still_fitting,
    unused,
    with_recorded_replies,
    with_sharing,
)
from longctx.live.failure import SendResult, Unasked
from longctx.live.interrupted import Halt, sends_the_rest
from longctx.live.outcomes import Outcomes, sentences, work
from longctx.live.progress import Progress, live_progress
from longctx.live.server import counting
from longctx.live.server.client import Client, Clients, open_clients, provider_of
from longctx.live.server.counting import with_counted_tokens
from longctx.live.watch import Say, waiting
from longctx.recording.missing import EARLY, missing
from longctx.recording.request import Place, Request
from longctx.recording.tape import NotRecorded, Tape
from longctx.results.grouping import grouped
from longctx.text import count, visible
from longctx.workspace import Workspace

Result = TypeVar("Result")
SendRequests = Callable[[Sequence[Request]], Awaitable[SendResult]]
AskingOrder = Callable[[Sequence[Cell], Sequence[Request], SendRequests], Awaitable[SendResult]]
"""A function that decides what is sent when.

It is called with the cells, the requests that the tape lacks, and a function that sends some of them.
"""


class AskingObserver(Protocol):
    """An observer that learns, before the live pass, what will not be sent. Its methods may raise to end the run."""

    def passed_over(self, trial: Trial, place: Place) -> None:
        """The record mode does not ask this trial."""

    def ready(self, unasked: Sequence[Unasked]) -> None:
        """Everything else will be asked, except these cells."""


@dataclass(frozen=True, slots=True)
class PassResult:
    """The result of a live run."""

    asked: SendResult
    unasked: tuple[Unasked, ...]
    """The cells that their model cannot be asked, and why."""
    spent: float = 0.0
    """USD, of those prices that are known."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """Why cells of test functions could not be run, by the ids of their tests."""

    @property
    def complete(self) -> bool:
        """Whether every question was answered, or did not need to be asked."""
        return self.asked.complete and not (self.unasked or self.broken)


@dataclass(frozen=True, slots=True)
class _ToSend:
    """The requests of a pass."""

    fit: Sequence[Cell]
    """The cells that fit their models."""
    requests: Sequence[Request]
    """The requests to send, in their order."""
    held: Sequence[Request]
    """The requests in batches that have not ended."""
    unasked: tuple[Unasked, ...]


@dataclass(slots=True)
class ProtocolPass:
    """The live pass over protocols, whose prompts are known before anything is sent."""

    workspace: Workspace
    tape: Tape
    terms: Terms
    say: Say
    """Prints a sentence."""
    progress: Callable[[Tally, Say], AbstractContextManager[Progress]] = live_progress
    """Opens the display of a tally."""
    order: AskingOrder | None = None
    """Decides the order if not everything is asked in one go."""
    observer: AskingObserver | None = None
    """Is told what will not be asked."""
    halt: Halt = field(default_factory=Halt)
    """Stops the live pass from another thread."""

    def ask(self, cells: Sequence[Cell]) -> PassResult:
        """Ask what the tape lacks.

        Raises UserError if no request could be sent for a reason that concerns all trials, and Interrupted.
        """
        done, outcomes = stoppable(lambda: self._ask(cells), self.tape, self.halt, self.say)
        asked = done.asked
        if asked.stopped and not asked.answered and asked.stopped.cause != "budget":
            raise UserError("nothing-answered", asked.stopped.message)
        for sentence in ending(f"{asked.answered:,} of {self.halt.to_ask:,} trials", asked, self.tape, outcomes):
            self.say(sentence)
        return done

    async def _ask(self, cells: Sequence[Cell]) -> tuple[PassResult, list[str]]:
        """Ask with the client of the provider; return also a sentence on each test and model."""
        terms, models = self.terms, [cell.model for cell in cells]
        check_cap(terms.max_cost if terms.stated_cap else None, models)
        if terms.batch:
            check_provider(models)
        providers = " and ".join(dict.fromkeys(map(provider_of, models)))
        async with contextlib.AsyncExitStack() as stack:
            with waiting(self.say, f"the client of {providers}"):
                opened = open_clients(self.tape, terms.base_url, terms.in_flight, models)
                clients = await stack.enter_async_context(opened)
            batches = await open_batches(clients.first, self.tape, terms, self.say)
            to_send = await self._to_send(clients, batches, cells)
            if to_send.requests:
                check_writable(self.tape.written_to)
                terms.say_few(self.say)
            return await self._send(clients, batches, to_send)

    async def _to_send(self, clients: Clients, batches: Batches, cells: Sequence[Cell]) -> _ToSend:
        """Return what the tape lacks, once the server has told what is not known of it; say what it costs."""
        terms, say, tape, observer = self.terms, self.say, self.tape, self.observer
        calibrated, uncounted = [], []
        for client, own in clients.grouped(cells, lambda cell: cell.model):
            answered = await counting.with_server_facts(self.workspace, client, own, say)
            calibrated += answered[0]
            uncounted += answered[1]
        fit, unfit = fitted(with_recorded_replies(tape, calibrated))
        claimed = batches.held()
        by_digest = terms.batch or bool(claimed or batches.collected)  # batches identify requests by their digests
        with waiting(say, BUILT):
            asked = missing(tape, fit, observer.passed_over if observer else None, by_digest, EARLY)
        if terms.batch:
            asked = each_once(asked)
        held = [request for request in asked if request.place in claimed]
        free = [request for request in asked if request.place not in claimed.keys() | batches.collected]
        counts = [
            await with_counted_tokens(client, own, say)
            for client, own in clients.grouped(free, lambda request: request.model)
        ]
        known, too_long = still_fitting([request for own in counts for request in own])
        unfit += too_long
        unasked = (*uncounted, *unfit)
        if observer:
            observer.ready(unasked)
        for sentence in misfits(unfit):
            say(sentence)
        requests = with_sharing(known, terms.batch)
        estimates = say_estimate(say, fit, requests, terms.batch)
        if terms.max_cost is not None and not terms.stated_cap:
            check_default_cap(total_price(estimates, terms.batch), terms.max_cost)
        for sentence in unused(tape, requests, terms.batch):
            say(sentence)
        return _ToSend(fit, requests, held, unasked)

    async def _send(self, clients: Clients, batches: Batches, to_send: _ToSend) -> tuple[PassResult, list[str]]:
        """Send the requests: a few of each test first, then the others; look by look if an order says so."""
        terms, say, tape = self.terms, self.say, self.tape
        every = [*to_send.requests, *to_send.held]
        self.halt.to_ask = len(every)
        bounds = terms.bounds(self.halt)
        tally = Tally(len(every), sum(map(work, every)))
        with self.progress(tally, say) as shown:
            begun = {request.cell.group for request in to_send.held}  # by a run whose canary has let them pass
            sizes = Counter(request.cell.group for request in every if request.cell.group not in begun)
            canary = Canary(sizes, say if terms.canary else None, text=tape.keeps)
            outcomes = Outcomes(tally, shown, canary)
            sending = Sending(clients, tape, bounds, outcomes, batches if terms.batch else None)
            first_replies = FirstReplies(outcomes, terms.batch, say)
            in_batches = {request.key: request for request in to_send.held} if terms.batch else {}

            async def ask(some: Sequence[Request]) -> SendResult:
                here = {request.key for request in some}
                free = [request for request in some if request.key not in in_batches]
                asked, rest = await first(canary, free, sending.directly)
                rest = first_replies.planned(rest, again=len(rest) < len(to_send.requests))
                asked.add(await sending.all(rest, [held for key, held in in_batches.items() if key in here]))
                return asked

            now = [*to_send.requests, *in_batches.values()]
            try:
                asked = await (self.order(to_send.fit, now, ask) if self.order else ask(now))
            except (Interrupted, asyncio.CancelledError):
                for sentence in sentences(tally):
                    say(sentence)
                raise
            if not terms.batch:
                claimed = batches.held()
                asked.failures |= {held.key: held_in_batch(claimed[held.place]) for held in to_send.held}
        return PassResult(asked, to_send.unasked, bounds.budget.spent), list(sentences(tally))


def count_probes(
    workspace: Workspace, tape: Tape, terms: Terms, cells: Sequence[Cell], say: Say
) -> tuple[list[Cell], list[Unasked]]:
    """Count what cells of test functions must know of their models' tokenizers, before any of them runs.

    It returns what count_probes of calibrate.py does. Raises UserError and Interrupted.
    """

    async def count() -> tuple[list[Cell], list[Unasked]]:
        counted, uncounted = [], []
        async with open_clients(tape, terms.base_url, terms.in_flight, [cell.model for cell in cells]) as clients:
            for client, own_cells in clients.grouped(cells, lambda cell: cell.model):
                answered = await counting.count_probes(workspace, client, own_cells, say)
                counted += answered[0]
                uncounted += answered[1]
        return counted, uncounted

    return stoppable(count, tape, Halt(), say)


def stoppable(ask: Callable[[], Coroutine[Any, Any, Result]], tape: Tape, halt: Halt, say: Say) -> Result:
    """Run a live pass that signals stop. Raises Interrupted and UserError.

    It runs in its own thread if this one has a running event loop, as a notebook's has. An interrupt of this
    thread, such as a notebook's, then reaches the pass by `halt`.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _stoppable(ask, tape, halt, say)
    thread = ThreadPoolExecutor(1)
    called = thread.submit(_stoppable, ask, tape, halt, say)
    thread.shutdown(wait=False)
    while True:
        try:
            return called.result()
        except KeyboardInterrupt:
            halt.signal()


def _stoppable(ask: Callable[[], Coroutine[Any, Any, Result]], tape: Tape, halt: Halt, say: Say) -> Result:
    async def with_signals() -> Result:
        with halt.on_signals(say):
            return await ask()

    try:
        return clocks.run(with_signals())
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise Interrupted("interrupted", interrupted.sentence(tape, halt.to_ask)) from None
    except NotRecorded as error:  # the answer of a batch; that of a direct request is kept as a failure
        raise UserError(
            "answers-not-kept",
            f"{error} Its batch still has it: free some disk space, and run the same command again.",
        ) from None


class FirstReplies:
    """What the first replies of a run reveal about their length: the rest is priced and planned by it."""

    def __init__(self, outcomes: Outcomes, batch: bool, say: Say) -> None:
        self._outcomes, self._batch, self._say = outcomes, batch, say
        self._said: set[Group] = set()

    def planned(self, requests: Sequence[Request], again: bool) -> list[Request]:
        """Return the requests in sending order, and print their cost if the lengths of replies have just become known.

        again: whether shared prefixes must be planned again, because other requests were sent before.
        """
        cells: dict[int, Cell] = {}
        measured: set[Group] = set()
        for request in requests:
            cell, group = request.cell, request.cell.group
            if cell.replies is None and (replies := ReplyTokens.of(self._outcomes.output_tokens[group])):
                cell = dataclasses.replace(cell, replies=replies)
                measured.add(group)
            cells.setdefault(id(request.cell), cell)
        if not (again or measured):
            return list(requests)
        rest = with_sharing([request.of_cell(cells[id(request.cell)]) for request in requests], self._batch)
        for estimated in estimate(list(cells.values()), rest, batches=self._batch):
            group = estimated.test, estimated.model
            if group in measured - self._said and estimated.price is not None:
                self._said.add(group)
                self._say(f"After the first answers: {estimated}")
        return rest


async def open_batches(client: Client, tape: Tape, terms: Terms, say: Say) -> Batches:
    """Collect the batches that have ended, and return those that have not.

    Raises UserError if the requests are to be sent in batches and the server takes none.
    """
    batches = Batches(Service(client), tape, BatchTerms(terms.base_url, terms.batch_wait_s), say)
    with waiting(say, f"{client.base_url} to tell of its batches"):
        if terms.batch:
            await batches.service.check()
        await batches.collect()
    return batches


MOST_NAMED, MOST_NAME = 5, 80
"""The most fields of usage that are named, and the most characters of each."""
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

    async def directly(self, requests: Sequence[Request]) -> SendResult:
        """Send these one by one, with as many in flight as the limit allows. Raises Interrupted after a signal."""
        asked = await ask_all(self.clients, self.tape, requests, self.bounds, self.progress)
        self.bounds.halt.check(self.tape)
        return asked

    async def all(self, requests: Sequence[Request], held: Sequence[Request] = ()) -> SendResult:
        """Send these, and wait for what batches hold already."""
        if self.batches is not None:
            return await ask_in_batches(self.batches, requests, held, self.directly, self.bounds.budget, self.progress)
        return await self.directly(requests) if requests else SendResult()


def ending(what: str, asked: SendResult, tape: Tape, outcomes: Sequence[str] = ()) -> Iterator[str]:
    """Yield what a user should know of a pass that has ended.

    what: how many of which were sent. outcomes: a sentence on each test and model, and one on the cost.
    """
    yield f"Asked {what}{f': {asked.stopped.message}' if asked.stopped else '.'}"
    yield from outcomes
    for (model, by), number in asked.others.items():
        yield f"{model} was requested, but by the server's answers {visible(by)[:80]} answered {number:,} of them."
    for model, named in grouped(sorted(asked.unread), lambda each: each[0]).items():
        fields = ", ".join(visible(name)[:MOST_NAME] for _, name in named[:MOST_NAMED])
        yield (
            f"The usage of {model} has {fields}, which longctx does not know. If that counts cached tokens, costs and "
            "caps are wrong: please report it."
        )
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
