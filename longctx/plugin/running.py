"""The call of a test: every trial of its cell, a protocol's or a function's."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.logging import caplog_handler_key
from _pytest.tmpdir import tmppath_result_key

from longctx.engine.functions import loader
from longctx.engine.measure import MeasuredCell, Measurer, unmeasured_row
from longctx.errors import UserError
from longctx.functions.cell_runner import CellRunner, called
from longctx.functions.fixtures import FunctionState
from longctx.functions.measure import Result, run_trial
from longctx.functions.subtests import Subtests
from longctx.functions.trial import FunctionTrial, TestMistake
from longctx.gate.minimum import Requirement, below_minimum_among
from longctx.plugin import measuring, options
from longctx.plugin.code_of_items import code_of
from longctx.plugin.declared_options import ENDPOINT, STRICT
from longctx.plugin.measuring import CellResult
from longctx.plugin.same_names import OURS
from longctx.plugin.selection import SUBJECT, with_minimum
from longctx.plugin.session import run_of, session_of, state_of
from longctx.plugin.unused_recordings import NO_ANSWER
from longctx.recording.by_position import cell_key, used_answers
from longctx.results.cell_names import cell_names
from longctx.results.store import row_lines

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.functions.fixtures import Ctx
    from longctx.functions.trial import FunctionTrial
    from longctx.results.row import Row

OF_VALUES = "_pytest.python"
"""The module of the fixtures that pytest makes of values of parameters."""
TIMEOUT = "from pytest-timeout"
"""What the failure states that pytest-timeout raises in a test."""


def call(item: pytest.Function) -> None:
    """Run a test function once for each trial of its cell: measure the trials, or ask what they lack."""
    config = item.config
    running, guard = state_of(item).function_cell, state_of(item).guard
    assert running is not None
    assert guard is not None
    cell, own = running.cell, run_of(config).plan.own
    subject: Any = item.callspec.params[SUBJECT]
    judge, once = own.judge if own else "", functools.partial(_call, item, cell.size)
    set_up, tear_down = functools.partial(_set_up, item, cell.size), functools.partial(_tear_down, item)
    runner = CellRunner(running.function, shared(config), guard, once, subject.strategy, judge, set_up, tear_down)
    if config.getini(ENDPOINT):
        from longctx.plugin import local_endpoint

        runner = dataclasses.replace(runner, serve=local_endpoint.server_of_trials(config, shared(config), guard))
    if _keeps_nothing(item):
        runner = dataclasses.replace(runner, set_up=lambda: item.funcargs or set_up(), tear_down=lambda: None)
    asking = session_of(config).asking
    if asking is None:
        _measure(item, cell, runner)
        return
    try:
        fitted = asking.fitted(cell)
    except UserError as error:
        pytest.fail(f"invalid: {error}", pytrace=False)
    if fitted is not None:
        start = functools.partial(_start_stale, item, runner) if asking.tape.asks_stale else runner.start
        asking.run_cell(fitted, runner.trial_of, start)


def _start_stale(item: pytest.Function, runner: CellRunner, running: FunctionTrial) -> Result:
    """Run the function once; do not send again what no recording could ever answer."""
    result = runner.start(running)
    if result.kind == "suspended" and (why := _difference_elsewhere(item, running)):
        return Result("error", why, TestMistake(UserError("differs-between-processes", why)))
    return result


def _difference_elsewhere(item: pytest.Item, running: FunctionTrial) -> str:
    """Return how a stale trial differs in another process; empty if it does not, or if nothing of it is stale."""
    places = (request.place for request in running.unanswered)
    stale = next((place for place in places if running.tape.status(place) == "stale"), None)
    if stale is None:
        return ""
    from longctx.plugin import rerun_in_process

    return rerun_in_process.difference_sentence(item, running, stale)


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
                f"{item.function.__name__}: the time limit of pytest-timeout ended a trial, which is not measured: "
                f"{error} The limit applies to all {trials:,} trials together: raise timeout, or set it to 0, in "
                "pytest.ini, by --timeout or by @pytest.mark.timeout.",
            )
        ) from None


def _measure(item: pytest.Function, cell: Cell, runner: CellRunner) -> None:
    run = run_of(item.config)
    found: list[str] = []
    used: list[tuple[Any, ...]] = []
    is_judged_by_base = run.settings.base is not None and run.settings.baseline is not None

    def start(running: FunctionTrial) -> Result:
        result = runner.start(running)
        if is_judged_by_base and result.kind != "suspended":
            used.extend(map(tuple, used_answers(running.exchanges)))
        if result.kind == "suspended" and not found and (why := _difference_elsewhere(item, running)):
            found.append(why)
        return result

    measured = Measurer(run, shared(item.config).tape).measure(
        cell, item.nodeid, functools.partial(run_trial, runner.trial_of, start)
    )
    skip_unrecorded(item, measured)
    code = code_of(item)
    rows = [dataclasses.replace(row, code=code) for row in measured.rows]
    measuring.hold_rows(item, row_lines(rows, [] if run.settings.no_text else measured.views))
    measuring.hold_texts(item, measured.texts)
    measuring.hold_changes(item, measured.changes)
    state_of(item).used = {cell_key(cell): used} if used else {}
    own = next(iter(measured.errors), None)
    if own is not None:
        if isinstance(own, TestMistake):
            pytest.fail(str(own.error), pytrace=False)
        raise own
    if not (measured.rows or measured.problem):
        pytest.skip(measured.skipped or "it has no trial")
    attach_result(item, cell, measured.own_rows, " ".join(filter(None, [*found, measured.problem])), measured.left_out)
    state_of(item).if_failed = lambda: row_lines(
        [unmeasured_row(run, trial, "infra_error", measuring.FAILED_OUTSIDE) for trial in cell.each_trial()], []
    )


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


def subtests(request: pytest.FixtureRequest) -> Subtests:
    return Subtests(request.getfixturevalue("ctx").ask)


def ctx_of(request: pytest.FixtureRequest) -> Ctx:
    item = request.node

    def cell() -> Cell:
        running = state_of(item).function_cell
        assert running is not None
        return running.cell

    return shared(request.config).ctx(cell)


def measure_cell(item: pytest.Item, cell: Cell) -> None:
    """Hand over a row for each trial of the cell.

    The test fails if a trial was not measured (`invalid`), or if accuracy is significantly below the minimum. A cell
    that an early stop cut short is not tested against a minimum.
    """
    session = session_of(item.config)
    session.measurer = session.measurer or Measurer(session.run)
    measured = session.measurer.measure(cell, item.nodeid)
    rows, problem = measured.rows, measured.problem
    skip_unrecorded(item, measured)
    if not (rows or problem):
        pytest.fail(f"invalid: it has no question: {cell.point.items.why_empty}.", pytrace=False)
    measuring.hold_rows(item, row_lines(rows, [] if session.run.settings.no_text else measured.views))
    measuring.hold_texts(item, measured.texts)
    measuring.hold_changes(item, measured.changes)
    if measured.facts:
        [name] = cell_names(measured.own_rows)
        measuring.hold_facts(item, name, measured.facts)
    attach_result(item, cell, measured.own_rows, problem, measured.left_out)


def skip_unrecorded(item: pytest.Item, measured: MeasuredCell) -> None:
    """Skip a test of which nothing is recorded, if no option of longctx was given: nobody asked for its answers yet.

    It fails if a baseline has its answers, since the recordings are lost then, and if the project is strict.
    """
    if not measured.unrecorded or options.any_given(item.config):
        return
    cell = measured.cell
    if baseline := _baselines(item.config).get((cell.file, cell.wording.prompt_set)):
        pytest.fail(
            f"invalid: no answer of {cell.model.model} is recorded, but the baseline {baseline} has answers to this "
            f"test: restore cassettes/{cell.file}, or save the baseline again without the test.",
            pytrace=False,
        )
    if not item.config.getini(STRICT):
        folder = os.path.relpath(item.path.parent, item.config.invocation_params.dir)
        pytest.skip(
            f"{NO_ANSWER}{cell.model.model} is recorded. To record them: pytest {folder} --ctx-record once; "
            "to see the cost first: --ctx-estimate instead of --ctx-record once"
        )


def _baselines(config: pytest.Config) -> Mapping[tuple[str, str], str]:
    """Return the baseline that has answers of a cassette's cell in a prompt set."""
    from longctx.engine.places import file_of
    from longctx.results.baseline_file import load_baseline

    session = session_of(config)
    if session.baselines is None:
        session.baselines = {}
        for path in session.run.workspace.baselines():
            with contextlib.suppress(UserError):  # a damaged one is reported where it is used
                rows = load_baseline(path).rows
                session.baselines |= {(file_of(row), row.prompt_set): path.stem for row in rows if row.measured}
    return session.baselines


def attach_result(item: pytest.Item, cell: Cell, rows: Sequence[Row], problem: str, left_out: int) -> None:
    """Attach the result of a cell to its test, and fail the test if a trial was not measured or accuracy is too low.

    problem: why a trial was not measured; empty if all were. left_out: how many trials an early stop left out.
    """
    settings = run_of(item.config).settings
    # Shards are tested when they are merged.
    requirement = None if problem or settings.shard else Requirement.of(rows, cell.min_rate)
    CellResult.of(cell, rows, minimum=requirement.minimum if requirement else None).attach(item)
    if problem:
        pytest.fail(f"invalid: {problem}", pytrace=False)
    if left_out == len(rows):
        pytest.skip("stopped early: none of its trials was sent")
    if requirement and below_minimum_among(requirement, _with_minimum(item)):
        pytest.fail(str(requirement), pytrace=False)


def _with_minimum(item: pytest.Item) -> int:
    """Return the number of selected cells with a minimum rate, which is counted once per process."""
    session = session_of(item.config)
    if session.with_minimum is None:
        session.with_minimum = with_minimum(item.session.items)
    return session.with_minimum
