"""Test functions in a run: their markers, their tables in the profile, and their cells.

Neither pytest nor its fixtures are needed here: the plugin collects functions with it.

Runs of test functions: what asking them would cost, which trials a gate left out, and what is measured of them.

function_pass.py asks them.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import inspect
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from longctx.cells.cell import Cell
from longctx.errors import UserError, did_you_mean
from longctx.functions.axes import Parameters, parameters
from longctx.functions.cells import FUNCTION_ENTRIES, Function, named_values, prompts_of, wording_of
from longctx.functions.strategies import Strategy
from longctx.redaction import redacted
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY, TEXT

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.config.models import ModelProfile
    from longctx.config.project import Shard
    from longctx.config.prompts import Wording
    from longctx.engine.run_data import RunData
    from longctx.vocabulary.report import Report
    from longctx.vocabulary.shapes import Shape


class Marker(Protocol):
    """A mark of pytest."""

    @property
    def name(self) -> str: ...

    @property
    def args(self) -> tuple[Any, ...]: ...

    @property
    def kwargs(self) -> Mapping[str, Any]: ...


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


@dataclass(frozen=True, slots=True)
class MarkedFunction:
    """A marked test function in a run."""

    function: Function
    axes: Sequence[Parameters]
    """What it is parametrized with instead of its own values."""
    subjects: Sequence[FunctionSubject]

    @classmethod
    def of(cls, run: RunData, test: Callable[..., object], marker: Marker, folder: Path) -> MarkedFunction:
        """Return a test function by its marker and the profile. Raises UserError.

        folder: that of its file, where a file of cases is looked up first.
        """
        name, plan, settings = test.__name__, run.plan, run.settings
        marked = marker_arguments(name, marker)
        table = (plan.own.functions if plan.own else {}).get(name, {})
        own = {entry: value for entry, value in table.items() if entry not in FUNCTION_ENTRIES}
        take_report(run, name, marked)
        axes = marked.pop("axes", None)
        given = parameters(test, own, axes) if own or axes is not None else []
        options = {entry: value for entry, value in table.items() if entry in FUNCTION_ENTRIES}
        function = Function.of(name, marked, options, folder, run.workspace)
        named = settings.strategies or function.table.strategies
        if named and STRATEGY in dict(settings.labels):
            raise UserError(
                "label-of-strategies",
                f"{name} is run under several strategies, which its rows name in the label {STRATEGY!r}: rename the "
                "label of --ctx-label.",
            )
        strategies: Sequence[Strategy | None] = Strategy.all_of(named, run.workspace) or [None]
        subjects = [
            FunctionSubject(
                plan.model(model),
                wording_of(run.workspace, name, prompt_set, typed=bool(settings.prompts)),
                shape,
                strategy,
            )
            for model in plan.models_of_functions(function.table.models)
            for prompt_set in prompts_of(function.table, settings.prompts)
            for shape in settings.shapes or function.table.shapes
            for strategy in strategies
        ]
        return cls(function, given, subjects)


def marker_arguments(name: str, marker: Marker) -> dict[str, Any]:
    """Return the arguments of a test's marker by their names. Raises UserError."""
    if len(marker.args) > 1:
        raise UserError(
            "bad-marker",
            f"{name}: its marker has {len(marker.args)} positional arguments: only trials may be positional, as in "
            "@pytest.mark.longctx(200, min_rate=0.9).",
        )
    return {**dict(zip(("trials",), marker.args, strict=False)), **marker.kwargs}


def take_report(run: RunData, name: str, marked: dict[str, Any]) -> None:
    """Move the report that a test's marker declares, if any, to the run. Raises UserError if it is not one."""
    from longctx.vocabulary.report import Report

    report = marked.pop("report", None)
    if isinstance(report, Report):
        run.reports[name] = report
    elif report is not None:
        raise UserError(
            "report-is-no-report",
            f"{name}: report in its marker is of the type {type(report).__name__}: pass a longctx.Report.",
        )


def _check_report(name: str, report: Report, parameters: Collection[str]) -> None:
    """Raise UserError if a report names a parameter that its test does not have."""
    named = [("x", report.x), *(("by", each) for each in report.by)]
    named += [("facets", each) for shares in report.charts for each in shares.facets]
    for entry, parameter in named:
        if parameter and parameter not in parameters:
            raise UserError(
                "report-without-parameter",
                f"{name}: {entry} of its report is {parameter!r}, but the test has no such parameter. "
                f"{did_you_mean(parameter, list(parameters))} Name a parameter of the test.",
            )


def check_test(test: Callable[..., object], where: str, places: dict[str, str]) -> None:
    """Raise UserError if a test function is a generator, or if an earlier one has its name.

    where: its file. places: those of earlier functions, by their names.
    """
    name = test.__name__
    if inspect.isgeneratorfunction(test) or inspect.isasyncgenfunction(test):
        raise UserError(
            "generator-function", f"{name} is a generator: a test function must not yield; use assert and check."
        )
    if (other := places.setdefault(name, where)) != where:
        raise UserError(
            "two-tests-of-one-name",
            f"Two marked test functions are named {name}, in {other.rstrip(':')} and in {where.rstrip(':')}: rename "
            "one of them, since the name is part of recordings and results.",
        )


def cell_of(
    run: RunData,
    function: Function,
    params: Mapping[str, object],
    subject: FunctionSubject,
    ids: Mapping[str, str] | None = None,
) -> Cell:
    """Return the cell of some parameters, with the user's options instead of the marker's. Raises UserError.

    ids: those that pytest gives the values of parameters.
    """
    settings, named = run.settings, named_values(function.name, params, ids)
    values = {name: redacted(value) if isinstance(value, str) else value for name, value in named.items()}
    if report := run.reports.get(function.name):
        _check_report(function.name, report, values)
    cell = function.cell(values, subject.model, subject.wording, run.plan.seed, settings.trials, subject.shape)
    return dataclasses.replace(
        cell,
        strategy=subject.strategy.name if subject.strategy else "",
        server=settings.server or "",
        only_trial=settings.only_trial,
        repeats=settings.repeats if settings.repeats != 1 else cell.repeats,
        min_rate=cell.min_rate if settings.min_rate is None else settings.min_rate,
    )


def check_marked_once(test: Callable[..., object], marks: Iterable[Marker]) -> None:
    """Raise UserError if a test function itself has several markers of longctx. marks: its marks."""
    if sum(mark.name == "longctx" for mark in marks) > 1:
        raise UserError(
            "marked-twice",
            f"{test.__name__} has several markers @pytest.mark.longctx: merge them into one.",
        )


def check_apart(cell: Cell, test: str, known: dict[str, str]) -> None:
    """Raise UserError if another test has a cell of this name.

    Args:
        test: The id of the cell's test.
        known: The tests of the cells so far, by the cells' names; the cell is added.
    """
    if known.setdefault(_name_of(cell), test) != test:
        raise UserError(
            "two-cells-of-one-name",
            f"{cell.point.test} has two cells {cell.point.slug} for {cell.model.model}, which have the same trials: "
            "use each value of its parameters once.",
        )


def judges_nothing(function: Callable[..., object], fixtures: Collection[str]) -> bool:
    """Return whether a test has no assert, no raise and no check, and calls no helper that may have one."""
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


def nothing_judged(name: str) -> str:
    """Return the warning about a test that judges nothing."""
    return f"{name} has no assert and no check, so every reply counts as correct."


def _name_of(cell: Cell) -> str:
    """Return the name of a cell among those of all test functions."""
    return f"{cell.point.test}/{cell.id}"


def in_shard(cells: Sequence[Cell], shard: Shard) -> list[bool]:
    """Return whether each cell of all test functions belongs to a shard."""
    from longctx.config.project import shards_of

    names = [_name_of(cell) for cell in cells]
    dealt = shards_of(dict.fromkeys(sorted({*names}), 1), shard.of)
    return [dealt[name] == shard.number for name in names]


def loader(run: RunData) -> Callable[[str], ModelProfile]:
    """Return a function that loads the profile of a model that a test asks. It raises UserError."""

    def load(name: str) -> ModelProfile:
        model = run.plan.model(name)
        if run.settings.record != "none":
            from longctx.live.cost.money import check_cap

            check_cap(run.stated_cap, [model])
        return model

    return load
