"""An upgrade in words and as a chart of accuracy against price."""

from __future__ import annotations

import json
from dataclasses import replace

from longctx.gate.verdict import give_verdict
from longctx.report.blocks import TextLine
from longctx.report.gate_lines import lost_answers
from longctx.report.page.trials import shown_subject
from longctx.report.upgrade import UpgradeDecision, accuracy_chart, upgrade_data, upgrade_document
from longctx.results.row import Row
from tests.gate.examples import AGELESS
from tests.rows import right_of, run


def rows(correct: int, usd: float | None, seconds: float | None = None) -> list[Row]:
    return run(*right_of(correct, 20), band="short", cost_usd=usd, latency_s=seconds)


def decision(old: list[Row], **candidates: list[Row]) -> UpgradeDecision:
    judged = [(name, give_verdict(old, new, AGELESS)) for name, new in candidates.items()]
    return UpgradeDecision("old", old, judged, candidates, next(iter(candidates)))


def test_accuracy_against_price_has_a_point_for_each_treatment() -> None:
    chart = accuracy_chart(decision(rows(18, 0.02), cheap=rows(9, 0.001), dear=rows(19, 0.1)))
    assert chart is not None
    points = chart.plot.marks
    assert [(each.series, each.x, each.value) for each in points] == [
        ("old", 20.0, 0.9),
        ("cheap", 1.0, 0.45),
        ("dear", 100.0, 0.95),
    ]
    assert all(each.interval and each.interval[0] < each.value < each.interval[1] for each in points)
    assert (chart.title, chart.note) == ("Accuracy against price", "")


def test_servers_of_ones_own_are_compared_by_latency() -> None:
    chart = accuracy_chart(decision(rows(18, 0.0, 2.0), new=rows(9, 0.0, 0.5)))
    assert chart is not None
    assert [each.x for each in chart.plot.marks] == [2.0, 0.5]
    assert (chart.title, bool(chart.note)) == ("Accuracy against latency", True)


def test_without_prices_and_latencies_there_is_no_chart() -> None:
    assert accuracy_chart(decision(rows(18, None), new=rows(9, None))) is None


def test_a_candidate_without_a_price_is_not_on_the_axis() -> None:
    chart = accuracy_chart(decision(rows(18, 0.02), unknown=rows(9, None), new=rows(9, 0.01)))
    assert chart is not None
    assert [each.series for each in chart.plot.marks] == ["old", "new"]


def test_a_terminal_shows_one_candidate_by_its_bands_and_one_answer_that_it_lost() -> None:
    old, new = (run(*right_of(right, 20), band="short", latency_s=1.0) for right in (18, 9))
    verdict = give_verdict(old, new, AGELESS)
    lost = lost_answers(verdict, old, new, lambda *_: ({}, {}))
    document = upgrade_document(UpgradeDecision("m, a=1", old, [("m, a=2", verdict)], {}, "m, a=2", lost=lost))
    title, counted, columns, band, usage, example = document.brief.splitlines()
    assert title == "May a=2 replace a=1 on m? REGRESSION"
    assert counted == "9 of 20 answers lost, 0 gained"
    assert columns.split() == ["now", "new", "change,", "points", "lost", "/", "gained"]
    assert band.endswith("regression")
    assert usage.startswith("Median latency")
    assert example.startswith("1 of 9 lost: ")


def test_a_terminal_shows_several_candidates_side_by_side_and_the_page_the_bands_of_the_best() -> None:
    document = upgrade_document(decision(rows(18, 0.02), cheap=rows(9, 0.001), dear=rows(19, 0.1)))
    names = [line.split(" ")[0] for line in document.brief.splitlines()]
    assert names == ["May", "9", "", "old", "cheap", "dear"]
    assert TextLine.of("cheap:") in document.blocks


def test_json_has_the_verdict_on_each_candidate() -> None:
    data = upgrade_data(decision(rows(18, 0.02), cheap=rows(9, 0.001), dear=rows(19, 0.1)))
    assert (data["old"], data["best"], data["volume"]) == ("old", "cheap", None)
    cheap, dear = data["candidates"]
    assert (cheap["name"], cheap["verdict"], dear["name"]) == ("cheap", "regression", "dear")
    json.dumps(data, allow_nan=False)


def test_a_check_is_no_second_trial_in_the_table_of_accuracy() -> None:
    old = rows(18, 0.02)
    checked = [*old, *(replace(row, test=f"{row.test}.polite", cost_usd=None, source=None) for row in old)]
    [now, new] = upgrade_document(decision(checked, new=checked)).tables[0].rows
    assert now[2] == new[2] == "0.90 [0.70, 0.97] n=20"
    assert now[6] == "$20.00"


def test_thinking_is_a_column_only_where_a_server_counts_it() -> None:
    thinking = [replace(row, thinking_tokens=50) for row in rows(18, 0.02)]
    columns = [
        upgrade_document(decision(rows(18, 0.02), new=new)).tables[0].columns for new in (rows(9, 0.1), thinking)
    ]
    assert ["thinking tokens" in each for each in columns] == [False, True]


def test_a_subject_is_its_treatment_unless_that_has_several() -> None:
    [row, other] = [replace(rows(1, None)[0], model="m, prompts=a", prompt_set=name) for name in ("a", "b")]
    assert shown_subject([row])(row) == "m, prompts=a"
    assert shown_subject([row, other])(row) == "m, prompts=a, prompts a"
