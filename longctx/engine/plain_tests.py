"""The tests that code gives a run: protocols, and test functions that take only longctx's fixtures, without pytest.

A function keeps its marks in an attribute, so that they are read without pytest.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from longctx.connections import INI, guarded
from longctx.engine.functions import (
    FunctionSubject,
    MarkedFunction,
    Marker,
    cell_of,
    check_apart,
    check_marked_once,
    check_test,
    in_shard,
    loader,
)
from longctx.engine.terms import case_name
from longctx.errors import UserError
from longctx.functions.axes import Parameters, parameters_of, replaced
from longctx.functions.fixtures import (
    NAMES,
    CellRunner,
    FunctionRun,
    FunctionState,
    called,
    given,
    guard_of,
    judges_nothing,
    warning,
)
from longctx.pytest_file import setting
from longctx.registry import check_known, protocol_named
from longctx.vocabulary.protocol import declared_of

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.engine.run import Run
    from longctx.functions.cells import Function

Test = Callable[..., object]
LEAVES_OUT = "skip", "skipif"
"""The marks that leave a test out, or one of its values."""


@dataclass(frozen=True, slots=True)
class PlainFunction:
    """A test function that needs no pytest."""

    test: Test
    marker: Marker | None
    """Its mark `longctx`; None if the profile's table says everything."""
    parameters: Sequence[Parameters]
    """What it is parametrized with by its marks."""
    fixtures: Sequence[str]
    """Those that a mark names."""
    skipped: bool
    """Whether a mark leaves it out."""

    @classmethod
    def of(cls, test: Test) -> PlainFunction:
        """Return a test function as it is marked. Raises UserError if it needs pytest."""
        marks = marks_of(test)
        check_marked_once(test, [getattr(mark, "mark", mark) for mark in getattr(test, "pytestmark", [])])
        of_marks = [_parameters(test, mark) for mark in marks if mark.name == "parametrize"]
        skipped = any(_leaves_out(test, mark) for mark in marks)
        named = [str(name) for mark in marks if mark.name == "usefixtures" for name in mark.args]
        return cls(test, next((mark for mark in marks if mark.name == "longctx"), None), of_marks, named, skipped)

    @property
    def folder(self) -> Path:
        """The folder of its file; that of the process if it has none, as in a notebook."""
        file = Path(inspect.getfile(self.test))
        return file.parent if file.is_file() else Path.cwd()

    def cells(self, run: Run) -> Iterator[PlainCell]:
        """Yield its cells in a run. Raises UserError."""
        if self.skipped:
            return
        name = self.test.__name__
        marked = MarkedFunction.of(run, self.test, self.marker, self.folder)
        places = replaced([each.names for each in self.parameters], marked.axes, name) if marked.axes else []
        left = [each for place, each in enumerate(self.parameters) if place not in places]
        self._check({parameter: None for each in (*marked.axes, *left) for parameter in each.names})
        for first, subject, then in itertools.product(_products(marked.axes), marked.subjects, _products(left)):
            values = first | then
            yield PlainCell(self.test, marked.function, subject, values, cell_of(run, marked.function, values, subject))

    def _check(self, values: Collection[str]) -> None:
        """Raise UserError unless its parameters are longctx's fixtures and these, which have values."""
        test, taken = self.test, inspect.signature(self.test).parameters
        if unknown := [name for name in values if name not in taken]:
            raise UserError(
                "parameter-not-taken",
                f"{test.__name__} is parametrized with {unknown[0]}, which it does not take: add it to its parameters.",
            )
        if needed := [name for name in (*_required(test), *self.fixtures) if name not in {*NAMES, *values}]:
            raise _needs_pytest(test, f"its fixture {needed[0]} is the project's or pytest's")


@dataclass(frozen=True, slots=True)
class PlainCell:
    """A cell of a test function that needs no pytest."""

    test: Test
    function: Function
    subject: FunctionSubject
    values: Mapping[str, object]
    """Those of its parameters."""
    case: Case

    @property
    def id(self) -> str:
        return f"{self.function.name}[{self.case.id}]"

    def runner(self, run: Run, state: FunctionState, allowed: Sequence[str]) -> CellRunner:
        """Return what runs its trials. allowed: hosts that all tests may connect to."""
        ctx, own = state.ctx(lambda: self.case), run.plan.own
        taken = inspect.signature(self.test).parameters
        fixtures = {name: given(ctx, name) for name in NAMES if name in taken}
        guard = guard_of(self.id, [*self.function.table.allowed_hosts, *allowed], run.settings.base_url)
        call = functools.partial(called, self.test, {**fixtures, **self.values})
        return CellRunner(self.function, state, guard, call, self.subject.strategy, own.judge if own else "")


class PlainTests:
    """The tests of a run that code gave it."""

    def __init__(self, run: Run, tests: Sequence[Test | str]) -> None:
        """tests: functions, and protocols by their functions or names. Raises UserError if one needs pytest."""
        self._run = run
        self._protocols: list[str] = []
        self._functions: list[PlainFunction] = []
        places: dict[str, str] = {}
        for number, test in enumerate(tests):
            if isinstance(test, str):
                self._protocols.append(protocol_named(run.workspace, test).name)
                continue
            if declared := declared_of(test):
                check_known(run.workspace, declared, test.__module__)
                self._protocols.append(declared.name)
                continue
            if not (inspect.isfunction(test) or inspect.ismethod(test)):
                raise UserError(
                    "no-test-function",
                    f"The tests of a run are functions and names of protocols; {test!r} is neither: give functions.",
                )
            check_test(test, f"{inspect.getfile(test)}, number {number + 1} of tests", places)
            self._functions.append(PlainFunction.of(test))
            if judges_nothing(test, NAMES):
                run.say(warning(test.__name__))

    def protocols(self) -> list[Case]:
        """Return the cases of its protocols. Raises UserError."""
        return [case for name in self._protocols for case in self._run.plan.cases_of(name)]

    def cells(self) -> list[PlainCell]:
        """Return the cells of its functions in the run, or in the run's shard. Raises UserError."""
        cells = [cell for function in self._functions for cell in function.cells(self._run)]
        known: dict[str, str] = {}
        for number, cell in enumerate(cells):
            check_apart(cell.case, str(number), known)
        if (shard := self._run.settings.shard) is None:
            return cells
        kept = in_shard([cell.case for cell in cells], shard)
        return [cell for cell, here in zip(cells, kept, strict=True) if here]

    def note(self) -> None:
        """Tell the run which cells its functions have. Raises UserError."""
        run = self._run
        run.cells = [cell.case for cell in self.cells()]
        run.functions = {case_name(run, case): case.min_rate for case in run.cells}

    def run(self, functions: FunctionRun) -> None:
        """Run all functions. What keeps a cell from running is noted as broken."""
        run, state = self._run, FunctionState(self._run.workspace, functions.tape, loader(self._run))
        allowed = setting(run.workspace.root, INI)
        for cell in self.cells():
            functions.test = cell.id
            runner = cell.runner(run, state, allowed)
            try:
                with guarded(runner.guard) as guard:
                    if (fitted := functions.fitted(cell.case)) is not None:
                        functions.cell(fitted, runner.trial_of, runner.start)
                if caught := guard.taken():  # by a thread of the code under test
                    functions.broken[cell.id] = str(caught)
            except UserError as error:
                functions.broken[cell.id] = str(error)


def marks_of(test: Test) -> list[Marker]:
    """Return the marks of a test function, then those of its class, and those of its module."""
    places = test, type(getattr(test, "__self__", None)), sys.modules.get(test.__module__)
    found = [getattr(place, "pytestmark", []) for place in places]
    marks = [mark for each in found for mark in (each if isinstance(each, list | tuple) else [each])]
    return [getattr(mark, "mark", mark) for mark in marks]


def _required(test: Test) -> Iterator[str]:
    """Yield the parameters of a test that must be given: pytest takes those without a default for fixtures."""
    for name, parameter in inspect.signature(test).parameters.items():
        if parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            yield name


def _parameters(test: Test, mark: Marker) -> Parameters:
    """Return what a mark `parametrize` gives, without the values that it leaves out. Raises UserError."""
    if mark.kwargs.get("indirect"):
        raise _needs_pytest(test, "its parametrize is indirect")
    names = parameters_of(mark)
    of_one = len(names) == 1 and isinstance(mark.args[0] if mark.args else mark.kwargs.get("argnames"), str)
    values = mark.args[1] if len(mark.args) > 1 else mark.kwargs.get("argvalues", ())
    cells = []
    for value in values:
        if getattr(value, "_fields", None) == ("values", "marks", "id"):  # a pytest.param
            if not any(_leaves_out(test, getattr(mark, "mark", mark)) for mark in value.marks):
                cells.append(tuple(value.values))
        else:
            cells.append((value,) if of_one else tuple(value))
    return Parameters(tuple(names), tuple(cells))


def _leaves_out(test: Test, mark: Marker) -> bool:
    """Return whether a mark leaves out what has it. Raises UserError if only pytest knows."""
    if mark.name not in LEAVES_OUT:
        return False
    conditions = [*mark.args, *(mark.kwargs[name] for name in ("condition",) if name in mark.kwargs)]
    if mark.name == "skip" or not conditions:
        return True
    if any(isinstance(condition, str) for condition in conditions):
        raise _needs_pytest(test, "the condition of its mark skipif is a text")
    return any(conditions)


def _needs_pytest(test: Test, why: str) -> UserError:
    return UserError(
        "test-needs-pytest",
        f"{test.__name__} needs pytest: {why}. Run it with pytest, or give it only fixtures of longctx "
        f"({', '.join(NAMES)}) and parameters with values.",
    )


def _products(given: Sequence[Parameters]) -> list[dict[str, object]]:
    """Return the values of each combination, by the names of their parameters; one without any if nothing is given."""
    named = [[dict(zip(each.names, cell, strict=True)) for cell in each.cells] for each in given]
    return [
        {name: value for values in combination for name, value in values.items()}
        for combination in itertools.product(*named)
    ]
