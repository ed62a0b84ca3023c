"""The process in which the base branch's test code judges the answers of a run. It sends nothing, and writes no file of
the project.

It runs in a copy of the project (engine/base_checkout.py), isolated from what Python reads at its start: a module of
the change that is called like one of longctx or of the standard library is found only after these.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from longctx.engine.function_runs import MeasuringRun
from longctx.engine.run import Run
from longctx.engine.settings import Settings
from longctx.errors import UserError
from longctx.plugin.nested import NestedSession
from longctx.plugin.run import RunOfCommand
from longctx.plugin.selected_tests import IMPORTED
from longctx.plugin.session import state_of
from longctx.recording.by_position import TapeByPosition, UsedAnswer, cell_key
from longctx.results.row import Row

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.engine.run_data import RunData
    from longctx.functions.measure import RunOnce, TrialOf

OF_TRIALS = (
    *("models", "profile", "prompts", "shapes", "strategies", "corpus", "questions", "server", "trials", "only_trial"),
    *("repeats", "seed", "labels", "no_text"),
)
"""The settings on which trials depend."""
PATHS = "corpus", "questions"


@dataclasses.dataclass(frozen=True, slots=True)
class BaseTask:
    """What the process is to do, as JSON carries it."""

    root: str
    """The project's folder."""
    copy: str
    """The folder of its copy."""
    run: str
    """The name of the run."""
    private: str
    """The folder of answers that no cassette keeps; empty if there is none."""
    arguments: Sequence[str]
    """The arguments of pytest."""
    paths: Sequence[str]
    """Where modules are looked up first, as in the run itself."""
    settings: Mapping[str, Any]
    used: Mapping[str, Sequence[Sequence[Any]]]
    """The answers that were used, by the keys of the cells."""


@dataclasses.dataclass(slots=True)
class BaseAnswer:
    """What the process has found out, likewise."""

    rows: list[str] = dataclasses.field(default_factory=list)
    """Each as JSON."""
    collected: list[str] = dataclasses.field(default_factory=list)
    """The names of the collected test functions."""
    broken: dict[str, str] = dataclasses.field(default_factory=dict)
    """Why tests could not run, by their names."""
    uncollected: dict[str, str] = dataclasses.field(default_factory=dict)
    """Why files could not be collected, by their names; an empty name stands for all."""
    requests: dict[str, Mapping[str, int]] = dataclasses.field(default_factory=dict)
    margin: float | None = None


class JudgingRun(MeasuringRun):
    """Judges the cells of test functions by the answers of their trials, in their order."""

    tape: TapeByPosition

    def __init__(self, run: RunData, tape: TapeByPosition) -> None:
        super().__init__(run, tape)

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        self.tape.begin(cell)
        super().run_cell(cell, trial_of, start)


def settings_to_json(settings: Settings) -> dict[str, Any]:
    """Return the settings on which trials depend."""
    return {name: str(value) if isinstance(value := getattr(settings, name), Path) else value for name in OF_TRIALS}


def _settings(given: Mapping[str, Any]) -> Settings:
    def value(name: str, of: Any) -> Any:
        if name in PATHS:
            return of and Path(of)
        return tuple(tuple(each) if isinstance(each, list) else each for each in of) if isinstance(of, list) else of

    return Settings(**{name: value(name, of) for name, of in given.items()})


def judge(task: BaseTask) -> BaseAnswer:
    """Run the base's test code, and return what it makes of the answers."""
    found, copy = BaseAnswer(), Path(task.copy)
    run = Run.with_settings(_settings(task.settings), copy, name=task.run, folder=copy / "reports" / task.run)
    run.say = lambda _: None
    used = {key: [UsedAnswer(*answer) for answer in answers] for key, answers in task.used.items()}
    tape = TapeByPosition(Path(task.root) / "cassettes", task.run, Path(task.private) if task.private else None, used)

    def work(nested: NestedSession) -> None:
        cells = {item: running.cell for item in nested.session.items if (running := state_of(item).function_cell)}
        found.collected = sorted({cell.point.test for cell in cells.values()})
        nested.session.items[:] = [item for item, cell in cells.items() if cell_key(cell) in used]
        tape.homes = {name: folder.resolve() for name, folder in run.homes.items()}
        measuring = JudgingRun(run, tape)
        nested.run(measuring)
        found.rows = [row.to_json() for cell in measuring.cells for row in cell.rows]
        measured = {cell_key(cell.cell) for cell in measuring.cells}
        for item in nested.session.items:
            if cell_key(cell := cells[item]) not in measured:
                found.broken.setdefault(cell.point.test, measuring.broken.get(item.nodeid, "it did not run"))

    nested, given = NestedSession(work), RunOfCommand(run)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = pytest.main([*task.arguments, f"-W{IMPORTED}"], plugins=[given, nested])
    found.uncollected = {**nested.uncollected}
    if nested.error is not None:
        found.uncollected[""] = str(nested.error)
    elif code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
        found.uncollected.setdefault("", str(given.mistake or _last_line(printed.getvalue())))
    found.requests = {test: dataclasses.asdict(of_test) for test, of_test in tape.requests_of_tests()}
    found.margin = run.settings.margin
    return found


def _last_line(printed: str) -> str:
    """Return the line of pytest's output that states an error."""
    lines = [line.removeprefix("E").strip() for line in printed.splitlines() if line.strip()]
    errors = [line for line in printed.splitlines() if line.startswith("E  ")]
    return errors[-1].removeprefix("E").strip() if errors else lines[-1] if lines else "pytest ended without a word"


def main(asked: str, answered: str) -> None:
    """Read the task from one file, and write the answer into another."""
    task = BaseTask(**json.loads(Path(asked).read_text("utf-8")))
    sys.path[:] = [*task.paths, *(_in_copy(path, task) for path in sys.path)]
    try:
        found = judge(task)
    except UserError as error:
        found = BaseAnswer(uncollected={"": str(error)})
    text = json.dumps(fields_of(found), ensure_ascii=False)
    Path(answered).write_text(text, "utf-8", "surrogatepass")


def _in_copy(path: str, task: BaseTask) -> str:
    """Return a path of modules as it is in the copy, unless Python itself or what is installed is there."""
    if not Path(path).is_relative_to(task.root) or Path(path).is_relative_to(sys.prefix):
        return path
    return str(Path(task.copy) / Path(path).relative_to(task.root))


def fields_of(message: BaseTask | BaseAnswer) -> dict[str, Any]:
    """Return the fields without copying what they contain, as `asdict` does."""
    return {field.name: getattr(message, field.name) for field in dataclasses.fields(message)}


def rows_of(found: Mapping[str, Any]) -> list[Row]:
    """Return the rows of an answer. Raises ValueError."""
    return [Row.of(json.loads(row)) for row in found["rows"]]
