"""The tests that a person selects for a command: pytest collects them, and asks and measures what a run has of them.

The reports that test functions declare in their markers, for a process that has not collected the tests.

Reports hold functions, so that no other process can send them: the tests are collected here, as pytest always does it.
Only the project's own tests are, and no file that results name.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

import pytest

from longctx.authoring.writing import Writing
from longctx.engine.run import Run
from longctx.errors import UserError
from longctx.plugin.nested import Nested, NestedSession, without_output
from longctx.plugin.run import RunOfCommand
from longctx.plugin.selection import MARKER
from longctx.plugin.session import run_of, session_of, state_of

if TYPE_CHECKING:
    from pathlib import Path

    from longctx.cells.cell import Cell
    from longctx.engine.measure import MeasuredCell
    from longctx.functions.function_run import FunctionRun
    from longctx.live.cost.estimate import Estimates
    from longctx.views.reporting import Reports
    from longctx.workspace import Workspace

IMPORTED = "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"
"""The filter for pytest's warning that longctx, which the command has imported, cannot be rewritten."""
USUAL = "-plongctx.plugin", f"-W{IMPORTED}", "--ctx-project-tests"
"""The arguments of every pytest that a command starts: by default it takes all tests of the project."""


class SelectedTests:
    """The tests that a person selected, in one run, such as a treatment of an upgrade. Pytest itself prints nothing."""

    def __init__(self, run: Run, selection: Sequence[str]) -> None:
        """selection: the arguments of pytest that select them."""
        self.run = run
        server = run.settings.base_url
        self._arguments = [*USUAL, *selection, "--capture=no", *([f"--ctx-base-url={server}"] if server else [])]

    def estimated(self) -> Estimates:
        """Return what the requests would cost. Raises UserError."""
        from longctx.live.cost.estimate import Estimates

        found: list[Estimates] = []
        self.run.take_estimates = found.append
        self._ask(estimate=True)
        return sum(found, Estimates())

    def ask(self, max_cost: float) -> float:
        """Ask what has no answer within a cap in USD; return what was spent. Raises UserError."""
        self._ask(ask_only=True, max_cost=max_cost)
        return self.run.spent

    def measure(self) -> Sequence[MeasuredCell]:
        """Replay and judge what is recorded. Raises UserError if a test cannot be run."""
        from longctx.engine.function_runs import MeasuringRun

        measuring = MeasuringRun(self.run, self.run.tape())
        cells = self.run_functions(measuring)
        if not (cells or measuring.cells):
            raise UserError(
                "no-test-to-upgrade",
                "None of the selected tests is marked longctx, or the profile leaves them out: select test functions, "
                "as in --tests tests_longctx/test_refunds.py.",
            )
        for cell in measuring.cells:
            if cell.failed:
                self.run.say(cell.failed)
        return [*self.run.measure(cells).cells, *measuring.cells]

    def run_functions(self, functions: FunctionRun) -> list[Cell]:
        """Run the test functions, and return the cells of the protocols. Raises UserError if a test cannot be run."""
        cells: list[Cell] = []

        def work(nested: NestedSession) -> None:
            cells.extend(nested.protocol_cells())
            nested.run(functions)

        nested = NestedSession(work)
        with contextlib.redirect_stderr(io.StringIO()):
            code = self._pytest(nested)
        if nested.error is not None:
            raise nested.error
        if nested.interrupted:
            raise KeyboardInterrupt
        for test, why in (nested.uncollected | functions.broken).items():
            raise UserError("tests-not-run", f"{test} cannot be run: {why}. Run it with pytest to see more.")
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise _not_run(code)
        return cells

    def _ask(self, **settings: object) -> None:
        """Run pytest, which asks or estimates and then ends, as its options say."""
        kept = self.run.settings
        self.run.settings = dataclasses.replace(kept, **settings)  # type: ignore[arg-type]
        try:
            code = self._pytest()
        finally:
            self.run.settings = kept
        if code == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            raise _not_run(code)

    def _pytest(self, *plugins: object) -> int:
        """Run pytest on the selected tests; return its exit status. Raises UserError if it refuses them."""
        given, terminal, say = RunOfCommand(self.run), sys.stdout, self.run.say
        self.run.say = functools.partial(_say, terminal)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                code = int(pytest.main([*self._arguments], plugins=[given, *plugins]))
        finally:
            self.run.say = say
        if given.mistake:
            raise given.mistake
        return code


def _not_run(code: int) -> UserError:
    """Return the error that pytest ended with a status from which nothing can be measured."""
    return UserError(
        "tests-not-run",
        f"Nothing was measured, because pytest ended with exit code {code}: run pytest on the tests to see why.",
    )


def _say(terminal: TextIO, sentence: str) -> None:
    """Print a sentence past what is redirected. If nobody reads on, as after `| head`, the command itself ends."""
    with contextlib.suppress(BrokenPipeError):
        print(sentence, file=terminal, flush=True)


ANY = "claude-haiku-5-5"
"""A model of known window, for a profile that names none: recordings of all models are looked at."""
NO_MODEL = "[no-model]"


@dataclass(slots=True)
class RequestedFiles:
    """What tests request: the files of their cells, without the folder of the model."""

    files: set[str] = field(default_factory=set)
    tests: set[str] = field(default_factory=set)
    """The names of the tests."""
    unknown: set[str] = field(default_factory=set)
    """The names of those of which a cell is not known, since they have a mistake or a profile leaves them out."""


class _Collecting(Nested):
    def __init__(self, asked: RequestedFiles) -> None:
        super().__init__()
        self._asked = asked

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if item.get_closest_marker(MARKER) is None:
                continue
            running = state_of(item).function_cell
            cell = running.cell if running else _cell_in(item)
            name = item.function.__name__ if isinstance(item, pytest.Function) else item.name
            self._asked.tests |= {name, *([cell.point.test] if cell else [])}
            if cell:
                self._asked.files.add(cell.file.partition("/")[2])
            else:
                self._asked.unknown |= {name, name.removeprefix("test_")}


def _cell_in(item: pytest.Item) -> Cell | None:
    """Return the cell that a test measures by the fixture `measure`."""
    found: Cell | None = getattr(item, "callspec", None) and item.callspec.params.get("cell")  # type: ignore[attr-defined]
    return found


def requested_files(workspace: Workspace) -> RequestedFiles:
    """Return what the tests of the project ask for under each of its profiles. Raises UserError."""
    asked = RequestedFiles()
    profiles: list[str | None] = [path.stem for path in sorted(workspace.own("profiles").glob("*.toml"))]
    for profile in profiles or [None]:
        why = _collect(workspace, profile, asked, "" if profile else ANY)
        if NO_MODEL in why:
            why = _collect(workspace, profile, asked, ANY)
        if why:
            raise UserError(
                "tests-not-collected",
                "Unused recordings cannot be listed, because the tests cannot be collected"
                f"{f' under the profile {profile}' if profile else ''}: {why}",
            )
    return asked


def orphans(workspace: Workspace) -> list[tuple[Path, str]]:
    """Return the recordings that no test of the project asks for, each with the reason. Raises UserError."""
    asked = requested_files(workspace)
    found = []
    for path in sorted(workspace.cassettes.glob("*/*/*.jsonl")):
        _, test, name = path.relative_to(workspace.cassettes).parts
        if f"{test}/{name}" not in asked.files and test not in asked.unknown and test != Writing.declared.name:
            found.append(
                (path, "no cell of the test is recorded there" if test in asked.tests else "no test of this name")
            )
    return found


def _collect(workspace: Workspace, profile: str | None, asked: RequestedFiles, model: str) -> str:
    """Collect all tests of the project; return why that cannot be done, empty if it was."""
    collecting = _Collecting(asked)
    given = RunOfCommand(Run(profile, model or (), root=workspace.root))
    with without_output():
        code = pytest.main([*USUAL, "--collect-only"], plugins=[given, collecting])
    if given.mistake:
        return str(given.mistake)
    if collecting.uncollected:
        return ": ".join(next(iter(collecting.uncollected.items())))
    return "" if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) else f"status {int(code)} of pytest"


def load_reports_of_workers(config: pytest.Config) -> None:
    """Learn the reports of the tests that workers have run: the process that started them collects nothing."""
    session, run = session_of(config), run_of(config)
    unknown = {name: found for name, found in session.unknown_reports.items() if name not in run.reports}
    if not unknown:
        return
    files = dict.fromkeys(str(config.rootpath / file) for file, _ in unknown.values())
    # The user's own arguments might write a file for other programs, as --junit-xml does.
    arguments = [f"--rootdir={config.rootpath}", "-oaddopts=", f"--import-mode={config.option.importmode}"]
    arguments += [f"-c{config.inipath}"] if config.inipath else []
    arguments += [f"-p{plugin}" for plugin in config.option.plugins]
    own = Run.with_settings(run.settings, run.workspace.root, name=run.name, folder=run.folder)
    found = _collected_reports(own, *arguments, "-pno:cacheprovider", f"-W{IMPORTED}", *files)
    run.reports |= _known_reports(found, unknown)


def reports_of_tests(workspace: Workspace, declared: Mapping[str, bool]) -> Reports:
    """Return the reports of test functions, which are looked for in the project's tests.

    declared: the names of those that declare one, and whether it adds to the gate, as the manifest of a run tells.
    """
    if not declared:
        return {}
    found = _collected_reports(Run(None, ANY, root=workspace.root, say=lambda _: None), *USUAL)
    return _known_reports(found, {name: ("", gated) for name, gated in declared.items()})


def _known_reports(found: Reports, unknown: Mapping[str, tuple[str, bool]]) -> Reports:
    """Return the reports that were not known, as far as they were found; None of one that adds to the gate."""
    return {name: found.get(name) for name, (_, gated) in unknown.items() if gated or name in found}


def _collected_reports(run: Run, *arguments: str) -> Reports:
    """Return the reports of the tests that pytest collects with these arguments. It prints nothing."""
    with without_output():
        pytest.main([*arguments, "--collect-only", "--capture=no"], plugins=[RunOfCommand(run), Nested()])
    return run.reports
