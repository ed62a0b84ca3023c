"""Each band that fails the gate as a failed test case, for pytest's summary and for JUnit XML."""

from __future__ import annotations

import pytest

from longctx.plugin.session import run_of, session_of

GATE = "gate::"
"""How the ids of the test cases of bands begin."""


def report(session: pytest.Session) -> None:
    """Report each band that fails the gate as a failed test case, which no exit status counts."""
    config = session.config
    finished = session_of(config).finished
    if finished is None or not finished.verdict or finished.verdict == "pass":
        return
    if finished.verdict == "inconclusive" and run_of(config).settings.on_inconclusive == "pass":
        return
    failed, stopped = session.testsfailed, session.shouldfail
    session.testscollected += len(finished.failed)  # or pytest's progress would exceed 100%
    for name, why in finished.failed.items():
        of_band = pytest.TestReport(f"{GATE}{name}", ("gate", 0, name), {}, "failed", why, "call")
        config.hook.pytest_runtest_logreport(report=of_band)
    session.testsfailed, session.shouldfail = failed, stopped
