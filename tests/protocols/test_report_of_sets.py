"""What is reported of named sets: the strict rate with RULER's recall, what was missed, and what was added."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.registry import shipped
from longctx.report.tables import tables
from longctx.stats.rates import Rate
from longctx.summary.summary import Summary
from longctx.views.chart import Chart
from longctx.vocabulary.report import Rank
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


def charts(made: Summary, test: str) -> list[Chart]:
    summary_of_test = made.tests[test]
    return list(summary_of_test.reporting.charts(made.of(test), summary_of_test.analysis) or ())


def findings(made: Summary, test: str) -> list[tuple[Rank, str]]:
    summary_of_test = made.tests[test]
    return list(summary_of_test.reporting.findings(made.of(test), summary_of_test.analysis))


def test_the_recall_is_beside_the_strict_rate(made: Summary) -> None:
    shown = {table.title.partition(",")[0]: table.frame for table in tables(made)}
    assert shown["Variable tracking"].reset_index().to_dict("records") == [
        {"asked": "2 chains of 2 hops", "window": "1,200", EXACTLY: str(Rate(6, 6)), RECALL: "1.00"},
        {"asked": "2 chains of 2 hops", "window": "2,400", EXACTLY: str(Rate(0, 6)), RECALL: "0.33"},
    ]
    assert shown["Multiple needles"].reset_index().to_dict("records") == [
        {"asked": "2 of 4 keys, 1 value each", "window": "1,500", EXACTLY: str(Rate(1, 4)), RECALL: "1.00"}
    ]
    assert shown["Frequent words"][EXACTLY].to_dict() == {"alpha 2": str(Rate(1, 2))}


def test_what_was_not_measured_has_no_recall(made: Summary) -> None:
    unmeasured = replace(made.cells[0], rate=Rate(0, 0))
    [table] = made.tests["variable_tracking"].reporting.tables([unmeasured], ()) or ()
    assert table.frame.iloc[0].to_list() == ["1,200", "not measured", "-"]


def test_the_page_tells_what_was_missed_from_what_was_named_besides(made: Summary) -> None:
    tracking, needles = (made.tests[name] for name in ("variable_tracking", "multiple_needles"))
    [table] = tracking.reporting.further_tables(tracking.analysis)
    assert table.test == "variable_tracking"
    assert table.frame["missed"].to_list() == ["0 of 18", "12 of 18"]
    [table] = needles.reporting.further_tables(needles.analysis)
    assert table.frame.reset_index().to_dict("records") == [
        {
            "model": "m",
            "prompts": "protocol",
            "window": "1,500",
            "asked": "2 of 4 keys, 1 value each",
            "missed": "0 of 8",
            "all, plus others": "3",
            "of another key": "6",
            "trials": "4",
        }
    ]
    assert list(tracking.reporting.further_tables(())) == []


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
            "Variable tracking, m, prompts protocol, 2 chains of 2 hops: accuracy falls from 1.00 at 1,200 tokens to "
            "0.00 at 2,400 tokens.",
        )
    ]
    assert findings(made, "multiple_needles") == [
        (
            Rank.CAUSE,
            "Multiple needles, m, prompts protocol: of 6 wrong names, 6 are of another key.",
        ),
        (
            Rank.CAUSE,
            "Multiple needles, m, prompts protocol: in 3 of 4 trials everything that was "
            "asked for is named, and something else as well: "
            "RULER's recall counts these as complete.",
        ),
    ]
    assert findings(made, "frequent_words") == []


def test_programs_read_the_same(made: Summary) -> None:
    needles = made.tests["multiple_needles"]
    [entry] = needles.reporting.data(needles.analysis)["multiple_needles"]
    written = json.loads(json.dumps(entry))
    assert {name: written[name] for name in ("cell", "trials", "recall", "named", "missed", "all_and_more")} == {
        "cell": NEEDLES.slug,
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
    names = {"chains": "variable_tracking", "keys": "multiple_needles", "alpha_percent": "frequent_words"}
    report = shipped()[names[next(iter(params))]].report
    assert report is not None
    assert report.series is not None
    assert report.series(params) == said


TRACKED = VariableTracking(1500, 3, 3)


def entry(made: Summary, test: str = "variable_tracking") -> Any:
    of_test = made.tests[test]
    [entry] = of_test.reporting.data(of_test.analysis)[test]
    return entry


def test_who_names_everything_has_all_of_the_recall_and_no_right_trial() -> None:
    made = summary(rows(TRACKED, everything, everything))
    found = entry(made)
    assert (found["recall"], found["all_and_more"], found["trials"]) == (1, 2, 2)
    assert made.cells[0].rate == Rate(0, 2)
    assert found["besides"] == {"of_another_chain": 2 * 2 * 4, "of_the_example": 2 * 5}


def test_a_reply_without_an_answer_has_no_recall_and_misses_nothing_anywhere() -> None:
    found = entry(summary(rows(TRACKED, all_of_it, nothing, nothing, nothing)))
    assert found["recall"] == 0.25
    assert (found["named"], found["missed"]) == (4, 0)
    assert found["named_by_number"] == dict.fromkeys((1, 2, 3, 4), (1, 1))


def test_what_is_missed_depends_on_its_place_in_the_chain() -> None:
    found = entry(summary(rows(TRACKED, the_first, all_of_it)))
    assert found["named_by_number"] == {1: (2, 2), 2: (1, 2), 3: (1, 2), 4: (1, 2)}
    assert found["recall"] == (0.25 + 1) / 2
    assert found["all_and_more"] == 0


@settings(max_examples=20)
@given(st.lists(st.sampled_from([all_of_it, the_first, everything]), min_size=1, max_size=4))
def test_each_item_is_at_one_depth_and_has_one_number(replies: list[Any]) -> None:
    found = entry(summary(rows(TRACKED, *replies)))
    for places in (found["named_by_number"], found["named_by_depth"]):
        assert sum(n for _, n in places.values()) == 4 * len(replies) == found["named"] + found["missed"]
        assert sum(named for named, _ in places.values()) == found["named"]
    assert set(found["named_by_depth"]) <= set(range(10))


def test_words_are_reported_by_their_frequency() -> None:
    found = entry(summary(rows(FrequentWords(1200, 200), the_first, all_of_it)), "frequent_words")
    assert found["named_by_number"] == {1: (2, 2), 2: (1, 2), 3: (1, 2)}
