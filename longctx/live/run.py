"""A live run, from cases to answers on the tape."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from longctx import clocks
from longctx.cases.case import Case, Group, Question
from longctx.cases.case import ReplyTokens
from longctx.config.models import TokenCounts
from longctx.corpus.tokens import count_tokens
from longctx.errors import Interrupted, UserError
from longctx.files import check_writable
from longctx.live import interrupted
from longctx.live.asking import Progress, ask_all
from longctx.live.cost.prefixes import cheapest_with_batches
from longctx.live.batches.claims import BatchTerms, Batches
from longctx.live.batches.filling import fill, pending
from longctx.live.batches.ledger import Ledger, each_once, place_in
from longctx.live.batches.service import Service, check_provider
from longctx.live.bounds import Bounds, Terms
from longctx.live.canary import Canary, UNREADABLE, first
from longctx.live.cost.estimate import Estimate, estimate, in_all, price_of, price_warnings, total_price
from longctx.live.cost.money import check_cap, check_default_cap, usd
from longctx.live.cost.prefixes import shared
from longctx.live.failure import Asked, Failure, Unasked
from longctx.live.interrupted import Halt, sends_the_rest
from longctx.live.outcomes import Outcomes, work
from longctx.live.progress import live_progress
from longctx.live.server import calibrate
from longctx.live.server.clients import Clients, open_clients
from longctx.live.server.counting import counted
from longctx.live.server.providers import Client, provider_of
from longctx.live.tally import Tally
from longctx.live.waiting import Say, waiting
from longctx.plural import count
from longctx.recording.missing import EARLY, missing
from longctx.recording.stale import stale
from longctx.recording.tape import NotRecorded, Tape, Wanted
from longctx.recording.versions import of_other_versions, why_unused
from longctx.results.grouping import grouped
from longctx.visible import visible
from longctx.workspace import Workspace
from typing import Any, Protocol, TypeVar
from vcr.record_mode import RecordMode


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
class Done:
    """The result of a live run."""

    asked: Asked
    unasked: tuple[Unasked, ...]
    """The cases that their model cannot be asked, and why."""
    spent: float = 0.0
    """USD, of those prices that are known."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """Why cells of test functions could not be run, by the ids of their tests."""

    @property
    def complete(self) -> bool:
        """Whether every question was answered, or did not need to be asked."""
        return self.asked.complete and not (self.unasked or self.broken)


@dataclass(frozen=True, slots=True)
class _Lacking:
    """What a pass asks."""

    fit: Sequence[Case]
    """The cases that fit their models."""
    questions: Sequence[Question]
    """Those to ask, in their order."""
    held: Sequence[Question]
    """Those that batches hold which have not ended."""
    unasked: tuple[Unasked, ...]


@dataclass(slots=True)
class LivePass:
    """One asking pass over cases whose prompts are known before anything is sent."""

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
    """Stops the asking from another thread."""

    def ask(self, cases: Sequence[Case]) -> Done:
        """Ask what the tape lacks.

        Raises UserError if nothing could be asked for a reason that concerns all trials, and Interrupted.
        """
        done, outcomes = stoppable(lambda: self._ask(cases), self.tape, self.halt, self.say)
        asked = done.asked
        if asked.stopped and not asked.answered and asked.stopped.cause != "budget":
            raise UserError("nothing-answered", asked.stopped.message)
        for sentence in ending(f"{asked.answered:,} of {self.halt.to_ask:,} trials", asked, self.tape, outcomes):
            self.say(sentence)
        return done

    async def _ask(self, cases: Sequence[Case]) -> tuple[Done, list[str]]:
        """Ask with the client of the provider; return also a sentence on each test and model."""
        terms, models = self.terms, [case.model for case in cases]
        check_cap(terms.max_cost if terms.stated_cap else None, models)
        if terms.batch:
            check_provider(models)
        providers = " and ".join(dict.fromkeys(map(provider_of, models)))
        async with contextlib.AsyncExitStack() as stack:
            with waiting(self.say, f"what a client of {providers} needs to be opened"):
                opened = open_clients(self.tape, terms.base_url, terms.in_flight, models)
                clients = await stack.enter_async_context(opened)
            batches = await open_batches(clients.first, self.tape, terms, self.say)
            lacking = await self._lacking(clients, batches, cases)
            if lacking.questions:
                check_writable(self.tape.written_to)
            return await self._send(clients, batches, lacking)

    async def _lacking(self, clients: Clients, batches: Batches, cases: Sequence[Case]) -> _Lacking:
        """Return what the tape lacks, once the server has told what is not known of it; say what it costs."""
        terms, say, tape, observer = self.terms, self.say, self.tape, self.observer
        calibrated, uncounted = [], []
        for client, of_client in clients.grouped(cases, lambda case: case.model):
            of_server = await calibrate.calibrate(self.workspace, client, of_client, say)
            calibrated += of_server[0]
            uncounted += of_server[1]
        fit, unfit = fitted(with_recorded_replies(tape, calibrated))
        claimed = batches.held()
        by_digest = terms.batch or bool(claimed or batches.collected)  # batches identify requests by their digests
        with waiting(say, BUILT):
            lacking = missing(tape, fit, observer.passed_over if observer else None, by_digest, EARLY)
        if terms.batch:
            lacking = each_once(lacking)
        held = [question for question in lacking if place_in(question) in claimed]
        free = [question for question in lacking if place_in(question) not in claimed.keys() | batches.collected]
        counts = [
            await counted(client, of_client, say)
            for client, of_client in clients.grouped(free, lambda question: question.case.model)
        ]
        known, too_long = still_fitting([question for of_client in counts for question in of_client])
        unfit += too_long
        unasked = (*uncounted, *unfit)
        if observer:
            observer.ready(unasked)
        say_misfits(say, unfit)
        questions = with_sharing(known, terms.batch)
        estimates = say_estimate(say, fit, questions, batch=terms.batch)
        if terms.max_cost is not None and not terms.stated_cap:
            check_default_cap(total_price(estimates, terms.batch), terms.max_cost)
        say_unused(say, tape, questions, terms.batch)
        return _Lacking(fit, questions, held, unasked)

    async def _send(self, clients: Clients, batches: Batches, lacking: _Lacking) -> tuple[Done, list[str]]:
        """Send the questions: a few of each test first, then the others; look by look if an order says so."""
        terms, say, tape = self.terms, self.say, self.tape
        every = [*lacking.questions, *lacking.held]
        self.halt.to_ask = len(every)
        bounds = Bounds.of(terms.in_flight, terms.max_cost, self.halt)
        tally = Tally(len(every), sum(map(work, every)))
        with self.progress(tally, say) as shown:
            sizes = Counter(question.case.group for question in every)
            canary = Canary(sizes, say if terms.canary else None, text=tape.keeps)
            outcomes = Outcomes(tally, shown, canary)
            sending = Sending(clients, tape, bounds, outcomes, batches if terms.batch else None)
            first_replies = FirstReplies(outcomes, terms.batch, say)
            of_batches = {question.key: question for question in lacking.held} if terms.batch else {}

            async def ask(some: Sequence[Question]) -> Asked:
                here = {question.key for question in some}
                free = [question for question in some if question.key not in of_batches]
                asked, rest = await first(canary, free, sending.directly)
                rest = first_replies.planned(rest, again=len(rest) < len(lacking.questions))
                asked.add(await sending.all(rest, [held for key, held in of_batches.items() if key in here]))
                return asked

            now = [*lacking.questions, *of_batches.values()]
            asked = await (self.order(lacking.fit, now, ask) if self.order else ask(now))
            if not terms.batch:
                claimed = batches.held()
                asked.failures |= {held.key: pending(claimed[place_in(held)]) for held in lacking.held}
        return Done(asked, lacking.unasked, bounds.budget.spent), list(outcomes.sentences())


def count_probes(
    workspace: Workspace, tape: Tape, terms: Terms, cases: Sequence[Case], say: Say
) -> tuple[list[Case], list[Unasked]]:
    """Count what cells of test functions must know of their models' tokenizers, before any of them runs.

    It returns what count_probes of calibrate.py does. Raises UserError and Interrupted.
    """

    async def count() -> tuple[list[Case], list[Unasked]]:
        counted, uncounted = [], []
        async with open_clients(tape, terms.base_url, terms.in_flight, [case.model for case in cases]) as clients:
            for client, of_client in clients.grouped(cases, lambda case: case.model):
                of_server = await calibrate.count_probes(workspace, client, of_client, say)
                counted += of_server[0]
                uncounted += of_server[1]
        return counted, uncounted

    return stoppable(count, tape, Halt(), say)


def stoppable(ask: Callable[[], Coroutine[Any, Any, Result]], tape: Tape, halt: Halt, say: Say) -> Result:
    """Run an asking pass that signals stop. Raises Interrupted and UserError.

    It runs in a thread of its own if this one has a running event loop, as a notebook's has. An interrupt of this
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
            f"{error} Its batch still has it: free some disk space, and give the same command again.",
        ) from None


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


NOT_MEASURED = "not_measured"
"""The cause of cases that are asked once the server has counted the tokens of their prompt set."""
BUILT = "the prompts to be built, to find those without a recording"
MOST_READ = 200
"""The most recorded answers that are read of a scenario."""


def estimate_live(tape: Tape, cases: Sequence[Case], say: Say, batch: bool = False) -> list[Estimate]:
    """Print and return what this tape's record mode would ask, without a key and the network. Raises UserError."""
    fit, unfit = fitted(with_recorded_replies(tape, cases))
    claimed = {place for batch in Ledger(tape.written_to).open() for place in batch.places}
    with waiting(say, BUILT):
        lacking = missing(tape, fit, build=batch or bool(claimed))  # batches identify requests by their digests
        lacking = each_once(lacking) if batch else lacking
        free = [question for question in lacking if place_in(question) not in claimed]
        questions = with_sharing(free, batch)
    say_misfits(say, unfit)
    estimates = say_estimate(say, fit, questions, [case for case, why in unfit if why.cause == NOT_MEASURED], batch)
    say_unused(say, tape, questions, batch)
    if tape.record_mode == RecordMode.ONCE and (number := stale(tape, fit)):
        say(f"{number:,} more are stale, recorded for another request: --ctx-record new_episodes would ask them too.")
    if held := len(lacking) - len(free):
        say(f"{held:,} more are held by batches that are not collected, and would not be asked.")
    return estimates


def say_unused(say: Say, tape: Tape, questions: Sequence[Question], batch: bool) -> None:
    """Print how many of the questions to ask have answers of another version, why these do not count, and the cost."""
    unused: dict[tuple[str, str, int], list[Question]] = defaultdict(list)
    for group in grouped(questions, lambda question: id(question.case)).values():
        case, of_trial = group[0].case, {str(question.identity): question for question in group}
        for version, trials in of_other_versions(tape, case, of_trial).items():
            unused[case.scenario.family, case.model.model, version] += [of_trial[trial] for trial in trials]
    for (family, model, version), group in unused.items():
        reason, advice = why_unused(str(group[0].identity), version)
        price = f"about {usd(price_of(group, batch).paid(batch))}" if group[0].case.model.prices else "not known"
        have = "has an answer" if len(group) == 1 else "have answers"
        sentence = (
            f"{family} on {model}: {len(group):,} of the trials to ask {have} of version {version}, not used because "
            f"{reason}. Asking again costs {price}. {advice}"
        )
        say(sentence.rstrip())


def with_sharing(questions: Sequence[Question], batch: bool) -> list[Question]:
    """Return the questions in the order in which they are asked, with what their prompts share."""
    return cheapest_with_batches(questions) if batch else shared(questions)


def with_recorded_replies(
    tape: Tape, cases: Sequence[Case], known: Mapping[Group, ReplyTokens] | None = None
) -> list[Case]:
    """Return the cases with what their model has answered so far to their family, if that says how long replies are.

    known: of a test and model, in place of what the tape has.
    """
    replies = {
        group: (known or {}).get(group)
        or ReplyTokens.of(
            [tokens for case in of_group for tokens in tape.output_tokens(case.file, group[1], MOST_READ)]
        )
        for group, of_group in grouped(cases, lambda case: case.group).items()
    }
    return [dataclasses.replace(case, replies=replies[case.group]) for case in cases]


def with_estimated_counts(case: Case) -> Case:
    """Return a cell of a test function as if its probes were counted, by the tokens of the model's profile.

    A cell whose counts are known is returned as it is. Raises UserError if no values can be made of the estimates.
    """
    if case.token_values is not None:
        return case
    model, scenario = case.model, case.scenario
    texts = scenario.probes(case.wording.words)
    counts = {name: max(1, round(model.tokens.reference * count_tokens(text))) for name, text in texts.items()}
    try:
        values = scenario.token_values(counts)
    except ValueError as error:
        raise UserError("scenario-not-buildable", f"{case.id}: {error}") from None
    estimated = TokenCounts(
        family=scenario.family,
        wording=case.counts_key,
        system=model.system_digest,
        on=clocks.now().date(),
        values=values,
    )
    return dataclasses.replace(case, model=model.model_copy(update={"token_counts": (*model.token_counts, estimated)}))


def fitted(cases: Sequence[Case]) -> tuple[list[Case], list[Unasked]]:
    """Return the cases that fit their models, and the others with the reasons."""
    fit, unfit = [], []
    for case in cases:
        try:
            fit.append(case.fitted())
        except UserError as error:
            cause = NOT_MEASURED if error.code == "prompt-set-not-measured" else "does_not_fit"
            unfit.append((case, Failure(cause, str(error), fatal=True)))
    return fit, unfit


def say_misfits(say: Say, unfit: Sequence[Unasked]) -> None:
    """Print what does not fit its model and is not asked: a sentence on each family and model."""
    told = [(case, why) for case, why in unfit if why.cause != NOT_MEASURED]
    for (family, model), group in grouped(told, lambda each: each[0].group).items():
        first = "The first: " if len(group) > 1 else ""
        say(f"Not asked: {count(len(group), 'scenario')} of {family} on {model}. {first}{group[0][1].message}")


def still_fitting(questions: Sequence[Question]) -> tuple[list[Question], list[Unasked]]:
    """Return the questions whose cases fit their models by the server's count, and the other cases with the reasons."""
    cases = {id(question.case): question.case for question in questions}
    _, unfit = fitted(list(cases.values()))
    too_long = {id(case) for case, _ in unfit}
    return [question for question in questions if id(question.case) not in too_long], unfit


def say_estimate(
    say: Say, cases: Sequence[Case], questions: Sequence[Question], unbuilt: Sequence[Case] = (), batch: bool = False
) -> list[Estimate]:
    """Print and return what these questions of these cases cost. unbuilt: cases that do not fit their models."""
    estimates = estimate(cases, questions, unbuilt, batch)
    for family_estimate in estimates:
        say(str(family_estimate))
    if total := in_all(estimates):
        say(total)
    for warning in price_warnings((case.model for case in (*cases, *unbuilt)), clocks.local().date()):
        say(warning)
    return estimates
