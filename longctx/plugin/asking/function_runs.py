"""Asking and estimating test functions: a nested pytest runs them, since only pytest knows their fixtures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

from longctx.errors import Interrupted
from longctx.plugin.asking.nested import Nested, run_nested
from longctx.plugin.run import RUN
from longctx.plugin.selection import is_function

if TYPE_CHECKING:
    from longctx.functions.asking import FunctionAsker
    from longctx.functions.measure import Result
    from longctx.functions.trial import FunctionTrial, Lacking
    from longctx.live.cost.estimate import Estimate
    from longctx.recording.case import Case, Question
    from longctx.recording.tape import Tape


class FunctionRun(Nested):
    """The plugin of the nested pytest that runs test functions alone, in order to ask or estimate their trials."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    def pytest_configure(self, config: pytest.Config) -> None:
        from longctx.plugin.functions import ASKING

        config.stash[ASKING] = self

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if is_function(item)]

    def cell(
        self, case: Case, trial_of: Callable[[Question], FunctionTrial], start: Callable[[FunctionTrial], Result]
    ) -> None:
        raise NotImplementedError


class AskingRun(FunctionRun):
    """Asks what each cell lacks."""

    def __init__(self, asker: FunctionAsker, tape: Tape) -> None:
        super().__init__(tape)
        self._asker = asker

    def cell(
        self, case: Case, trial_of: Callable[[Question], FunctionTrial], start: Callable[[FunctionTrial], Result]
    ) -> None:
        self._asker.ask(case, trial_of, start)


class EstimatingRun(FunctionRun):
    """Takes the first requests that each cell lacks, and asks nothing."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape)
        self.estimates: list[Estimate] = []
        self.requests = 0

    def cell(
        self, case: Case, trial_of: Callable[[Question], FunctionTrial], start: Callable[[FunctionTrial], Result]
    ) -> None:
        from longctx.functions.asking import estimate

        lacking: dict[str, Sequence[Lacking]] = {}
        for question in case.questions():
            trial = trial_of(question)
            start(trial)
            wanted = [lack for lack in trial.lacking if self.tape.wants(lack.wanted)]
            if wanted:
                lacking[question.key] = wanted
        self.estimates.append(estimate(case, lacking, case.size))


def estimate(config: pytest.Config, cases: Sequence[Case]) -> None:
    """Say what asking the first requests of test functions costs. Raises UserError."""
    from longctx.functions.asking import summed
    from longctx.live.cost.estimate import in_all

    run = config.stash[RUN]
    nested = EstimatingRun(run.tape("once" if run.settings.record == "none" else run.settings.record))
    run_nested(config, nested)
    estimates = summed(nested.estimates)
    for each in estimates:
        run.say(str(each))
    if total := in_all(estimates):
        run.say(total)
    if any(each.to_ask for each in estimates):
        run.say(
            "Of test functions, these are the first requests: what later ones cost is known when replies are there."
        )


def ask(config: pytest.Config, cases: Sequence[Case], spent: float) -> bool:
    """Ask what test functions lack; return whether all of their trials were asked. Raises UserError and Interrupted.

    spent: USD of the cap that are spent already.
    """
    from longctx.functions.asking import FunctionAsker, unasked
    from longctx.live.asker import Asker
    from longctx.live.tally import Tally
    from longctx.recording.writer import only_writer

    run, settings = config.stash[RUN], config.stash[RUN].settings
    tape = run.tape(settings.record)
    tally = Tally(sum(case.size for case in cases))
    cap = None if settings.max_cost is None else settings.max_cost - spent
    models = [case.model for case in cases]
    if run.plan.own and run.plan.own.judge:
        models.append(run.plan.model(run.plan.own.judge))
    asker = Asker(tape, models, settings.base_url, settings.in_flight, cap, tally, run.say)
    with only_writer(run.private or run.workspace.cassettes, settings.lock), asker:
        asking = FunctionAsker(asker, tape, settings.in_flight, tally)
        try:
            run_nested(config, AskingRun(asking, tape))
        except KeyboardInterrupt:
            asking.wait(run.say)
            raise Interrupted(
                "interrupted",
                f"Stopped: {tape.recorded:,} requests of test functions were answered and are recorded; the same "
                "command asks only the others.",
            ) from None
    asked = asking.asked
    run.keep_failures(unasked(asked.failures))
    stopped = asker.asked.stopped
    run.say(
        f"Asked {tape.recorded:,} requests of {tally.total:,} trials of test functions"
        f"{f': {stopped.message}' if stopped else '.'}"
    )
    for message, number in asked.reasons().items():
        run.say(f"{number:,} were not answered: {message}")
    if asked.stale:
        run.say(f"{asked.stale:,} trials are stale, recorded for another request: --ctx-record new_episodes asks them.")
    return not (asked.failures or asked.stale)
