"""The run of a test function, once for each trial of its cell: measured from what is recorded, or asked."""

from __future__ import annotations

import asyncio
import functools
import inspect
from typing import TYPE_CHECKING, Any

import pytest

from longctx.engine.measure import Measurer
from longctx.errors import UserError
from longctx.functions import measure
from longctx.functions.measure import Result, RunOnce, TrialOf
from longctx.functions.strategies import Strategy
from longctx.functions.trial import FunctionTrial, TestMistake
from longctx.plugin.functions.fixtures import FunctionState
from longctx.plugin.measuring import writing
from longctx.plugin.selection import SUBJECT
from longctx.plugin.session import run_of, session_of, state_of
from longctx.results.store import as_lines
from longctx.vocabulary.scenario import MEASURED
from longctx.vocabulary.shapes import NO_STRATEGY

if TYPE_CHECKING:
    from longctx.cases.case import Case, Question

TIMEOUT = "from pytest-timeout"
"""What the failure says that pytest-timeout raises in a test."""


def call(item: pytest.Function) -> None:
    """Run a test function once for each trial of its cell: measure the trials, or ask what they lack."""
    config = item.config
    state, cell, guard = FunctionState.of(config), state_of(item).cell, state_of(item).guard
    assert cell is not None
    assert guard is not None
    case, function = cell.case, cell.function
    names = item._fixtureinfo.argnames
    arguments = {name: item.funcargs[name] for name in names}

    def start(trial: FunctionTrial) -> Result:
        def once() -> object:
            try:
                result = item.obj(**arguments)
                return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result
            except pytest.fail.Exception as error:
                if TIMEOUT not in str(error):
                    raise
                raise TestMistake(
                    UserError(
                        "test-timed-out",
                        f"{function.name}: its time was up during a trial, which is therefore not measured: {error} "
                        f"The time is that of all {case.size:,} trials together: set timeout to more, or to 0, in "
                        "pytest.ini, by --timeout or by @pytest.mark.timeout.",
                    )
                ) from None

        state.current = trial
        state.case = function.cases[trial.question.index] if function.cases is not None else None
        try:
            result = measure.run(trial, once, _kept)
        finally:
            state.current = None
        caught = guard.taken()
        if caught and not isinstance(result.error, TestMistake):
            result = Result("error", str(caught), caught)
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
    asking = session_of(config).asking
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
    from longctx.plugin.measuring.fixture import conclude, skip_unrecorded

    run = run_of(item.config)
    cell = Measurer(run, FunctionState.of(item.config).tape).measure(
        case, item.nodeid, functools.partial(measure.run_trial, trial_of, start)
    )
    skip_unrecorded(item, cell)
    writing.attach(item, as_lines(cell.rows, [] if run.settings.no_text else cell.views))
    own = next(iter(cell.errors), None)
    if own is not None:
        if isinstance(own, TestMistake):
            pytest.fail(str(own.error), pytrace=False)
        raise own
    if not cell.rows:
        pytest.skip(cell.skipped or "it has no trial")
    conclude(item, case, cell.own_rows, cell.problem, cell.left_out)
