"""The reasons why longctx's tests were skipped, which pytest itself shows only with -rs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest


def sentences(terminal: pytest.TerminalReporter) -> Iterator[str]:
    """Yield a sentence for each reason, with the number of its tests."""
    reports = terminal.getreports("skipped")
    marked = (report for report in reports if isinstance(report, pytest.TestReport) and "longctx" in report.keywords)
    reasons = Counter(_reason(report) for report in marked)
    for reason, number in reasons.items():
        yield f"{number:,} {'test was' if number == 1 else 'tests were'} skipped: {reason}."


def _reason(report: pytest.TestReport) -> str:
    """Return the reason that pytest.skip was given."""
    *_, message = report.longrepr if isinstance(report.longrepr, tuple | list) else [str(report.longrepr)]
    return str(message).removeprefix("Skipped: ")
