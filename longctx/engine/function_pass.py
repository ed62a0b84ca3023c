"""The live pass over test functions, request by request or in rounds of batches. It imports the SDK."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from longctx.cells.cell import Cell, Group
from longctx.engine.early_stop import InterimLooks, Steps, record_left_out, stopped_by
from longctx.engine.function_runs import FirstRequestsRun, price
from longctx.engine.memory import continues, is_settled, open_requests
from longctx.errors import Interrupted, UserError
from longctx.functions.asking import FunctionTrials, TrialFilter
from longctx.functions.batches import Rounds
from longctx.functions.function_run import FunctionRun, Functions
from longctx.functions.measure import Result, RunOnce, TrialOf, ended
from longctx.functions.trial import FunctionTrial
from longctx.live import interrupted
from longctx.live.asker import Asker
from longctx.live.batches.service import check_provider
from longctx.live.canary import Canary
from longctx.live.cost.money import Budget, check_cap, check_default_cap
from longctx.live.display import Tally
from longctx.live.failure import Failure, SendResult, Unasked
from longctx.live.interrupted import handled
from longctx.live.outcomes import sentences
from longctx.live.run import PassResult, ending
from longctx.recording.request import Place, Request
from longctx.recording.tape import Tape, only_writer

if TYPE_CHECKING:
    from longctx.engine.run import Run

Act = Callable[[], object]
BROKEN = Failure("test-not-run", "a test could not be run, so no further look was taken", fatal=True)


class AskingRun(FunctionRun):
    """Asks the requests of each cell that have no recorded answer."""

    def __init__(self, asker: Asker, trials: FunctionTrials) -> None:
        super().__init__(asker.tape)
        self._asker, self._trials = asker, trials

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        self._asker.drain(self._trials.of(cell.each_trial(), trial_of, start))


class CollectingRun(FunctionRun):
    """Collects what the trials of all cells lack in one round of batches; it sends no request."""

    def __init__(self, rounds: Rounds, tape: Tape) -> None:
        super().__init__(tape)
        self.requests: list[Request] = []
        self._rounds = rounds

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        self.requests += self._rounds.run(cell.each_trial(), trial_of, start)


class FunctionPass:
    """Asks what the test functions of a run lack, and adds up what was asked."""

    def __init__(self, run: Run, tests: Functions, tape: Tape, spent: float) -> None:
        """spent: USD of the cap that are spent already."""
        self.asked = SendResult()
        self.broken: dict[str, str] = {}
        """Why tests could not be run, by their names."""
        self._run, self._tests, self._tape = run, tests, tape
        cells = self._cells = run.cells
        self._models = [*(cell.model for cell in cells), *run.plan.helpers]
        self._terms = run.terms(self._models)
        self.budget = Budget(self._terms.max_cost, spent)
        sizes: Counter[Group] = Counter()
        for cell in run.cells:
            sizes[cell.group] += cell.size
        self._tally = Tally(0)
        self._canary = Canary(sizes, run.say if run.settings.canary else None, text=not run.settings.no_text)

    def ask(self) -> None:
        """Ask all trials, or look by look if a gate may settle early. Raises UserError and Interrupted."""
        settings = self._run.settings
        self._terms.say_few(self._run.say)
        try:
            in_looks = settings.looks and self._run.plan.baseline and not settings.ask_only
            if in_looks and settings.only_trial is None and not self._continues():
                self._ask_in_looks()
            else:
                self._ask(TrialFilter(), first=True)
        except Interrupted:
            for sentence in sentences(self._tally):
                self._run.say(sentence)
            raise

    def _continues(self) -> bool:
        """Return whether this is a later run of a change, which takes no looks."""
        if not open_requests(self._run) or is_settled(self._tape, self._cells):
            return False
        first = FirstRequestsRun(self._run)
        self._run_functions(first)
        return continues(self._run, first.digests)

    def _ask_in_looks(self) -> None:
        """Ask look by look, and in each only the bands that are not settled yet."""
        run, failures = self._run, self.asked.failures
        looks = InterimLooks(run, self._cells, self._tape)
        self._tape.looks = looks.plan

        def note(trial: FunctionTrial, result: Result) -> None:
            looks.ended(trial.trial, ended(trial, result))

        steps = Steps(looks, looks.of)
        for number, now in enumerate(steps):
            self._ask(TrialFilter(now, note), first=not number)
            steps.stop(BROKEN if self.broken else stopped_by(self.asked.stopped, failures.values()))
        failures |= steps.not_asked

    def _ask(self, part: TrialFilter, first: bool) -> None:
        """Ask some of the trials. first: whether they are the first, whose canary a batch is preceded by."""
        batch = self._run.settings.batch
        if batch:
            check_provider(self._models)
        rounds = Rounds(self._tape, self._terms, self.budget, self._run.say, self._tally, part)
        rounds.collect(self._models)
        if not batch:
            self._ask_directly(part, rounds.held)
        elif not (first and self._run.settings.canary) or self._ask_directly(part, rounds.held, only_canary=True):
            self._ask_in_rounds(rounds)

    def _ask_directly(self, part: TrialFilter, held: Mapping[Place, Failure], only_canary: bool = False) -> bool:
        """Ask request by request. Return whether the live pass goes on.

        held: why requests that are in batches are not sent.
        """
        self._tally.begin(sum(cell.size for cell in self._cells) if part.keys is None else len(part.keys))
        with Asker(self._tape, self._models, self._terms, self._tally, self._run.say, self.budget) as asker:
            trials = FunctionTrials(self._tape, self._tally, self._canary, part, held, only_canary)
            self._run_functions(AskingRun(asker, trials), asker.halt, asker.wait)
        asked = asker.asked
        trials.asked.answered, trials.asked.stopped = asked.answered, asked.stopped
        trials.asked.others, trials.asked.unread = asked.others, asked.unread
        self.asked.add(trials.asked)
        return self.asked.stopped is None

    def _ask_in_rounds(self, rounds: Rounds) -> None:
        """Ask in batches.

        A round collects what the trials of all functions lack; it is asked, and the next follows, until nothing is
        without an answer.
        """
        rounds.asked.failures |= self.asked.failures  # of the canary
        while rounds.asked.stopped is None:
            collecting = CollectingRun(rounds, self._tape)
            self._run_functions(collecting)
            if not collecting.requests:
                break
            rounds.ask(collecting.requests)
        self.asked.add(rounds.asked)

    def _run_functions(self, functions: FunctionRun, halt: Act = lambda: None, wait: Act = lambda: None) -> None:
        """Run the test functions. Raises Interrupted.

        halt: sends nothing more, without waiting. wait: waits for what is in flight.
        """
        signals = Signals(halt)
        try:
            with handled(signals.handle):
                try:
                    self._tests.run(functions)
                except KeyboardInterrupt:
                    signals.wait(wait)
                    raise
        except KeyboardInterrupt:
            raise Interrupted("interrupted", interrupted.sentence(self._tape, None, signals.lost)) from None
        self.broken = functions.broken


class Signals:
    """How signals act while test functions run: the first stops the sending at once, the second ends it all.

    Both raise KeyboardInterrupt in the test, since only its end gives the thread back.
    """

    def __init__(self, halt: Act) -> None:
        self._halt = halt
        self._received = 0
        self.lost = False
        """Whether what was in flight was not waited for."""

    def handle(self) -> None:
        self._received += 1
        if self._received == 1:
            self._halt()
        raise KeyboardInterrupt

    def wait(self, wait: Act) -> None:
        """Wait for what is in flight, unless a second signal came, or comes."""
        if not self._received:  # the test raised KeyboardInterrupt itself
            self._halt()
        self.lost = True
        if self._received < 2:
            wait()
            self.lost = False


def ask_all(run: Run, tests: Functions, cells: Sequence[Cell]) -> PassResult:
    """Send what cells of protocols lack, and then what the run's cells of test functions lack.

    cells: those of protocols. Exceptions: those of `Run.ask`.
    """
    models = [*(cell.model for cell in (*cells, *run.cells)), *(run.plan.helpers if run.cells else ())]
    check_cap(run.stated_cap, models)
    given, run.cells = run.cells, run.count_probes(run.cells, alone=not cells)
    default = run.default_cap(models)
    if run.cells and default is not None:
        check_default_cap(price(run, tests), default)
    done = run.ask(cells) if cells else PassResult(SendResult(), ())
    run.keep_failures()
    run.to_send = [*cells, *run.cells]
    if not run.cells:
        return done if not given else dataclasses.replace(done, unasked=(*done.unasked, *_uncounted(run, given)))
    result = ask(run, tests, done)
    done.asked.add(result.asked)
    unasked = (*done.unasked, *_uncounted(run, given))
    return PassResult(done.asked, unasked, result.budget.spent, result.broken)


def _uncounted(run: Run, given: Sequence[Cell]) -> Iterator[Unasked]:
    """Yield the cells whose probes could not be counted, and why."""
    for cell in given:
        if cell not in run.cells:
            yield cell, Failure(**run.unasked[next(iter(cell.each_trial())).key])


def ask(run: Run, tests: Functions, before: PassResult) -> FunctionPass:
    """Ask what the cells of the run's test functions lack. Raises UserError and Interrupted.

    before: what the run has asked before.
    """
    cells, tape = run.cells, run.tape(run.asking_mode)
    done = FunctionPass(run, tests, tape, before.spent)
    with only_writer(*tape.all_written, lock=run.settings.lock):
        tape.set_out_to_send(run.to_send, run.plan.judge)
        done.ask()
        record_left_out(tape, cells, done.asked.failures, run.say)
    run.forget_plan()  # the gate judges in looks if what was recorded just now was asked so
    asked = done.asked
    if asked.stopped and not (before.asked.answered or tape.recorded) and asked.stopped.cause != "budget":
        raise UserError("nothing-answered", asked.stopped.message)
    run.not_asked(asked.failures, done.budget.spent)
    run.keep_failures()
    trials = sum(cell.size for cell in cells)
    for sentence in ending(f"{tape.recorded:,} requests of {trials:,} trials of test functions", asked, tape):
        run.say(sentence)
    for name, why in done.broken.items():
        run.say(f"{name} could not be run: {why}")
    return done
