"""A wrapper around a family's account that turns exceptions into sentences, so that they cannot end a run."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from longctx.vocabulary.account import Account, Rank, Reported, Scenarios

if TYPE_CHECKING:
    from longctx.report.charts.chart import Chart
    from longctx.report.table import Table
    from longctx.results.row import Row
    from longctx.vocabulary.grid import Grid

RESERVED = frozenset(
    ("schema", "run", "trials", "errors", "usage", "costs", "answered", "scenarios"),
)
"""The entries of summary.json that no family may add."""

Result = TypeVar("Result")


class Guarded(Account):
    """The account of a family; methods that raise give the default of Account instead. faults: a sentence for each."""

    def __init__(self, title: str, account: Account) -> None:
        self._title, self._account = title, account
        self._failed: dict[str, str] = {}

    @property
    def faults(self) -> list[str]:
        return list(self._failed.values())

    def analyse(self, scenarios: Scenarios, rows: Sequence[Row]) -> Any:
        return self._tried("analyse", lambda: self._account.analyse(scenarios, rows), None)

    def tables(self, scenarios: Scenarios, analysis: Any) -> Iterable[Table] | None:
        return self._shown("tables", lambda: self._account.tables(scenarios, analysis))

    def charts(self, scenarios: Scenarios, analysis: Any) -> Iterable[Chart] | None:
        return self._shown("charts", lambda: self._account.charts(scenarios, analysis))

    def further_tables(self, analysis: Any) -> Iterable[Table]:
        return self._shown("further_tables", lambda: self._account.further_tables(analysis)) or ()

    def findings(self, scenarios: Scenarios, analysis: Any) -> Iterable[tuple[Rank, str]]:
        return self._shown("findings", lambda: self._account.findings(scenarios, analysis)) or ()

    def reported(self, before: Sequence[Row], after: Sequence[Row], grids: Sequence[Grid]) -> Sequence[Reported]:
        return self._account.reported(before, after, grids)

    def data(self, analysis: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return self._unless_failed("data", lambda: self._own_entries(analysis), {})

    def _own_entries(self, analysis: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        entries = self._account.data(analysis)
        if taken := sorted(RESERVED & entries.keys()):
            raise ValueError(f"summary.json has entries of its own called {', '.join(taken)}")
        return entries

    def _shown(self, method: str, call: Callable[[], Iterable[Result] | None]) -> list[Result] | None:
        def consumed() -> list[Result] | None:
            result = call()
            return None if result is None else list(result)

        return self._unless_failed(method, consumed, None)

    def _unless_failed(self, method: str, call: Callable[[], Result], default: Result) -> Result:
        """Call a method that uses the analysis; return the default if there is no analysis, or if the method fails."""
        return default if "analyse" in self._failed else self._tried(method, call, default)

    def _tried(self, method: str, call: Callable[[], Result], default: Result) -> Result:
        try:
            return call()
        except Exception as error:
            self._failed[method] = (
                f"The account of {self._title} failed in `{method}`, so that its report is plain there: "
                f"{described(error)}."
            )
            return default


def described(error: Exception) -> str:
    """Describe an exception of a family's own code: its type, its message, and where it was raised."""
    *_, last = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
