"""What latest values report: where wrong answers are from, and the finding about stale ones."""

from __future__ import annotations

from longctx.protocols.latest_value import LogAnswers
from longctx.registry import shipped
from longctx.results.row import Row
from longctx.views.declared import reporting_of
from longctx.vocabulary.point import BuiltTrial
from tests.protocols import LatestValue
from tests.protocols.quota_logs import answers_of
from tests.protocols.tokens import all_of_it, fitted, nothing, rows, summary

CELL = LatestValue(2000, 3, "now")


def answers(trial: BuiltTrial) -> LogAnswers:
    return answers_of(fitted(CELL), trial.identity.trial)


def first(trial: BuiltTrial) -> str:
    return answers(trial).own[0]


def previous(trial: BuiltTrial) -> str:
    return answers(trial).own[-2]


def other(trial: BuiltTrial) -> str:
    return min(answers(trial).others)


def measured() -> list[Row]:
    return rows(CELL, all_of_it, previous, previous, previous, first, other, nothing)


def test_stale_answers_are_counted_by_updates_back() -> None:
    made = summary(measured())
    test, cells = made.tests["latest_value"], made.of("latest_value")
    account, analysis = test.reporting, test.analysis
    by_window, stale = account.views(cells, analysis)
    assert [str(point.value) for point in by_window.points] == ["0.14 [0.03, 0.51] n=7"]
    assert [(point.x, point.value.correct, point.value.n) for point in stale.points] == [
        (1, 3, 7),
        (2, 0, 7),
        (3, 1, 7),
    ]
    assert [sentence for _, sentence in account.findings(cells, analysis)] == [
        "Latest value, m, prompts protocol: of 5 wrong answers, 4 are stale, 3 of these by 1 update."
    ]
    [entry] = account.data(analysis)["latest_value"]
    assert entry["by_updates_back"] == {1: 3, 3: 1}
    assert (entry["stale"], entry["of_another_quantity"], entry["nowhere_in_the_log"]) == (4, 1, 0)
    [table] = account.further_tables(analysis)
    assert table.frame.iloc[0][["stale", "of another quantity", "trials"]].to_list() == ["4", "1", "7"]


def test_nothing_measured_is_no_finding() -> None:
    assert list(reporting_of(shipped()["latest_value"]).further_tables(())) == []
