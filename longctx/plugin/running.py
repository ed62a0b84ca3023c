"""The call of a test: every trial of its cell, a protocol's or a function's."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from longctx.engine.functions import loader
from longctx.engine.measure import MeasuredCase, Measurer
from longctx.errors import UserError
from longctx.functions.fixtures import CellRunner, FunctionState, called
from longctx.functions.measure import TestMistake, run_trial
from longctx.gate.minimum import Requirement, below_minimum_among
from longctx.plugin import measuring, options
from longctx.plugin.measuring import CaseResult
from longctx.plugin.selection import SUBJECT, with_minimum
from longctx.plugin.session import run_of, session_of, state_of
from longctx.results.store import as_lines, cell_names

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.functions.fixtures import Ctx
    from longctx.functions.measure import FunctionTrial
    from longctx.results.row import Row

TIMEOUT = "from pytest-timeout"
"""What the failure says that pytest-timeout raises in a test."""


def call(item: pytest.Function) -> None:
    """Run a test function once for each trial of its cell: measure the trials, or ask what they lack."""
    config = item.config
    cell, guard = state_of(item).cell, state_of(item).guard
    assert cell is not None
    assert guard is not None
    case, own = cell.case, run_of(config).plan.own
    subject: Any = item.callspec.params[SUBJECT]
    once = functools.partial(_call, item, case.size)
    runner = CellRunner(cell.function, shared(config), guard, once, subject.strategy, own.judge if own else "")
    asking = session_of(config).asking
    if asking is None:
        _measure(item, case, runner)
        return
    try:
        fitted = asking.fitted(case)
    except UserError as error:
        pytest.fail(f"invalid: {error}", pytrace=False)
    if fitted is not None:
        asking.cell(fitted, runner.trial_of, runner.start)


def _call(item: pytest.Function, trials: int) -> object:
    """Call the function once. trials: the number of trials of its cell, which share the time of the test."""
    try:
        return called(item.obj, {name: item.funcargs[name] for name in item._fixtureinfo.argnames})
    except pytest.fail.Exception as error:
        if TIMEOUT not in str(error):
            raise
        raise TestMistake(
            UserError(
                "test-timed-out",
                f"{item.function.__name__}: its time was up during a trial, which is therefore not measured: {error} "
                f"The time is that of all {trials:,} trials together: set timeout to more, or to 0, in "
                "pytest.ini, by --timeout or by @pytest.mark.timeout.",
            )
        ) from None


def _measure(item: pytest.Item, case: Case, runner: CellRunner) -> None:
    run = run_of(item.config)
    cell = Measurer(run, shared(item.config).tape).measure(
        case, item.nodeid, functools.partial(run_trial, runner.trial_of, runner.start)
    )
    skip_unrecorded(item, cell)
    measuring.keep_rows(item, as_lines(cell.rows, [] if run.settings.no_text else cell.views))
    own = next(iter(cell.errors), None)
    if own is not None:
        if isinstance(own, TestMistake):
            pytest.fail(str(own.error), pytrace=False)
        raise own
    if not (cell.rows or cell.problem):
        pytest.skip(cell.skipped or "it has no trial")
    conclude(item, case, cell.own_rows, cell.problem, cell.left_out)


class SharedState(FunctionState):
    """What the fixtures of all test functions of a process share. A test that uses them in no trial fails."""

    def trial(self) -> FunctionTrial:
        try:
            return super().trial()
        except UserError as mistake:
            pytest.fail(str(mistake), pytrace=False)


def shared(config: pytest.Config) -> FunctionState:
    """Return what the fixtures of this process share."""
    session = session_of(config)
    if session.of_fixtures is None:
        tape = session.asking.tape if session.asking else session.run.answers()
        session.of_fixtures = SharedState(session.run.workspace, tape, loader(session.run))
    return session.of_fixtures


def ctx_of(request: pytest.FixtureRequest) -> Ctx:
    item = request.node

    def case() -> Case:
        cell = state_of(item).cell
        assert cell is not None
        return cell.case

    return shared(request.config).ctx(case)


def measure_cell(item: pytest.Item, case: Case) -> None:
    """Hand over a row for each trial of the case.

    The test fails if a trial was not measured (`invalid`), or if the rate is shown to be below the minimum. A case
    that an early stop cut short is not tested against a minimum.
    """
    session = session_of(item.config)
    session.measurer = session.measurer or Measurer(session.run)
    measured = session.measurer.measure(case, item.nodeid)
    rows, problem = measured.rows, measured.problem
    skip_unrecorded(item, measured)
    if not (rows or problem):
        pytest.fail(f"invalid: it has no question: {case.cell.why_empty}.", pytrace=False)
    measuring.keep_rows(item, as_lines(rows, [] if session.run.settings.no_text else measured.views))
    if measured.facts:
        [name] = cell_names(measured.own_rows)
        measuring.keep_facts(item, name, measured.facts)
    conclude(item, case, measured.own_rows, problem, measured.left_out)


def skip_unrecorded(item: pytest.Item, measured: MeasuredCase) -> None:
    """Skip a test of which nothing is recorded, if no option of longctx was given: nobody asked for its answers yet."""
    if measured.unrecorded and not options.any_given(item.config):
        folder = os.path.relpath(item.path.parent, item.config.invocation_params.dir)
        pytest.skip(
            f"no answer of {measured.case.model.model} is recorded. To record them: pytest {folder} --ctx-record once; "
            "to see the cost first: --ctx-estimate instead of --ctx-record once"
        )


def conclude(item: pytest.Item, case: Case, rows: Sequence[Row], problem: str, left_out: int) -> None:
    """Attach the result of a case to its test, and fail the test if a trial was not measured or the rate is too low.

    problem: why a trial was not measured; empty if all were. left_out: how many trials an early stop left out.
    """
    settings = run_of(item.config).settings
    # Shards are tested when they are merged.
    requirement = None if problem or settings.shard else Requirement.of(rows, case.min_rate)
    CaseResult.of(case, rows, minimum=requirement.minimum if requirement else None).attach(item)
    if problem:
        pytest.fail(f"invalid: {problem}", pytrace=False)
    if left_out == len(rows):
        pytest.skip("stopped early: none of its trials was asked")
    if requirement and below_minimum_among(requirement, _with_minimum(item)):
        pytest.fail(str(requirement), pytrace=False)


def _with_minimum(item: pytest.Item) -> int:
    """Return the number of selected cases with a minimum rate, which is counted once per process."""
    session = session_of(item.config)
    if session.with_minimum is None:
        session.with_minimum = with_minimum(item.session.items)
    return session.with_minimum
