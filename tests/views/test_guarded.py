"""If a test's own code fails, the report is plain there and a sentence says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from longctx.report.run_folder import as_json
from longctx.stats.rates import Rate
from longctx.summary.summary import summarize
from longctx.views.reporting import RESERVED, Guarded, Reporting
from longctx.views.view import RatePoint, RateView
from longctx.vocabulary.report import Report
from tests.rows import row

WAYS: dict[str, Callable[[Guarded], Any]] = {
    "analyse": lambda test: test.analyse([], []),
    "views": lambda test: list(test.views([], None)),
    "tables": lambda test: test.tables([], None),
    "charts": lambda test: test.charts([], None),
    "further_tables": lambda test: list(test.further_tables(None)),
    "findings": lambda test: list(test.findings([], None)),
    "data": lambda test: dict(test.data(None)),
}


def failing(*ways: str) -> Reporting:
    def fails(*_: object) -> Any:
        yield from ()
        raise ZeroDivisionError("no keys")

    def fails_at_once(*_: object) -> Any:
        return list(fails())

    late = {"views", "tables", "charts", "further_tables", "findings"}
    return type("Mine", (Reporting,), {way: fails if way in late else fails_at_once for way in ways})()


@pytest.mark.parametrize("way", WAYS)
def test_what_fails_is_plain_and_told(way: str) -> None:
    guarded = Guarded("Several keys", failing(way))
    assert WAYS[way](guarded) == WAYS[way](Guarded("", Reporting()))
    [fault] = guarded.faults
    assert fault.startswith(f"The report of Several keys failed in `{way}`, and has only the default parts there: ")
    assert "ZeroDivisionError: no keys (test_guarded.py, line " in fault


def test_nothing_is_made_of_an_analysis_that_failed() -> None:
    guarded = Guarded("Several keys", failing("analyse", "tables", "data"))
    for way in WAYS.values():
        way(guarded)
    assert [fault.split("`")[1] for fault in guarded.faults] == ["analyse"]


def test_tables_that_failed_are_those_of_the_test_s_views() -> None:
    view = RateView(points=[RatePoint(5, "a", Rate(1, 2))], name="v", heading="Mine", title="By x", x="x", table="rate")
    mine = type("Mine", (type(failing("tables")),), {"views": lambda self, cells, analysis: iter([view])})()
    guarded = Guarded("Several keys", mine)
    assert [table.title for table in guarded.tables([], None) or ()] == ["Mine: rate"]
    assert [fault.split("`")[1] for fault in guarded.faults] == ["tables"]


def test_entries_of_the_summary_are_not_taken() -> None:
    mine = type("Mine", (Reporting,), {"data": lambda self, analysis: {"cells": [], "mine": []}})()
    guarded = Guarded("Several keys", mine)
    assert guarded.data(None) == {}
    assert "summary.json already has entries called cells" in guarded.faults[0]


def test_the_entries_of_the_summary_are_known() -> None:
    """The entries of the tests stand beside the reserved ones."""
    own = json.loads(as_json(summarize([row(test="unknown", latency_s=0.5)]), "run"))
    assert set(own) >= RESERVED
    assert all(own[name] == [] for name in set(own) - RESERVED)


def test_tests_may_share_a_list_of_entries() -> None:
    report = Report(x="lines", entries="keys", data=lambda answers: {"of": answers.rows[0].test})
    rows = [row(test=name) for name in ("test_a", "test_b")]
    written = json.loads(as_json(summarize(rows, reports=dict.fromkeys(("test_a", "test_b"), report)), "run"))
    assert [entry["of"] for entry in written["keys"]] == ["test_a", "test_b"]
    taken = summarize(rows[:1], reports={"test_a": replace(report, entries="judges")})
    assert "keys" not in json.loads(as_json(taken, "run"))
    assert "summary.json already has entries called judges" in taken.faults[0]
