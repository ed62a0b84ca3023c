"""Minimum rates over a whole run: Holm's later steps need every scenario's result, so they are taken at its end.

A test fails at once where Holm's first step shows it. Each test's report carries its own result to the process
that started the run, which fails the tests that only the later steps show.
"""

from __future__ import annotations

import copy
from collections.abc import Generator

import pytest

from longctx.gate.minimum import Requirement, short
from longctx.plugin.measuring.properties import read


class Minimum:
    """Registered in the process that started the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._reports: list[tuple[pytest.TestReport, Requirement]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            required = (
                Requirement(result.rate, result.minimum) for result in read(report) if result.minimum is not None
            )
            self._reports += [(report, requirement) for requirement in required]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        result = yield
        found, self._reports = self._reports, []
        for (report, required), is_short in zip(found, short([one for _, one in found]), strict=True):
            if is_short and report.passed:
                self._report_failed(report, str(required))
        return result

    def _report_failed(self, passed: pytest.TestReport, why: str) -> None:
        """Take back that the test passed, and report that it failed."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.stats["passed"].remove(passed)
        failed = copy.copy(passed)
        failed.outcome = "failed"
        failed.longrepr = why
        self._config.hook.pytest_runtest_logreport(report=failed)
