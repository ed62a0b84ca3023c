"""Why tests of ours were skipped, which pytest shows only where it is asked to (-rs)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest


def sentences(terminal: pytest.TerminalReporter) -> Iterator[str]:
    """One for each reason."""
    reports = terminal.getreports("skipped")
    ours = (report for report in reports if isinstance(report, pytest.TestReport) and "longctx" in report.keywords)
    reasons = Counter(_reason(report) for report in ours)
    for reason, number in reasons.items():
        yield f"{number:,} {'test was' if number == 1 else 'tests were'} skipped: {reason}."


def _reason(report: pytest.TestReport) -> str:
    """As pytest.skip was given it."""
    *_, said = report.longrepr if isinstance(report.longrepr, tuple | list) else [str(report.longrepr)]
    return str(said).removeprefix("Skipped: ")
