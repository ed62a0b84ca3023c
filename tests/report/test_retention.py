"""The chart of recall against retained tokens, the table of strategies, and the findings on them."""

from __future__ import annotations

from longctx.report.charts import charts
from longctx.report.tables import tables
from longctx.report.text import findings
from longctx.summary.summary import Summary, summarize
from tests.rows import retained, right_of


def measured() -> Summary:
    none = retained("none", 1, *right_of(8, 10), depth=0.2)
    worse = retained("truncate", 0.5, *["wrong"] * 10, depth=0.9, trace={"applied compact_20260112": 0, "stale": 1})
    return summarize([*none, *worse, *retained("summary", 0.4, *right_of(5, 10))])


def test_the_chart_has_a_point_for_each_strategy() -> None:
    [chart] = [chart for chart in charts(measured()) if chart.name.startswith("test-it-frontier")]
    assert chart.title == "Recall against retained tokens: some-model, prompts protocol"
    assert [row[0] for row in chart.table.rows] == [40, 50, 100]
    assert {*chart.table.columns[1:]} == {"none", "truncate", "summary"}


def test_the_table_names_what_strategies_lose_and_cost() -> None:
    [table] = [table for table in tables(measured()) if table.title == "test_it: strategies"]
    [worse] = [
        cells for row in table.rows if (cells := dict(zip(table.columns, row, strict=True)))["strategy"] == "truncate"
    ]
    named = ("tokens kept", "stale", "strategy, $ per 1,000", "dominated by")
    assert [worse[name] for name in named] == ["50%", "10", "10.00", "summary"]


def test_what_a_server_did_not_apply_and_what_is_dominated_are_findings() -> None:
    found = "\n".join(findings(measured()))
    assert "in 10 of 10 trials the server did not apply compact_20260112" in found
    assert (
        "truncate recalls 0.00 from 50% of the tokens; summary recalls at least as much, from no more tokens." in found
    )
