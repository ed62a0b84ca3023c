"""The charts of a run show what was measured, and every point states its rate, interval and n."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from longctx.report.charts import charts
from longctx.report.page.contents import sections
from longctx.report.svg import draw
from longctx.stats.rates import Rate
from longctx.summary.summary import summarize
from longctx.views.answers import CellSummaries
from longctx.views.chart import Chart
from longctx.views.reporting import Reporting
from longctx.views.view import RatePoint, RateView
from tests.report.sample import rows
from tests.rows import row


@pytest.fixture(scope="module")
def drawn() -> dict[str, Chart]:
    return {chart.name: chart for chart in charts(summarize(list(rows())))}


def test_every_mark_says_what_it_shows(drawn: dict[str, Chart]) -> None:
    for chart in drawn.values():
        labels = [mark.say for mark in chart.plot.marks if not math.isnan(mark.value)]
        assert all(labels), chart.name
        assert labels, chart.name
        if chart.name.startswith(("line-retrieval-by", "passkey", "qa-variants", "control-by", "heatmap")):
            assert all(re.search(r"\d\.\d\d \[\d\.\d\d, \d\.\d\d\] n=\d+$", label) for label in labels), chart.name


def test_a_chart_is_with_the_test_that_gives_it(drawn: dict[str, Chart]) -> None:
    """The test that the chart itself names is ignored: if it is unknown, no page would show the chart."""

    class Strange(Reporting):
        def charts(self, cells: CellSummaries, analysis: Any) -> Iterator[Chart]:
            yield replace(next(iter(drawn.values())), name="strange", test="misspelt")

    summary = summarize(list(rows()))
    passkey = replace(summary.tests["passkey"], reporting=Strange())
    by_name = {chart.name: chart for chart in charts(replace(summary, tests={**summary.tests, "passkey": passkey}))}
    assert by_name["strange"].test == "passkey"


def test_every_chart_has_its_numbers(drawn: dict[str, Chart]) -> None:
    for chart in drawn.values():
        assert chart.table.rows, chart.name
        assert all(isinstance(cell, str) for _, *cells in chart.table.rows for cell in cells), chart.name


def test_line_retrieval_by_length_and_by_order(drawn: dict[str, Chart]) -> None:
    by_length, by_order = (drawn[f"line-retrieval-by-{axis}-1"].table.frame for axis in ("length", "order"))
    assert (by_length.index.tolist(), by_order.columns.tolist()) == ([5, 100], ["5 lines", "100 lines"])
    assert by_length.columns.tolist() == by_order.index.tolist() == ["ordered", "shuffled", "blocks of 2"]
    assert by_length.loc[5, "shuffled"] == by_order.loc["shuffled", "5 lines"] == "0.75 [0.30, 0.95] n=4"


def test_where_wrong_answers_come_from(drawn: dict[str, Chart]) -> None:
    frame = drawn["line-retrieval-origins-1"].table.frame
    assert frame.loc["+1", "in place"] == "6"
    assert frame.loc["nowhere in the file", "in line number"] == "0"


def test_passkey_marks_the_twenty_percent_line_and_k_max_of_five_trials_a_distance(drawn: dict[str, Chart]) -> None:
    assert not drawn["passkey-window-4096"].plot.uprights
    plot = next(chart.plot for chart in charts(summarize(list(rows(5)))) if chart.name == "passkey-window-4096")
    assert [value for value, _ in plot.lines] == [0.2]
    assert "k_max 4,096 [" in plot.uprights[0].say


def test_qa_effects_have_intervals_around_the_difference(drawn: dict[str, Chart]) -> None:
    points = drawn["qa-effects-1"].plot.marks
    assert len(points) == 2 * 3 + 2 * 3
    assert all(point.interval and point.interval[0] <= point.value <= point.interval[1] for point in points)


def test_outcomes_count_every_trial(drawn: dict[str, Chart]) -> None:
    frame = drawn["outcomes"].table.frame
    assert frame.columns.tolist() == ["correct", "wrong", "truncated", "not_asked"]
    assert sum(int(cell) for cell in frame.to_numpy().ravel()) == 98


def test_what_was_not_measured_has_no_chart() -> None:
    assert list(charts(summarize([]))) == []
    unmeasured = [replace(row, outcome="not_asked", depth=None) for row in rows()]
    assert [chart.name for chart in charts(summarize(unmeasured))] == ["outcomes"]


def test_a_cell_of_few_trials_shows_their_number() -> None:
    def cell(trials: int) -> list[str]:
        asked = [row(test="line_retrieval", params={"lines": 20}, depth=0.5) for _ in range(trials)]
        made = next(chart for chart in charts(summarize(asked)) if chart.name == "heatmap-1")
        return [mark.text for mark in made.plot.marks if mark.text]

    assert cell(9) == ["9/9"]
    assert cell(10) == ["1.00"]


def test_wrong_answers_that_come_from_no_line_have_a_table_and_no_chart() -> None:
    nowhere = [replace(row, trace={}) for row in rows(trials=2) if row.cell == "lines-5"]
    summary = summarize(nowhere)
    assert not any("origins" in chart.name for chart in charts(summary))
    [lines, _] = sections(summary, [])
    [table] = [table for table in lines.tables if table.title == "Line retrieval: where wrong answers are from"]
    assert table.frame[["nowhere in the file", "trials"]].to_numpy().tolist() == [["1", "2"]]


def test_k_max_of_several_models_at_one_place_are_side_by_side() -> None:
    passkeys = [row for model in ("a", "b") for row in rows(5, model) if row.test == "passkey"]
    chart = next(chart for chart in charts(summarize(passkeys)) if chart.name.startswith("passkey"))
    assert len({upright.x for upright in chart.plot.uprights}) == 1
    assert len(set(re.findall(r'd="(M[^"]*)" stroke[^>]*role="img"', draw(chart)))) == 2


def test_names_are_not_joined_by_a_line() -> None:
    def joined(places: Sequence[int | str]) -> bool:
        points = [RatePoint(x, "some", Rate(1, 2)) for x in places]
        [chart] = RateView(points=points, name="v", heading="h", title="t", x="x").charts()
        return "<polyline" in draw(chart)

    assert joined([1, 2])
    assert joined(["0-10%", "10-20%"])
    assert not joined(["first", "last"])


def test_a_heatmap_has_one_kind_of_number_and_a_named_scale() -> None:
    asked = [row(test="line_retrieval", params={"lines": 20}, depth=0.5, trial=trial) for trial in range(12)]
    asked += [row(test="line_retrieval", params={"lines": 40}, depth=0.5, trial=trial) for trial in range(3)]
    made = next(chart for chart in charts(summarize(asked)) if chart.name == "heatmap-1")
    assert {mark.text for mark in made.plot.marks if mark.text} == {"12/12", "3/3"}
    assert ">accuracy 0</text>" in draw(made)


def test_a_heatmap_has_a_row_for_each_length_with_the_tokens_sent() -> None:
    asked = [
        row(test="test_mine", params={"tokens": tokens}, depth=0.5, trial=trial, input_tokens=sent + trial)
        for tokens, sent in ((500, 611), (2000, 2340))
        for trial in range(3)
    ]
    made = next(chart for chart in charts(summarize(asked)) if chart.name == "heatmap-1")
    lengths = ["2,000 filler tokens (2,341 tokens sent)", "500 filler tokens (612 tokens sent)"]
    assert list(dict.fromkeys(mark.series for mark in made.plot.marks)) == lengths
    alone = [row(test="test_mine", depth=0.5, trial=number, input_tokens=811 + 60 * number) for number in range(3)]
    made = next(chart for chart in charts(summarize(alone)) if chart.name == "heatmap-1")
    assert {mark.series for mark in made.plot.marks} == {"871 tokens sent"}
