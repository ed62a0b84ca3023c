"""The cells that pytest collects: of protocols from the profile, of test functions from their markers, too."""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from longctx.config.file_names import folder_of, servers_in, servers_sentence
from longctx.engine.functions import (
    MarkedFunction,
    cell_of,
    check_apart,
    check_marked_once,
    check_test,
    in_shard,
    judges_nothing,
    marker_arguments,
    nothing_judged,
    take_report,
)
from longctx.engine.run import Run
from longctx.engine.terms import name_in_run
from longctx.errors import UserError, did_you_mean
from longctx.functions.axes import Parameters, parameters_of, replaced
from longctx.plugin import absent
from longctx.plugin.options import asks_before_tests
from longctx.plugin.parameter_ids import ids_of
from longctx.plugin.selection import CELL, MARKER, SUBJECT, LeftOut, is_cell, is_function, is_unittest
from longctx.plugin.session import FunctionCell, run_of, session_of, state_of
from longctx.plugin.workers import CELLS, REPORTS, is_worker
from longctx.registry import check_known
from longctx.views.reporting import adds_to_gate
from longctx.vocabulary.declaration import Protocol
from longctx.vocabulary.protocol import declared_of

if TYPE_CHECKING:
    from longctx.functions.cells import Function

REPEATED = "__pytest_repeat_step_number"
"""The parameter that pytest-repeat gives each run of a test."""


def parametrize(metafunc: pytest.Metafunc, mistake: UserError | None = None) -> None:
    """Parametrize a marked test with its cells.

    A mistake in the profile ends the run before the first test; one in the test, such as `mistake`, fails that test.
    """
    if mistake:
        _fail(metafunc, mistake)
        return
    marker = metafunc.definition.get_closest_marker(MARKER)
    assert marker is not None
    run, protocol = run_of(metafunc.config), declared_of(metafunc.function)
    try:
        _ = run.plan.tests, run.plan.own if protocol is None else run.plan.profile
    except UserError as error:
        session_of(metafunc.config).unplanned = error
        return
    try:
        if home := run.workspace.nearest_cassettes(metafunc.definition.path.parent):
            run.homes[protocol.name if protocol else metafunc.function.__name__] = home
        if protocol is None:
            _of_function(metafunc, marker)
    except UserError as error:
        _leave_out_or_fail(metafunc, error)
        return
    if protocol is not None:
        _of_protocol(metafunc, run, protocol)


def _of_protocol(metafunc: pytest.Metafunc, run: Run, protocol: Protocol) -> None:
    """Parametrize a protocol with its cells. Its function is not called by pytest, so it is given no fixtures."""
    try:
        check_known(run.workspace, protocol, metafunc.function.__module__)
        cells = run.plan.cells_of(protocol.name)
    except UserError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    own = list(inspect.signature(metafunc.function).parameters)
    metafunc.fixturenames[:] = [*(name for name in metafunc.fixturenames if name not in own), *own, CELL]
    values = [(*([None] * len(own)), cell) for cell in cells]
    if cells:
        metafunc.parametrize([*own, CELL], values, ids=[cell.id for cell in cells])
        return
    cell: LeftOut | None = LeftOut(f"the profile {run.plan.profile_name!r} has no [{protocol.name}] table")
    marks: list[pytest.MarkDecorator] = []
    if run.plan.all_cells_of(protocol.name):
        reason = f"no cell of [{protocol.name}] falls to shard {run.settings.shard}"
        cell, marks = None, [pytest.mark.skip(reason=reason)]
    metafunc.parametrize([*own, CELL], [pytest.param(*([None] * len(own)), cell, id="none", marks=marks)])


def _leave_out_or_fail(metafunc: pytest.Metafunc, error: UserError) -> None:
    """Leave out a test whose data git ignores and are not here; let it fail with any other mistake."""
    try:
        reason = absent.why(metafunc.config, error, [metafunc.function.__name__])
    except UserError as lost:
        error, reason = lost, ""
    if not reason:
        _fail(metafunc, error)
        return
    if SUBJECT not in metafunc.fixturenames:
        metafunc.fixturenames.append(SUBJECT)
    metafunc.parametrize(SUBJECT, [pytest.param(LeftOut(reason), id="none")])


def _fail(metafunc: pytest.Metafunc, error: UserError) -> None:
    """Let the test fail with a mistake, without its cells."""
    if SUBJECT not in metafunc.fixturenames:
        metafunc.fixturenames.append(SUBJECT)
    metafunc.parametrize(SUBJECT, [pytest.param(error, id="mistake")])


def check(run: Run) -> None:
    """Raise UserError for a mistake in profile, prompts, models or documents, before anything is collected."""
    _ = run.plan.models, run.plan.models_named_for_functions
    if run.settings.corpus or run.settings.questions:
        run.plan.bank(model="")


def check_recorded(run: Run, models: Sequence[str]) -> None:
    """Raise UserError if a replay names a model of which nothing is recorded, where other models are.

    A gate gives its verdict on that. models: those that the person named.
    """
    settings = run.settings
    if asks_before_tests(settings) or settings.baseline is not None:
        return
    folders = run.workspace.cassettes.glob("*/*/*.jsonl")
    recorded = sorted({path.parent.parent.name for path in folders}) if models else []
    for model in models:
        name = run.plan.model(model).model
        if recorded and folder_of(name, settings.server or "") not in recorded:
            where = f" on the server {settings.server}" if settings.server else ""
            others = servers_in(recorded, name)
            meant = f"There are answers of {servers_sentence(others)}." if others else did_you_mean(model, recorded)
            raise UserError(
                "model-not-recorded",
                f"No answer of {model}{where} is recorded in {run.workspace.cassettes}. {meant} To "
                "record its answers, add --ctx-record once; to see the cost first, --ctx-estimate.",
            )


def _of_function(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """Parametrize a test function with its models and prompt sets. Raises UserError."""
    name = metafunc.function.__name__
    where = f"{metafunc.definition.path}::{'' if metafunc.cls is None else metafunc.cls.__qualname__}"
    session = session_of(metafunc.config)
    check_test(metafunc.function, where, session.places)
    check_marked_once(metafunc.function, metafunc.definition.own_markers)
    run, plan = session.run, session.run.plan
    take_report(run, name, marker_arguments(name, marker))
    if name in run.reports:
        session.reports_in[name] = os.path.relpath(metafunc.definition.path, metafunc.config.rootpath)
    if SUBJECT not in metafunc.fixturenames:
        metafunc.fixturenames.append(SUBJECT)
    explicit = run.settings.models and _is_named(metafunc.config, metafunc.definition.path)
    alone = bool(marker_arguments(name, marker).get("own_profile"))
    if not (explicit or plan.measures_function(name, alone)):
        models = "" if alone else ", and no models = […] at its top"
        reason = f"the profile {plan.profile_name!r} has no [{name}] table{models}"
        metafunc.parametrize(SUBJECT, [pytest.param(LeftOut(reason), id="none")])
        return
    marked = MarkedFunction.of(run, metafunc.function, marker, metafunc.definition.path.parent)
    session.functions[name] = marked.function
    _replace_axes(metafunc, marked.axes)
    if judges_nothing(metafunc.function, {*metafunc.fixturenames}):
        metafunc.definition.warn(pytest.PytestCollectionWarning(nothing_judged(name)))
    metafunc.parametrize(SUBJECT, marked.subjects, ids=[subject.id for subject in marked.subjects])


def _is_named(config: pytest.Config, file: Path) -> bool:
    """Return whether the person named a file, or tests in it, and not only a folder."""
    return any(config.invocation_params.dir / arg.partition("::")[0] == file for arg in config.args)


def _replace_axes(metafunc: pytest.Metafunc, given: Sequence[Parameters]) -> None:
    """Parametrize a test with these values instead of its own. Raises UserError."""
    marks = metafunc.definition.own_markers
    by_mark = [parameters_of(mark) if mark.name == "parametrize" else [] for mark in marks]
    places = replaced(by_mark, given, metafunc.function.__name__) if given else []
    marks[:] = [mark for index, mark in enumerate(marks) if index not in places]
    for each in given:
        metafunc.parametrize(each.names, each.cells)


def check_sound(items: Sequence[pytest.Item]) -> None:
    """Raise UserError for what would send or judge the trials of all tests otherwise than recorded, unnoticed."""
    if sys.flags.optimize:
        raise UserError(
            "python-optimized",
            "Python runs without assertions, so no test could fail: run pytest without python -O and without "
            "PYTHONOPTIMIZE.",
        )
    if any(REPEATED in item.callspec.params for item in items if is_cell(item) and hasattr(item, "callspec")):
        raise UserError(
            "repeated-by-plugin",
            "The plugin pytest-repeat (--count, or the marker repeat) runs a test again with the answers of its first "
            "run: use --ctx-repeats=N, or repeats=N in the marker longctx, which record answers of each repeat.",
        )


def check_functions(items: Sequence[pytest.Item], config: pytest.Config) -> None:
    """Give each item of a test function its cell, or the mistake that it fails with."""
    cells: dict[str, str] = {}
    for item in items:
        if is_unittest(item):
            state_of(item).mistake = UserError(
                "unittest-method",
                f"{item.name} is a method of a unittest.TestCase, which pytest does not parametrize: make it a "
                "function, or a method of a class without a base class.",
            )
        elif isinstance(item, pytest.Function) and is_function(item):
            try:
                collected = _cell_of(item, run_of(config), session_of(config).functions)
                check_apart(collected.cell, item.nodeid, cells)
                state_of(item).function_cell = collected
                item.setup = _set_up_nothing  # type: ignore[method-assign]
            except UserError as error:
                state_of(item).mistake = error


def _set_up_nothing() -> None:
    """Set up no fixtures: each trial sets up its own."""


def _cell_of(item: pytest.Function, run: Run, known: dict[str, Function]) -> FunctionCell:
    """Return the cell that an item is. Raises UserError."""
    subject: Any = item.callspec.params[SUBJECT]
    if isinstance(subject, UserError):
        raise subject
    function = known[item.function.__name__]
    params = {name: value for name, value in item.callspec.params.items() if name != SUBJECT}
    return FunctionCell(function, cell_of(run, function, params, subject, ids_of(item)))


def check_tables(config: pytest.Config) -> None:
    """Raise UserError if the profile has a table of a test function that does not exist, as far as is known.

    Functions that were not collected are looked for in the files next to those that were.
    """
    session = session_of(config)
    plan, collected = session.run.plan, session.functions
    unknown = [name for name in (plan.own.functions if plan.own else {}) if name not in collected]
    if not (unknown and collected):
        return
    folders = {Path(where.partition("::")[0]).parent for where in session.places.values()}
    texts = [path.read_text("utf-8", "replace") for folder in folders for path in folder.rglob("*.py")]
    for name in unknown:
        if not any(re.search(rf"\bdef {re.escape(name)}\b", text) for text in texts):
            raise UserError(
                "table-without-function",
                f"The profile {plan.profile_name!r} has a table [{name}], but there is no test function of this name. "
                f"{did_you_mean(name, list(collected))} Rename or delete the table.",
            )


def remember_cells(items: Sequence[pytest.Item], config: pytest.Config) -> None:
    """Note which cells of test functions there are, before -k and the like deselect any."""
    run = run_of(config)
    for item in items:
        if (found := state_of(item).function_cell) and not item.get_closest_marker("skip"):
            run.functions[name_in_run(run, found.cell)] = found.cell.min_rate
    if is_worker(config):
        config.workeroutput[CELLS] = json.dumps(run.functions)  # type: ignore[attr-defined]  # xdist adds it
        session = session_of(config)
        reports = {name: (file, adds_to_gate(run.reports[name])) for name, file in session.reports_in.items()}
        config.workeroutput[REPORTS] = json.dumps(reports)  # type: ignore[attr-defined]


def without_other_shards(items: list[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    """Return the items without those of test functions that belong to other shards."""
    shard = run_of(config).settings.shard
    if shard is None:
        return items
    cells = {item: found.cell for item in items if (found := state_of(item).function_cell)}
    elsewhere = {item for item, kept in zip(cells, in_shard([*cells.values()], shard), strict=True) if not kept}
    return [item for item in items if item not in elsewhere]
