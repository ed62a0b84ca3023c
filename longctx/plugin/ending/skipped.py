"""The reasons why longctx's tests were skipped, which pytest itself shows only with -rs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from longctx.plural import count

TABLE = re.compile(r"\[\w+\]")
"""The name of a profile's table in a reason."""


def sentences(terminal: pytest.TerminalReporter) -> Iterator[str]:
    """Yield a sentence for each reason, with the number of its tests; one for all tables that the profile lacks."""
    reports = terminal.getreports("skipped")
    marked = (report for report in reports if isinstance(report, pytest.TestReport) and "longctx" in report.keywords)
    reasons: dict[tuple[str, str], list[str]] = {}
    for reason in map(_reason, marked):
        table = TABLE.search(reason)
        start, end = (reason[: table.start()], reason[table.end() :]) if table else (reason, "")
        reasons.setdefault((start, end), []).append(table[0] if table else "")
    for (start, end), tables in reasons.items():
        number, reason = len(tables), f"{start}{', '.join(dict.fromkeys(tables))}{end}"
        yield f"{count(number, 'test was', 'tests were')} skipped: {reason}."


def _reason(report: pytest.TestReport) -> str:
    """Return the reason that pytest.skip was given."""
    *_, message = report.longrepr if isinstance(report.longrepr, tuple | list) else [str(report.longrepr)]
    return str(message).removeprefix("Skipped: ")
