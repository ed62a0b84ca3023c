"""A wrapper around a family's account that turns exceptions into sentences, so that they cannot end a run."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

from longctx.views.account import Account

RESERVED = frozenset(
    ("schema", "run", "trials", "errors", "usage", "costs", "answered", "scenarios"),
)
"""The entries of summary.json that no family may add."""

Method = TypeVar("Method", bound=Callable[..., Any])


def _guarded(default: Method) -> Method:
    """Return a method that calls the account's own, and `default`, that of Account, if it fails or has no analysis."""
    name = default.__name__

    def call(self: Guarded, *arguments: Any) -> Any:
        if "analyse" not in self._failed:
            try:
                result = getattr(self._account, name)(*arguments)
                return _checked(list(result) if isinstance(result, Iterator) else result, name)
            except Exception as error:
                self._failed[name] = (
                    f"The account of {self._title} failed in `{name}`, so that its report is plain there: "
                    f"{described(error)}."
                )
        return default(self, *arguments)

    return cast(Method, call)


class Guarded(Account):
    """The account of a family; methods that raise give the default of Account instead. faults: a sentence for each.

    The gate, for which no default will do, calls the account itself.
    """

    def __init__(self, title: str, account: Account) -> None:
        self._title, self._account = title, account
        self._failed: dict[str, str] = {}

    @property
    def faults(self) -> list[str]:
        return list(self._failed.values())

    analyse = _guarded(Account.analyse)
    views = _guarded(Account.views)
    tables = _guarded(Account.tables)
    charts = _guarded(Account.charts)
    further_tables = _guarded(Account.further_tables)
    findings = _guarded(Account.findings)
    data = _guarded(Account.data)


def _checked(result: Any, method: str) -> Any:
    """Return what an account's method returned. Raises ValueError for entries of summary.json that are not its own."""
    if method == "data" and (taken := sorted(RESERVED & result.keys())):
        raise ValueError(f"summary.json has entries of its own called {', '.join(taken)}")
    return result


def described(error: Exception) -> str:
    """Describe an exception of a family's own code: its type, its message, and where it was raised."""
    *_, last = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
