"""Minimum rates over a whole run: Holm's later steps need every scenario's result, so they are taken at its end.

A test fails at once where Holm's first step shows it. Each test's report carries its own result to the process
that started the run, which fails the tests that only the later steps show.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Generator

import pytest

from longctx.measure.minimum import Requirement, short
from longctx.measure.rates import Rate

PROPERTY = "longctx_minimum"


class Minimum:
    """Registered in the process that started the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._reports: list[tuple[pytest.TestReport, Requirement]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == PROPERTY and report.when == "call":
                correct, n, least = json.loads(str(value))
                self._reports.append((report, Requirement(Rate(correct, n), least)))

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


def attach(item: pytest.Item, required: Requirement) -> None:
    """Let the test's report tell what was required, and what was measured."""
    value = json.dumps([required.rate.correct, required.rate.n, required.minimum])
    item.user_properties.append((PROPERTY, value))
