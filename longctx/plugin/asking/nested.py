"""A pytest within pytest, with the user's own arguments: only it knows -k, -m, fixtures and functions."""

from __future__ import annotations

import contextlib
import io

import pytest

from longctx.plugin.run import GivenRun


class Nested:
    """A plugin of a nested pytest. Its presence marks that pytest as nested."""

    interrupted = False

    def __init__(self) -> None:
        self.broken: dict[str, str] = {}
        """Why tests could not run, such as a fixture that fails, by their names."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            text = crash.message if crash else str(report.longrepr).strip().rpartition("\n")[2]
            self.broken[report.nodeid] = text.partition("\n")[0]

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Note a Ctrl-C. pytest calls this hook for errors in collection too, which have another type."""
        self.interrupted = excinfo.type is KeyboardInterrupt


def is_nested(config: pytest.Config) -> bool:
    """Return whether this pytest runs within another one, which it serves."""
    return any(isinstance(plugin, Nested) for plugin in config.pluginmanager.get_plugins())


def run_nested(config: pytest.Config, plugin: Nested, *arguments: str) -> int:
    """Run pytest with the user's arguments and these; return its exit status. It prints nothing.

    Raises KeyboardInterrupt, which pytest itself catches.
    """
    given = [*map(str, config.invocation_params.args), *arguments, "--capture=no"]
    passed_on = [each for each in config.invocation_params.plugins or () if isinstance(each, GivenRun)]
    if hasattr(config.option, "numprocesses"):  # xdist is installed
        given.append("-n0")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = pytest.main(given, plugins=[plugin, *passed_on])
    if plugin.interrupted:
        raise KeyboardInterrupt
    return int(code)
