"""Asking and estimating test functions: a nested pytest runs them, since only pytest knows their fixtures."""

from __future__ import annotations

import contextlib
import functools
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

from longctx.errors import Interrupted, TapeError
from longctx.plugin.asking.nested import Nested, run_nested
from longctx.plugin.run import RUN
from longctx.plugin.selection import is_function
from longctx.vocabulary.family import is_of_function

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.config.models import ModelProfile
    from longctx.engine.run import Run
    from longctx.functions.asking import FunctionAsker, FunctionsAsked, Part
    from longctx.functions.batches import Rounds
    from longctx.functions.canary import FunctionCanary
    from longctx.functions.measure import Result, RunOnce, TrialOf
    from longctx.functions.trial import FunctionTrial
    from longctx.live.cost.estimate import Estimate
    from longctx.live.failure import Failure
    from longctx.recording.tape import Tape
    from longctx.results.row import Row

    _Asked = tuple[FunctionsAsked, Failure | None, dict[str, str]]
    """What was asked, why the asking stopped, and why tests could not be run, by their names."""


class FunctionRun(Nested):
    """The plugin of the nested pytest that runs test functions alone, in order to ask or estimate their trials."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self.tape = tape

    def pytest_configure(self, config: pytest.Config) -> None:
        from longctx.plugin.functions import ASKING

        config.stash[ASKING] = self

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if is_function(item)]

    def cell(self, case: Case, trial_of: TrialOf, start: RunOnce) -> None:
        """Ask or estimate the trials of a cell, in place of measuring them."""
        raise NotImplementedError


class AskingRun(FunctionRun):
    """Asks what each cell lacks."""

    def __init__(self, asker: FunctionAsker, tape: Tape) -> None:
        super().__init__(tape)
        self._asker = asker

    def cell(self, case: Case, trial_of: TrialOf, start: RunOnce) -> None:
        self._asker.ask(case, trial_of, start)


class CollectingRun(FunctionRun):
    """Collects what the trials of all cells lack in one round of batches; it asks nothing."""

    def __init__(self, rounds: Rounds, tape: Tape, part: Part) -> None:
        from longctx.functions.batches import Round

        super().__init__(tape)
        self.round = Round()
        self._rounds, self._part = rounds, part

    def cell(self, case: Case, trial_of: TrialOf, start: RunOnce) -> None:
        for question in case.questions():
            if self._part.holds(question) and question.key not in self._rounds.asked.failures:
                trial = trial_of(question)
                result = start(trial)
                self._rounds.add(self.round, trial, result)
                self._part.note(trial, result)


class ReplayingRun(FunctionRun):
    """Notes the cells of all functions, and how their recorded trials end; it asks nothing."""

    def __init__(self, tape: Tape, part: Part) -> None:
        super().__init__(tape)
        self.cells: list[Case] = []
        self._part = part

    def cell(self, case: Case, trial_of: TrialOf, start: RunOnce) -> None:
        self.cells.append(case)
        for question in case.questions():
            if self.tape.has_trial(question):
                trial = trial_of(question)
                with contextlib.suppress(TapeError):  # the test itself reports it
                    self._part.note(trial, start(trial))


class EstimatingRun(FunctionRun):
    """Takes the first requests that each cell lacks, and what recorded trials tell of later ones; it asks nothing."""

    def __init__(self, tape: Tape, recorded: Tape) -> None:
        """recorded: replays what is recorded, whatever the record mode."""
        from longctx.functions.estimating import FunctionEstimates
        from longctx.live.batches.ledger import Ledger

        super().__init__(tape)
        self.estimates = FunctionEstimates()
        self.held = 0
        self._recorded = recorded
        self._claimed = {place for batch in Ledger(tape.written_to).open() for place in batch.places}

    def cell(self, case: Case, trial_of: TrialOf, start: RunOnce) -> None:
        from longctx.functions.trial import FunctionTrial
        from longctx.live.batches.ledger import place_of

        self.estimates.add_cell(case)
        for question in case.questions():
            trial = trial_of(question)
            replayed = FunctionTrial(question, self._recorded, trial.judge)
            self.estimates.add_recorded(replayed, start(replayed))
            start(trial)
            lacking = [lack for lack in trial.lacking if self.tape.wants(lack.wanted)]
            free = [lack for lack in lacking if place_of(lack.wanted) not in self._claimed]
            self.held += len(lacking) - len(free)
            if free:
                self.estimates.add_lacking(trial, free)


def check(run: Run, alone: bool) -> None:
    """Raise Invalid if the verdict on the run's test functions can only be invalid.

    alone: whether the run asks no families, whose own check covers the functions too.
    """
    if alone and (preflight := run.preflight([], run.tape())):
        preflight.check()
        preflight.warn()


def estimate(config: pytest.Config, of_families: Sequence[Estimate]) -> None:
    """Say what asking test functions costs. of_families: the estimates of the same run. Raises UserError."""
    from longctx.engine.preflight import cannot_pass
    from longctx.live.cost.estimate import in_all

    run = config.stash[RUN]
    nested = EstimatingRun(run.tape("once" if run.settings.record == "none" else run.settings.record), run.tape())
    run_nested(config, nested)
    estimates = nested.estimates.estimates(run.settings.batch)
    for each in estimates:
        run.say(str(each))
    for sentence in nested.estimates.sentences():
        run.say(sentence)
    if total := in_all([*of_families, *estimates]):
        run.say(total)
    if nested.held:
        run.say(f"{nested.held:,} more are held by batches that are not collected, and would not be asked.")
    for sentence in cannot_pass(run.cells, run.plan.margin, run.settings.alpha):
        run.say(sentence)


def ask(config: pytest.Config, cases: Sequence[Case], spent: float) -> bool:
    """Ask what test functions lack; return whether all of their trials were asked. Raises UserError and Interrupted.

    spent: USD of the cap that are spent already.
    """
    from longctx.functions.asking import unasked
    from longctx.gate.bands import EARLY_STOP
    from longctx.recording.writer import only_writer

    run, settings = config.stash[RUN], config.stash[RUN].settings
    tape = run.tape(settings.record)
    with only_writer(run.private or run.workspace.cassettes, settings.lock):
        in_looks = settings.looks and run.plan.baseline and not (settings.ask_only or settings.only_trial is not None)
        asked, stopped, broken = (_ask_in_looks if in_looks else _ask_all)(config, cases, tape, spent)
    run.unasked |= unasked(asked.failures)
    run.keep_failures()
    run.say(
        f"Asked {tape.recorded:,} requests of {sum(case.size for case in cases):,} trials of test functions"
        f"{f': {stopped.message}' if stopped else '.'}"
    )
    settled = [failure for failure in asked.failures.values() if failure.cause == EARLY_STOP]
    if settled:
        run.say(f"Stopped early: {settled[0].message}")
    others = Counter(failure.message for failure in asked.failures.values() if failure.cause != EARLY_STOP)
    for message, number in others.items():
        run.say(f"{number:,} were not answered: {message}")
    if asked.stale:
        run.say(f"{asked.stale:,} trials are stale, recorded for another request: --ctx-record new_episodes asks them.")
    for message, number in asked.errors.items():
        run.say(f"{number:,} ended with an error of the test: {message}")
    for name, why in broken.items():
        run.say(f"{name} could not be asked: {why}")
    return not (others or asked.stale or asked.errors or broken)


def leave_out(config: pytest.Config) -> None:
    """Have a replay leave out the trials of test functions that looks left out."""
    from longctx.engine.early_stop import FunctionLooks, left_out_by
    from longctx.functions.asking import Part
    from longctx.functions.measure import rows

    run, settings = config.stash[RUN], config.stash[RUN].settings
    baseline = run.plan.baseline
    if not (settings.looks and baseline and settings.only_trial is None):
        return
    names = {row.family.partition(".")[0] for row in baseline.rows if is_of_function(row.family)}
    if not any(map(run.recorded.any_in_looks, sorted(names))):
        return
    ended: dict[str, list[Row]] = {}

    def note(trial: FunctionTrial, result: Result) -> None:
        ended[trial.question.key] = rows(run, trial, result)

    nested = ReplayingRun(run.tape(), Part(ended=note))
    run_nested(config, nested)
    looks = FunctionLooks(run, nested.cells, run.recorded)
    for key, of_trial in ended.items():
        looks.ended(key, of_trial)
    run.unasked |= left_out_by(looks)


def _ask_all(config: pytest.Config, cases: Sequence[Case], tape: Tape, spent: float) -> _Asked:
    from longctx.functions.asking import Part

    return _ask_part(config, cases, tape, spent, Part(), _canary(config.stash[RUN]), first=True)


def _ask_in_looks(config: pytest.Config, cases: Sequence[Case], tape: Tape, spent: float) -> _Asked:
    """Ask look by look, and in each only the bands that are not settled yet."""
    from longctx.engine.early_stop import PENDING, FunctionLooks
    from longctx.functions.asking import FunctionsAsked, Part
    from longctx.functions.measure import rows
    from longctx.gate.bands import EARLY_STOP
    from longctx.live.failure import Failure
    from longctx.stats.looks import MOST_LOOKS

    run = config.stash[RUN]
    tape.in_looks = True
    looks, canary = FunctionLooks(run, cases, tape), _canary(run)
    left = dict.fromkeys(looks.of)
    asked, stopped, broken = FunctionsAsked(spent=spent), None, dict[str, str]()

    def note(trial: FunctionTrial, result: Result) -> None:
        looks.ended(trial.question.key, rows(run, trial, result))

    why: Failure | None = None
    for look in range(1, MOST_LOOKS + 1):
        unneeded = looks.unneeded(left)
        now = {key for key in left if looks.of[key] <= look and key not in unneeded}
        if not now:
            continue
        more, stopped, broke = _ask_part(config, cases, tape, asked.spent, Part(now, note), canary, look == 1)
        asked.add(more)
        broken |= broke
        left = {key: None for key in left if key not in now}
        pending = any(failure.cause == PENDING.cause for failure in more.failures.values())
        if why := stopped or (PENDING if pending else None):
            break
        if broken:  # its trials would be asked for nothing
            break
    unneeded = looks.unneeded(left)
    settled = Failure(EARLY_STOP, looks.verdict(left).shown_after, fatal=True) if unneeded else None
    for key in left:
        if failure := settled if key in unneeded else why:
            asked.failures[key] = failure
    return asked, stopped, broken


def _ask_part(
    config: pytest.Config,
    cases: Sequence[Case],
    tape: Tape,
    spent: float,
    part: Part,
    canary: FunctionCanary,
    first: bool,
) -> _Asked:
    """Ask some of the trials. first: whether they are the first, among which a canary of batches is asked directly."""
    if config.stash[RUN].settings.batch:
        return _ask_in_rounds(config, cases, tape, spent, part, canary, first)
    return _ask_directly(config, cases, tape, spent, part, canary)


def _ask_directly(
    config: pytest.Config,
    cases: Sequence[Case],
    tape: Tape,
    spent: float,
    part: Part,
    canary: FunctionCanary,
    only_canary: bool = False,
) -> _Asked:
    """Ask request by request."""
    from longctx.functions.asking import FunctionAsker
    from longctx.live.asker import Asker
    from longctx.live.tally import Tally

    run, settings = config.stash[RUN], config.stash[RUN].settings
    tally = Tally(sum(case.size for case in cases) if part.keys is None else len(part.keys))
    models = _models(run, cases)
    asker = Asker(tape, models, settings.base_url, settings.in_flight, settings.max_cost, tally, run.say, spent)
    with asker:
        asking = FunctionAsker(asker, tape, settings.in_flight, tally, canary, only_canary, part)
        nested = AskingRun(asking, tape)
        try:
            with sigterm_as_interrupt():
                run_nested(config, nested)
        except KeyboardInterrupt:
            raise _stopped(tape, functools.partial(asking.wait, run.say)) from None
    asking.asked.spent = asker.budget.spent
    return asking.asked, asker.asked.stopped, nested.broken


def _ask_in_rounds(
    config: pytest.Config,
    cases: Sequence[Case],
    tape: Tape,
    spent: float,
    part: Part,
    canary: FunctionCanary,
    first: bool,
) -> _Asked:
    """Ask in batches.

    A round collects what the trials of all functions lack; it is asked, and the next follows, until nothing is lacking.
    """
    from longctx.functions.batches import Rounds
    from longctx.live.batches.service import check_provider
    from longctx.live.cost.money import check_cap

    run, settings = config.stash[RUN], config.stash[RUN].settings
    models = _models(run, cases)
    check_cap(settings.max_cost, models)
    check_provider(models)
    rounds = Rounds(tape, run.terms(), spent, run.say)
    rounds.collect(models)
    if settings.canary and first:
        asked, stopped, broken = _ask_directly(config, cases, tape, spent, part, canary, only_canary=True)
        rounds.asked.failures |= asked.failures
        rounds.budget.spent = asked.spent
        if stopped:
            return asked, stopped, broken
    while True:
        nested = CollectingRun(rounds, tape, part)
        try:
            with sigterm_as_interrupt():
                run_nested(config, nested)
        except KeyboardInterrupt:
            raise _stopped(tape, lambda: None) from None
        if not nested.round.requests or rounds.stopped:
            rounds.asked.spent = rounds.budget.spent
            return rounds.asked, rounds.stopped, nested.broken
        rounds.ask(nested.round)


def _models(run: Run, cases: Sequence[Case]) -> list[ModelProfile]:
    """Return the models that the cells ask, and the judge."""
    judge = run.plan.own.judge if run.plan.own else ""
    return [*(case.model for case in cases), *([run.plan.model(judge)] if judge else [])]


def _canary(run: Run) -> FunctionCanary:
    from longctx.functions.canary import FunctionCanary

    sizes: Counter[tuple[str, str]] = Counter()
    for case in run.cells:
        sizes[case.scenario.family, case.model.model] += case.size
    return FunctionCanary(sizes, run.say if run.settings.canary else None, text=not run.settings.no_text)


def _stopped(tape: Tape, wait: Callable[[], object]) -> Interrupted:
    """Wait for what is in flight, if no second signal comes, and return the error with the sentence on what is kept."""
    lost = False
    try:
        with sigterm_as_interrupt():
            wait()
    except KeyboardInterrupt:
        lost = True
    kept = f"Stopped: {tape.recorded:,} requests of test functions were answered"
    if not tape.keeps:
        then = ", but nothing is kept without text, so the same command asks all again."
    elif tape.record_mode.value == "all":
        then = " and are recorded. The same command asks everything again, since its record mode is all."
    else:
        then = " and are recorded, so the same command asks only the others."
    return Interrupted(
        "interrupted", f"{kept}{then}{' What was in flight is lost, and may be billed.' if lost else ''}"
    )


@contextlib.contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does, unless it is ignored or another program handles it."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
