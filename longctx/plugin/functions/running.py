"""The run of a test function, once for each trial of its cell: measured from what is recorded, or asked."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

import pytest

from longctx.engine.rows import unmeasured_row
from longctx.errors import TapeError, UserError
from longctx.functions import measure
from longctx.functions.measure import Result, RunOnce, TrialOf
from longctx.functions.strategies import Strategy
from longctx.functions.trial import FunctionTrial, TestMistake, changed_request
from longctx.plugin.functions.collecting import FUNCTION
from longctx.plugin.functions.fixtures import ASKING, FunctionState
from longctx.plugin.measuring import writing
from longctx.plugin.run import RUN
from longctx.plugin.selection import CASE, SUBJECT
from longctx.recording import absence
from longctx.results.row import EARLY_STOP
from longctx.results.store import as_lines
from longctx.results.view import View
from longctx.vocabulary.scenario import MEASURED
from longctx.vocabulary.shapes import NO_STRATEGY

if TYPE_CHECKING:
    from longctx.cases.case import Case, Question
    from longctx.recording.tape import Wanted
    from longctx.results.row import Row


def call(item: pytest.Function) -> None:
    """Run a test function once for each trial of its cell: measure the trials, or ask what they lack."""
    config = item.config
    state, case = FunctionState.of(config), item.stash[CASE]
    names = item._fixtureinfo.argnames
    arguments = {name: item.funcargs[name] for name in names}

    def start(trial: FunctionTrial) -> Result:
        def once() -> None:
            result = item.obj(**arguments)
            if inspect.isawaitable(result):
                asyncio.run(_awaited(result))

        function = item.stash[FUNCTION]
        state.current = trial
        state.case = function.cases[trial.question.index] if function.cases is not None else None
        try:
            result = measure.run(trial, once, _kept)
        finally:
            state.current = None
        if not trial.answers and result.kind not in ("suspended", "skipped", "error"):
            sentence = f"{function.name} never asks: its trials need the fixture ask, which is missing or not called."
            return Result("error", sentence, TestMistake(UserError("test-never-asks", sentence)))
        if trial.strategy.name != NO_STRATEGY and not trial.managed and result.kind in MEASURED:
            sentence = (
                f"{function.name} asks about no transcript, so the strategy {trial.strategy.name!r} changes nothing: "
                "ask(transcript, question) uses it; or leave the test out of this run with -k."
            )
            return Result("error", sentence, TestMistake(UserError("strategy-not-used", sentence)))
        return result

    def trial_of(question: Question) -> FunctionTrial:
        judge = state.run.plan.own.judge if state.run.plan.own else ""
        subject: Any = item.callspec.params[SUBJECT]
        strategy = subject.strategy or Strategy()
        return FunctionTrial(question, state.tape, state.model(judge) if judge else None, strategy)

    try:
        case.fitted()
    except UserError as error:
        pytest.fail(f"invalid: {error}", pytrace=False)
    asking = config.stash.get(ASKING, None)
    if asking is not None:
        asking.cell(case, trial_of, start)
    else:
        _measure(item, case, trial_of, start)


async def _awaited(result: Any) -> Any:
    return await result


def _kept(error: BaseException) -> measure.Meant:
    if isinstance(error, pytest.skip.Exception):
        return "skipped"
    return "failed" if isinstance(error, pytest.fail.Exception) else None


def _measure(
    item: pytest.Item,
    case: Case,
    trial_of: TrialOf,
    start: RunOnce,
) -> None:
    from longctx.plugin.measuring.fixture import conclude

    run = item.config.stash[RUN]
    rows: list[Row] = []
    views: list[View] = []
    absent: list[Wanted] = []
    failed: list[str] = []
    errors: list[BaseException] = []
    skipped: list[str] = []
    problem = ""
    left_out = 0
    for question in case.questions():
        if failure := run.unasked.get(question.key):
            rows.append(
                unmeasured_row(run, question, "not_asked" if failure["fatal"] else "infra_error", failure["cause"])
            )
            views.append(View(item.nodeid))
            if failure["cause"] == EARLY_STOP:
                left_out += 1
            else:
                failed.append(failure["message"])
            continue
        trial = trial_of(question)
        try:
            result = start(trial)
        except TapeError as error:
            result = Result("error", str(error), error)
        if result.kind == "skipped":
            skipped.append(result.why)
            continue
        if result.kind == "suspended":
            lacking = [lacking.wanted for lacking in trial.lacking]
            status = "stale" if any(trial.tape.status(wanted) == "stale" for wanted in lacking) else "missing"
            rows.append(unmeasured_row(run, question, "not_asked", status))
            views.append(View(item.nodeid))
            absent.append(next(wanted for wanted in lacking if trial.tape.status(wanted) == status))
            continue
        if result.kind in ("error", "infra_error") and result.error is not None:
            errors.append(result.error)
        measured = measure.rows(run, trial, result)
        rows += measured
        views += [measure.view(trial, item.nodeid), *(View(item.nodeid) for _ in measured[1:])]
    if absent or failed:
        tape = FunctionState.of(item.config).tape
        problem = absence.sentence(case, tape, absent, failed, changed_request)
    writing.attach(item, as_lines(rows, [] if run.settings.no_text else views))
    own = next((error for error in errors if not _is_judges(error)), None)
    if own is not None:
        if isinstance(own, TestMistake):
            pytest.fail(str(own.error), pytrace=False)
        raise own
    if not rows:
        pytest.skip(skipped[0] if skipped else "it has no trial")
    conclude(item, case, [row for row in rows if row.family == case.scenario.family], problem, left_out)


def _is_judges(error: BaseException) -> bool:
    from longctx.functions.answer import JudgeUnreadable

    return isinstance(error, JudgeUnreadable)
