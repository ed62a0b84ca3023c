"""A pytest within pytest, with the user's own arguments: only it knows -k, -m, fixtures and functions."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

from longctx.plugin.run import RunOfCommand
from longctx.plugin.selection import is_function, selected
from longctx.plugin.session import run_of, session_of, state_of

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.functions.function_run import FunctionRun


def _sentence(lines: Sequence[str]) -> str:
    """Return the first of an error's lines, with the next one if it ends in a colon."""
    return " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]


class Nested:
    """A plugin of a nested pytest. Its presence marks that pytest as nested."""

    interrupted = False

    def __init__(self) -> None:
        self.uncollected: dict[str, str] = {}
        """Why files could not be collected, by their names."""

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            lines = str(report.longrepr).strip().splitlines()
            errors = [line.removeprefix("E").strip() for line in lines if line.startswith("E  ")]
            is_syntax = bool(errors) and errors[0].startswith("File ")  # the place comes first
            said = errors or lines or [""]
            self.uncollected[report.nodeid] = said[-1] if is_syntax else _sentence(said)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Note a Ctrl-C. pytest calls this hook for errors in collection too, which have another type."""
        self.interrupted = excinfo.type is KeyboardInterrupt


class NestedSession(Nested):
    """A nested pytest that collects once, and in which test functions run as often as `work` needs.

    Their fixtures of a module, a class or the session are set up once for all of these runs.
    """

    def __init__(self, work: Callable[[NestedSession], object]) -> None:
        """work: is called once the tests are collected."""
        super().__init__()
        self._work = work
        self._streams = sys.stdout, sys.stderr
        self._session: pytest.Session | None = None
        self._run: FunctionRun | None = None
        self.error: BaseException | None = None
        """What `work` raised."""

    @property
    def session(self) -> pytest.Session:
        assert self._session is not None
        return self._session

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._session = session
        if not session.testsfailed or session.config.option.continue_on_collection_errors:
            try:
                with contextlib.redirect_stdout(self._streams[0]), contextlib.redirect_stderr(self._streams[1]):
                    self._work(self)
            except BaseException as error:
                self.error = error
        return True

    def protocol_cells(self) -> list[Cell]:
        """Return the selected cells of protocols."""
        return selected([item for item in self.session.items if not is_function(item)])

    def function_cells(self) -> list[Cell]:
        """Return the selected cells of test functions."""
        return selected([item for item in self.session.items if is_function(item)])

    def run(self, functions: FunctionRun) -> None:
        """Run all test functions. Their output is hidden. Raises KeyboardInterrupt."""
        config = self.session.config
        session = session_of(config)
        session.asking, session.of_fixtures = functions, None
        session.run.forget_plan()  # an earlier run may have learned something of a model
        model_of = functools.cache(session.run.plan.model)
        self._run = functions
        items = [item for item in self.session.items if is_function(item)]
        with without_output():
            for item, after in zip(items, [*items[1:], *items[:1]], strict=True):
                if self.session.shouldstop or self.session.shouldfail:
                    break
                if running := state_of(item).function_cell:
                    cell = dataclasses.replace(running.cell, model=model_of(running.cell.model.model))
                    state_of(item).function_cell = dataclasses.replace(running, cell=cell)
                functions.test = item.nodeid
                try:
                    # A single item is torn down after each run, and its module and class are kept.
                    item.ihook.pytest_runtest_protocol(item=item, nextitem=item.parent if after is item else after)
                except pytest.exit.Exception as ended:
                    functions.broken[item.nodeid] = str(ended)
                    break

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self._run:
            crash = getattr(report.longrepr, "reprcrash", None)
            text = crash.message if crash else str(report.longrepr).strip().rpartition("\n")[2]
            self._run.broken[report.nodeid] = _sentence(text.splitlines() or [""])

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_timeout_set_timer(self) -> bool:
        """Set no timer of pytest-timeout: its limit is for one test, not for the time in which all trials are sent."""
        return True


def is_nested(config: pytest.Config) -> bool:
    """Return whether this pytest runs within another one, which it serves."""
    return any(isinstance(plugin, Nested) for plugin in config.pluginmanager.get_plugins())


def run_nested(config: pytest.Config, work: Callable[[NestedSession], object]) -> tuple[NestedSession, int]:
    """Run pytest with the user's arguments, and `work` in it; return the session, which has ended, and its status.

    Raises what `work` raises, and KeyboardInterrupt, which pytest itself catches.
    """
    given = [*map(str, config.invocation_params.args), "--capture=no"]
    passed_on = [each for each in config.invocation_params.plugins or () if isinstance(each, RunOfCommand)]
    if hasattr(config.option, "numprocesses"):  # xdist is installed
        given.append("-n0")
    capture = config.pluginmanager.get_plugin("capturemanager")

    def uncaptured(session: NestedSession) -> None:
        run, own_run = run_of(config), run_of(session.session.config)
        run.reports |= own_run.reports
        run.homes |= own_run.homes
        with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
            work(session)

    nested = NestedSession(uncaptured)
    with without_output():
        code = pytest.main(given, plugins=[nested, *passed_on])
    if nested.error is not None:
        raise nested.error
    if nested.interrupted:
        raise KeyboardInterrupt
    return nested, int(code)


@contextlib.contextmanager
def without_output() -> Iterator[None]:
    """Show nothing of what is printed."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield
