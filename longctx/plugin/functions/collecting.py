"""The cells of test functions: models, prompt sets, shapes and strategies, and which shard asks them."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from longctx.engine.terms import case_name
from longctx.errors import UserError, did_you_mean
from longctx.functions.cells import FUNCTION_ENTRIES, Function, named_values, prompts_of, wording_of
from longctx.functions.strategies import Strategy
from longctx.plugin.run import CELLS, is_worker
from longctx.plugin.selection import MARKER, SUBJECT, LeftOut, is_function, is_unittest
from longctx.plugin.session import FunctionCell, run_of, session_of, state_of
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY, TEXT

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.config.models import ModelProfile
    from longctx.config.prompts import Wording
    from longctx.engine.run import Run
    from longctx.vocabulary.shapes import Shape


@dataclass(frozen=True, slots=True)
class FunctionSubject:
    """The model, the templates, the shape and the strategy that a test function is run with."""

    model: ModelProfile
    wording: Wording
    shape: Shape
    strategy: Strategy | None
    """None if the strategy of context management is not varied."""

    @property
    def id(self) -> str:
        """Its part of the test's id."""
        usual = self.strategy is None or self.strategy.name == NO_STRATEGY
        parts = [self.model.model, self.wording.prompt_set]
        parts += [] if self.shape == TEXT else [self.shape]
        return "-".join([*parts, *([] if usual else [self.strategy.name])]).replace("/", "_")  # type: ignore[union-attr]


def parametrize(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """Parametrize a test function with its models and prompt sets. Raises UserError."""
    name = metafunc.function.__name__
    if inspect.isasyncgenfunction(metafunc.function):  # pytest itself refuses other generators
        raise UserError(
            "generator-function", f"{name} is a generator: a test function must not yield, but use assert and check."
        )
    file = str(metafunc.definition.path)
    where = f"{file}::{'' if metafunc.cls is None else metafunc.cls.__qualname__}"
    session = session_of(metafunc.config)
    if (other := session.places.setdefault(name, where)) != where:
        raise UserError(
            "two-tests-of-one-name",
            f"Two marked test functions are named {name}, in {other.rstrip(':')} and in {where.rstrip(':')}: rename "
            "one of them, since its recordings and its results go by this name.",
        )
    run, plan = session.run, session.run.plan
    if SUBJECT not in metafunc.fixturenames:
        metafunc.fixturenames.append(SUBJECT)
    if not plan.measures_function(name):
        reason = f"the profile {plan.profile_name!r} has no [{name}] table, and no models = […] at its top"
        metafunc.parametrize(SUBJECT, [pytest.param(LeftOut(reason), id="none")])
        return
    tables = plan.own.functions if plan.own else {}
    workspace = run.workspace
    if len(marker.args) > 1:
        raise UserError(
            "bad-marker",
            f"{name}: its marker has {len(marker.args)} arguments without a name: give all but trials a name, as in "
            f"@pytest.mark.{MARKER}(200, min_rate=0.9).",
        )
    marked = {**dict(zip(("trials",), marker.args, strict=False)), **marker.kwargs}
    table = tables.get(name, {})
    _replace_axes(
        metafunc, {entry: table[entry] for entry in table.keys() - FUNCTION_ENTRIES}, marked.pop("axes", None)
    )
    options = {entry: table[entry] for entry in table.keys() & FUNCTION_ENTRIES}
    function = Function.of(name, marked, options, metafunc.definition.path.parent, workspace)
    session.functions[name] = function
    if judges_nothing(metafunc.function, {*metafunc.fixturenames}):
        metafunc.definition.warn(
            pytest.PytestCollectionWarning(f"{name} has no assert and no check, so that every reply counts as correct.")
        )
    settings = run.settings
    given = settings.strategies or function.table.strategies
    if given and STRATEGY in dict(settings.labels):
        raise UserError(
            "label-of-strategies",
            f"{name} is run under several strategies, which its rows name in the label {STRATEGY!r}: give the label of "
            "--ctx-label another name.",
        )
    strategies: Sequence[Strategy | None] = Strategy.all_of(given, workspace) or [None]
    subjects = [
        FunctionSubject(
            plan.model(model),
            wording_of(workspace, name, prompt_set, typed=bool(settings.prompts)),
            shape,
            strategy,
        )
        for model in plan.models_of_functions(function.table.models)
        for prompt_set in prompts_of(function.table, settings.prompts)
        for shape in settings.shapes or function.table.shapes
        for strategy in strategies
    ]
    metafunc.parametrize(SUBJECT, subjects, ids=[subject.id for subject in subjects])


def _replace_axes(metafunc: pytest.Metafunc, own: Mapping[str, Any], axes: Any) -> None:
    """Parametrize a test with the values of its table and its model of axes. Raises UserError."""
    if not own and axes is None:
        return
    from longctx.functions.axes import parameters, replaced

    given = parameters(metafunc.function, own, axes)
    marks = metafunc.definition.own_markers
    of_marks = [_names(mark) if mark.name == "parametrize" else [] for mark in marks]
    places = replaced(of_marks, given, metafunc.function.__name__)
    marks[:] = [mark for place, mark in enumerate(marks) if place not in places]
    for each in given:
        metafunc.parametrize(each.names, each.cells)


def _names(mark: pytest.Mark) -> list[str]:
    """Return the parameters of a `parametrize` mark."""
    names = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]


def judges_nothing(function: Callable[..., object], fixtures: Collection[str]) -> bool:
    """Return whether a test has no assert, no raise and no check, and calls nothing of its own that may have one."""
    try:
        nodes = [*ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function))).body[0])]
    except (OSError, SyntaxError):
        return False
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    methods = {node.func.attr for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    judges = any(isinstance(node, ast.Assert | ast.Raise) or _returns(node) for node in nodes) or methods & {
        "fail",
        "raises",
        "probe",
        "chunks",
        "check",
    }
    return not (judges or "check" in called or called - {*fixtures, *dir(builtins)})


def _returns(node: ast.AST) -> bool:
    """Return whether a node returns a value, which may be an outcome."""
    return isinstance(node, ast.Return) and node.value is not None


def take_up(items: Sequence[pytest.Item], config: pytest.Config) -> None:
    """Give each item of a test function its case, or the mistake that it fails with."""
    for item in items:
        if is_unittest(item):
            state_of(item).mistake = UserError(
                "unittest-method",
                f"{item.name} is a method of a unittest.TestCase, which pytest does not parametrize: make it a "
                "function, or a method of a class without a base.",
            )
        elif isinstance(item, pytest.Function) and is_function(item):
            try:
                _take_up(item, run_of(config), session_of(config).functions)
            except UserError as error:
                state_of(item).mistake = error


def _take_up(item: pytest.Function, run: Run, known: dict[str, Function]) -> None:
    """Give an item its case. Raises UserError."""
    subject: Any = item.callspec.params[SUBJECT]
    if isinstance(subject, UserError):
        raise subject
    function = known[item.function.__name__]
    params = {name: value for name, value in item.callspec.params.items() if name != SUBJECT}
    values = named_values(function.name, params)
    seed, trials = run.plan.seed, run.settings.trials
    case = function.cell(values, subject.model, subject.wording, seed, trials, subject.shape)
    case = dataclasses.replace(case, strategy=subject.strategy.name if subject.strategy else "")
    state_of(item).cell = FunctionCell(function, with_settings(case, run))


def check_tables(config: pytest.Config) -> None:
    """Raise UserError if the profile has a table of a test function that does not exist, as far as is known.

    Functions that were not collected are looked for in the files beside those that were.
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


def note_cells(items: Sequence[pytest.Item], config: pytest.Config) -> None:
    """Note which cells of test functions there are, before -k and the like deselect any."""
    run = run_of(config)
    for item in items:
        if (cell := state_of(item).cell) and not item.get_closest_marker("skip"):
            run.functions[case_name(run, cell.case)] = cell.case.min_rate
    if is_worker(config):
        config.workeroutput[CELLS] = json.dumps(run.functions)  # type: ignore[attr-defined]  # xdist adds it


def with_settings(case: Case, run: Run) -> Case:
    """Return the case with the user's options in place of the marker's."""
    settings = run.settings
    return dataclasses.replace(
        case,
        only_trial=settings.only_trial,
        repeats=settings.repeats if settings.repeats != 1 else case.repeats,
        min_rate=case.min_rate if settings.min_rate is None else settings.min_rate,
    )


def of_shard(items: list[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    """Return the items without those of test functions that belong to other shards."""
    shard = run_of(config).settings.shard
    if shard is None:
        return items
    from longctx.config.shards import deal

    names = {item: f"{cell.case.scenario.family}/{cell.case.id}" for item in items if (cell := state_of(item).cell)}
    dealt = deal(dict.fromkeys(sorted({*names.values()}), 1), shard.of)
    return [item for item in items if item not in names or dealt[names[item]] == shard.number]
