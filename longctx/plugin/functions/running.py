"""The run of a test function, once for each trial of its cell: measured from what is recorded, or asked."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.logging import caplog_handler_key
from _pytest.tmpdir import tmppath_result_key

from longctx.engine.measure import Measurer, unmeasured_row
from longctx.errors import UserError
from longctx.functions.fixtures import CellRunner, called
from longctx.functions.measure import FunctionTrial, Result, TestMistake, run_trial
from longctx.plugin.functions.fixtures import shared
from longctx.plugin.measuring import writing
from longctx.plugin.same_names import OURS
from longctx.plugin.selection import SUBJECT
from longctx.plugin.session import run_of, session_of, state_of
from longctx.results.store import as_lines

if TYPE_CHECKING:
    from longctx.cases.case import Case

OF_VALUES = "_pytest.python"
"""The module of the fixtures that pytest makes of values of parameters."""
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
    judge, once = own.judge if own else "", functools.partial(_call, item, case.size)
    set_up, tear_down = functools.partial(_set_up, item, case.size), functools.partial(_tear_down, item)
    runner = CellRunner(cell.function, shared(config), guard, once, subject.strategy, judge, set_up, tear_down)
    if _keeps_nothing(item):
        runner = dataclasses.replace(runner, set_up=lambda: item.funcargs or set_up(), tear_down=lambda: None)
    asking = session_of(config).asking
    if asking is None:
        _measure(item, case, runner)
        return
    try:
        fitted = asking.fitted(case)
    except UserError as error:
        pytest.fail(f"invalid: {error}", pytrace=False)
    if fitted is not None:
        start = functools.partial(_start_stale, item, runner) if asking.tape.asks_stale else runner.start
        asking.cell(fitted, runner.trial_of, start)


def _start_stale(item: pytest.Function, runner: CellRunner, running: FunctionTrial) -> Result:
    """Run the function once, and let nothing be sent again that no recording can answer."""
    result = runner.start(running)
    if result.kind == "suspended" and (why := _elsewhere(item, running)):
        return Result("error", why, TestMistake(UserError("differs-between-processes", why)))
    return result


def _elsewhere(item: pytest.Item, running: FunctionTrial) -> str:
    """Return how a stale trial differs in another process; empty if it does not, or if nothing of it is stale."""
    stale = next((each for each in running.lacking if running.tape.status(each.wanted) == "stale"), None)
    if stale is None:
        return ""
    from longctx.plugin.functions import elsewhere

    return elsewhere.sentence(item, running, stale)


def _keeps_nothing(item: pytest.Function) -> bool:
    """Return whether all runs of a test may share its fixtures, since they are longctx's own or of a wider scope.

    Setting them up takes half as long as the replay of a short trial.
    """
    info = item._fixtureinfo
    if item.cls is not None or "request" in info.argnames:
        return False
    for name, defs in info.name2fixturedefs.items():
        of_module = defs[-1].func.__module__
        is_value = name in item.callspec.params and of_module == OF_VALUES
        if defs[-1].scope == "function" and of_module != OURS and not is_value:
            return False
    return True


def _set_up(item: pytest.Function, trials: int) -> None:
    """Set up the fixtures of one run of a test, as pytest does for a test. trials: see `_call`."""
    item._initrequest()
    if item.cls is not None:
        item.__dict__.pop("_instance", None)
        item.__dict__.pop("_obj", None)
    item.stash.setdefault(tmppath_result_key, {})  # tmp_path deletes it in its teardown
    if (handler := item.stash.get(caplog_handler_key, None)) is not None:
        handler.clear()
    with _timed(item, trials):
        type(item).setup(item)


def _tear_down(item: pytest.Function) -> None:
    """Tear down the fixtures of one run of a test, without those of its class, its module and the session."""
    of_session = item.session._setupstate
    try:
        of_session.teardown_exact(item.parent)  # type: ignore[arg-type]  # it takes any node
    finally:
        of_session.setup(item)


def _call(item: pytest.Function, trials: int) -> object:
    """Call the function once. trials: the number of trials of its cell, which share the time of the test."""
    with _timed(item, trials):
        return called(item.obj, {name: item.funcargs[name] for name in item._fixtureinfo.argnames})


@contextlib.contextmanager
def _timed(item: pytest.Function, trials: int) -> Iterator[None]:
    """Let no trial be judged whose time is up."""
    try:
        yield
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
    from longctx.plugin.measuring.fixture import conclude, skip_unrecorded

    run = run_of(item.config)
    found: list[str] = []

    def start(running: FunctionTrial) -> Result:
        result = runner.start(running)
        if result.kind == "suspended" and not found and (why := _elsewhere(item, running)):
            found.append(why)
        return result

    cell = Measurer(run, shared(item.config).tape).measure(
        case, item.nodeid, functools.partial(run_trial, runner.trial_of, start)
    )
    skip_unrecorded(item, cell)
    writing.attach(item, as_lines(cell.rows, [] if run.settings.no_text else cell.views))
    own = next(iter(cell.errors), None)
    if own is not None:
        if isinstance(own, TestMistake):
            pytest.fail(str(own.error), pytrace=False)
        raise own
    if not (cell.rows or cell.problem):
        pytest.skip(cell.skipped or "it has no trial")
    conclude(item, case, cell.own_rows, " ".join(filter(None, [*found, cell.problem])), cell.left_out)
    state_of(item).if_failed = lambda: as_lines(
        [unmeasured_row(run, trial, "infra_error", writing.FAILED_OUTSIDE) for trial in case.each_trial()], []
    )
