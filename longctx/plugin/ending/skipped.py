"""The reasons why longctx's tests were skipped, which pytest itself shows only with -rs, or left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest

from longctx.plugin.session import session_of
from longctx.plural import count

TABLE = re.compile(r"\[\w+\]")
"""The name of a profile's table in a reason."""


def sentences(terminal: pytest.TerminalReporter) -> Iterator[str]:
    """Yield a sentence for each reason, with the number of its tests; one for all tables that the profile lacks."""
    reports = terminal.getreports("skipped")
    marked = (report for report in reports if isinstance(report, pytest.TestReport) and "longctx" in report.keywords)
    yield from (f"{each} skipped: {reason}." for each, reason in _counted(map(_reason, marked)))


def left_out(config: pytest.Config, measured: bool) -> Iterator[str]:
    """Yield a sentence for each reason why the profile leaves tests out: with -v, or if nothing was measured."""
    if not measured or config.get_verbosity() > 0:
        reasons = session_of(config).left_out.values()
        yield from (f"{each} deselected: {reason}." for each, reason in _counted(reasons))


def _counted(given: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield how many tests have a reason, with it; reasons that differ in their table alone are one."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for reason in given:
        table = TABLE.search(reason)
        start, end = (reason[: table.start()], reason[table.end() :]) if table else (reason, "")
        reasons.setdefault((start, end), []).append(table[0] if table else "")
    for (start, end), tables in reasons.items():
        named = ", ".join(filter(None, dict.fromkeys(tables)))
        yield count(len(tables), "test was", "tests were"), f"{start}{named}{end}"


def _reason(report: pytest.TestReport) -> str:
    """Return the reason that pytest.skip was given."""
    *_, message = report.longrepr if isinstance(report.longrepr, tuple | list) else [str(report.longrepr)]
    return str(message).removeprefix("Skipped: ")
