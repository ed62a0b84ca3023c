"""A wrapper around a protocol's report that turns exceptions into sentences, so that they cannot end a run."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

from longctx.views.reporting import Reporting

RESERVED = frozenset(
    ("schema", "run", "trials", "errors", "usage", "costs", "answered", "scenarios"),
)
"""The entries of summary.json that no family may add."""
OF_TESTS = frozenset(("retention", "windows", "chunks", "judges", "effective_lengths"))
"""Such entries that not every run has."""

Method = TypeVar("Method", bound=Callable[..., Any])


def _guarded(default: Method) -> Method:
    """Return a method that calls the report's own, and `default`, that of Reporting, if it fails or has no analysis."""
    name = default.__name__

    def call(self: Guarded, *arguments: Any) -> Any:
        if "analyse" not in self._failed:
            try:
                result = getattr(self._reporting, name)(*arguments)
                return _checked(list(result) if isinstance(result, Iterator) else result, name)
            except Exception as error:
                self._failed[name] = (
                    f"The report of {self._title} failed in `{name}`, and is plain there: {described(error)}."
                )
        return default(self, *arguments)

    return cast(Method, call)


class Guarded(Reporting):
    """The report of a protocol; methods that raise give the default of Reporting instead. faults: a sentence for each.

    The gate, for which no default will do, calls the report itself.
    """

    def __init__(self, title: str, reporting: Reporting) -> None:
        self._title, self._reporting = title, reporting
        self._failed: dict[str, str] = {}

    @property
    def faults(self) -> list[str]:
        return list(self._failed.values())

    analyse = _guarded(Reporting.analyse)
    views = _guarded(Reporting.views)
    tables = _guarded(Reporting.tables)
    charts = _guarded(Reporting.charts)
    further_tables = _guarded(Reporting.further_tables)
    findings = _guarded(Reporting.findings)
    data = _guarded(Reporting.data)


def _checked(result: Any, method: str) -> Any:
    """Return what a method returned. Raises ValueError for entries of summary.json that are not its own."""
    if method == "data" and (taken := sorted((RESERVED | OF_TESTS) & result.keys())):
        raise ValueError(f"summary.json has entries of its own called {', '.join(taken)}")
    return result


def described(error: Exception) -> str:
    """Describe an exception of a family's own code: its type, its message, and where it was raised."""
    *_, last = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
