"""The test of minimum rates over a whole run.

Holm's later steps need the results of all cells and are taken at the end. A test fails at once if Holm's first step
already shows it below the minimum. Its report carries its result to the process that started the run, which fails the
tests that only a later step shows to be below.
"""

from __future__ import annotations

import copy
from collections.abc import Generator

import pytest

from longctx.gate.minimum import Requirement, shortfalls
from longctx.plugin.measuring import is_rerun, results_of


class Minimum:
    """The plugin that collects the results; it is registered in the process that started the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._reports: list[tuple[pytest.TestReport, Requirement]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and not is_rerun(report):
            required = (
                Requirement(result.rate, result.minimum) for result in results_of(report) if result.minimum is not None
            )
            self._reports += [(report, requirement) for requirement in required]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        result = yield
        reports, self._reports = self._reports, []
        for report, requirement in shortfalls(reports):
            if report.passed:
                self._report_failed(report, str(requirement))
        return result

    def _report_failed(self, passed: pytest.TestReport, why: str) -> None:
        """Replace the report of a passed test by one that it failed."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.stats["passed"].remove(passed)
        failed = copy.copy(passed)
        failed.outcome = "failed"
        failed.longrepr = why
        self._config.hook.pytest_runtest_logreport(report=failed)
