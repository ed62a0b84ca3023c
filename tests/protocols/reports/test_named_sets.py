"""How named sets are shown: the strict rate with RULER's recall beside it, and the main findings."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from longctx.protocols.reports.named_sets import Counting, NeedlesAccount, Tracking
from longctx.report.tables import tables
from longctx.stats.rates import Rate
from longctx.summary.summary import Summary
from longctx.views.account import Rank
from longctx.views.chart import Chart
from tests.protocols import FrequentWords, MultipleNeedles, VariableTracking
from tests.protocols.tokens import all_of_it, everything, nothing, rows, summary, the_first

SHORT, LONG = VariableTracking(1200, 2, 2), VariableTracking(2400, 2, 2)
NEEDLES = MultipleNeedles(1500, 4, 1, 2)
WORDS = FrequentWords(1200, 200)
EXACTLY, RECALL = "exact set [95% interval]", "RULER's recall"


@pytest.fixture(scope="module")
def made() -> Summary:
    """Tracking holds in a short window alone; of needles all are named; words are right or not named."""
    return summary(
        rows(SHORT, *[all_of_it] * 6),
        rows(LONG, *[the_first] * 6),
        rows(NEEDLES, *[everything] * 3, all_of_it),
        rows(WORDS, all_of_it, nothing),
    )


def charts(made: Summary, family: str) -> list[Chart]:
    summary_of_family = made.families[family]
    return list(summary_of_family.account.charts(made.of(family), summary_of_family.analysis) or ())


def findings(made: Summary, family: str) -> list[tuple[Rank, str]]:
    summary_of_family = made.families[family]
    return list(summary_of_family.account.findings(made.of(family), summary_of_family.analysis))


def test_the_recall_is_beside_the_strict_rate(made: Summary) -> None:
    shown = {table.title.partition(",")[0]: table.frame for table in tables(made)}
    assert shown["Variable tracking"].reset_index().to_dict("records") == [
        {"asked for": "2 chains of 2 hops", "window": "1,200", EXACTLY: str(Rate(6, 6)), RECALL: "1.00"},
        {"asked for": "2 chains of 2 hops", "window": "2,400", EXACTLY: str(Rate(0, 6)), RECALL: "0.33"},
    ]
    assert shown["Multiple needles"].reset_index().to_dict("records") == [
        {"asked for": "2 of 4 keys, 1 value each", "window": "1,500", EXACTLY: str(Rate(1, 4)), RECALL: "1.00"}
    ]
    assert shown["Frequent words"][EXACTLY].to_dict() == {"alpha 2": str(Rate(1, 2))}


def test_what_was_not_measured_has_no_recall(made: Summary) -> None:
    unmeasured = replace(made.scenarios[0], rate=Rate(0, 0))
    [table] = made.families["variable_tracking"].account.tables([unmeasured], ()) or ()
    assert table.frame.iloc[0].to_list() == ["1,200", "not measured", "-"]


def test_the_page_tells_what_was_missed_from_what_was_named_besides(made: Summary) -> None:
    tracking, needles = (made.families[name] for name in ("variable_tracking", "multiple_needles"))
    [table] = tracking.account.further_tables(tracking.analysis)
    assert table.family == "variable_tracking"
    assert table.frame["missed"].to_list() == ["0 of 18", "12 of 18"]
    [table] = needles.account.further_tables(needles.analysis)
    assert table.frame.reset_index().to_dict("records") == [
        {
            "model": "m",
            "prompts": "protocol",
            "window": "1,500",
            "asked": "2 of 4 keys, 1 value each",
            "missed": "0 of 8",
            "of another key": "6",
            "all, plus others": "3 of 4 trials",
        }
    ]
    assert list(tracking.account.further_tables(())) == []


def test_charts_by_window_by_place_in_the_chain_and_by_depth(made: Summary) -> None:
    assert [chart.name for chart in charts(made, "variable_tracking")] == [
        "variable-tracking-by-window-1",
        "variable-tracking-by-number-1",
        "variable-tracking-by-depth-1",
    ]
    assert [chart.name for chart in charts(made, "multiple_needles")] == ["multiple-needles-by-depth-1"]
    assert [chart.name for chart in charts(made, "frequent_words")] == ["frequent-words-by-number-1"]
    _, by_number, by_depth = charts(made, "variable_tracking")
    assert by_number.table.frame["2 chains of 2 hops"].to_dict() == {
        "first": str(Rate(12, 12)),
        "hop 1": str(Rate(6, 12)),
        "hop 2": str(Rate(6, 12)),
    }
    assert all(tenth.endswith("%") for tenth in by_depth.table.frame.index)


def test_what_falls_and_what_is_named_besides_stands_out(made: Summary) -> None:
    assert findings(made, "variable_tracking") == [
        (
            Rank.LEVEL,
            "Variable tracking, m, prompts protocol, 2 chains of 2 hops: the rate falls from 1.00 at 1,200 tokens to "
            "0.00 at 2,400 tokens.",
        )
    ]
    assert findings(made, "multiple_needles") == [
        (
            Rank.CAUSE,
            "Multiple needles, m, prompts protocol: in 3 of 4 trials everything that was "
            "asked for is named, and something else as well: "
            "RULER's recall counts these as complete.",
        ),
        (
            Rank.CAUSE,
            "Multiple needles, m, prompts protocol: 6 names that were not asked for "
            "are given, and 8 that were; 6 of the "
            "former are of another key.",
        ),
    ]
    assert findings(made, "frequent_words") == []


def test_programs_read_the_same(made: Summary) -> None:
    needles = made.families["multiple_needles"]
    [entry] = needles.account.data(needles.analysis)["multiple_needles"]
    written = json.loads(json.dumps(entry))
    assert {name: written[name] for name in ("scenario", "trials", "recall", "named", "missed", "all_and_more")} == {
        "scenario": NEEDLES.slug,
        "trials": 4,
        "recall": 1.0,
        "named": 8,
        "missed": 0,
        "all_and_more": 3,
    }
    assert written["besides"] == {"of_another_key": 6}
    assert written["named_by_number"] == {"1": [4, 4], "2": [4, 4]}
    assert sum(n for _, n in written["named_by_depth"].values()) == 8


@pytest.mark.parametrize(
    ("said", "params"),
    [
        ("1 chain of 4 hops", {"chains": 1, "hops": 4}),
        ("1 key, 4 values", {"keys": 1, "values": 4, "queries": 1}),
        ("4 keys, 1 value each", {"keys": 4, "values": 1, "queries": 4}),
        ("4 of 8 keys, 2 values each", {"keys": 8, "values": 2, "queries": 4}),
        ("alpha 1.5", {"alpha_percent": 150}),
    ],
)
def test_what_a_shape_is_called(said: str, params: dict[str, int]) -> None:
    account = {"chains": Tracking, "keys": NeedlesAccount, "alpha_percent": Counting}[next(iter(params))]
    assert account().shape(params) == said
