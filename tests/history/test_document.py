"""History in tables, in Markdown and on a page."""

from __future__ import annotations

import pytest

from longctx.gate.verdict import Rules
from longctx.history.document import charts, document
from longctx.history.levels import level_shifts
from longctx.history.tracks import tracks
from longctx.registry import shipped
from longctx.report.document import Document, as_html, as_markdown
from longctx.results.baseline import Baseline
from longctx.views.chart import Chart
from tests.history.kept import kept, outcomes

SEVERAL = [
    kept(day, outcomes(right), outcomes(50, band="long", scenario="lines-9"))
    for day, right in ((1, 90), (2, 92), (4, 60))
]


def made(*runs: Baseline) -> tuple[Document, list[Chart]]:
    made = tracks(runs, Rules(), shipped())
    levels = level_shifts(made, 0.05)
    return document(made, levels, 0.05, 0.05), list(charts(made, levels, shipped()))


def test_one_table_says_where_levels_shifted_and_one_tells_of_each_track() -> None:
    shown, _ = made(*SEVERAL)
    assert shown.title == "History: 3 kept runs, 2026-11-01 to 2026-11-04"
    levels, track = shown.tables
    assert levels.title == "Levels that shifted"
    [shift] = levels.frame.to_dict("records")
    assert (shift["band"], shift["at"], shift["last before it"]) == ("all", "2026-11-04 day4", "2026-11-02 day2")
    assert shift["level before"] == "0.91 [0.86, 0.94] n=200"
    assert shift["level after"] == "0.60 [0.50, 0.69] n=100"
    assert track.title == "line_retrieval, some-model, prompts protocol: rate [95% interval], verdict"
    assert list(track.frame.index) == ["2026-11-01 day1", "2026-11-02 day2", "2026-11-04 day4"]
    assert list(track.frame["all"]) == [
        "0.90 [0.83, 0.94] n=100",
        "0.92 [0.85, 0.96] n=100, pass",
        "0.60 [0.50, 0.69] n=100, regression, level down",
    ]
    assert "| 2026-11-04 day4 " in as_markdown(shown)


def test_without_a_shift_that_is_said_and_of_one_run_there_is_none_to_say() -> None:
    assert made(*SEVERAL[:2])[0].notes[-1] == "No level is shown to have shifted."
    shown, drawn = made(*SEVERAL[:1])
    assert shown.title == "History: 1 kept run, 2026-11-01"
    assert shown.notes == ("One run is kept: there is nothing yet to compare it with.",)
    assert drawn == []


def test_a_page_has_a_chart_of_each_track_that_loads_and_runs_nothing() -> None:
    shown, drawn = made(*SEVERAL)
    [chart] = drawn
    assert chart.title == "Line retrieval of some-model over time"
    assert chart.note.startswith("some-model, prompts protocol. A dashed line: a level shifted.")
    page = as_html(shown, drawn)
    assert page.count("<svg") == 1
    assert "level down at 2026-11-04 day4, from 0.91" in page
    assert "<script" not in page
    assert 'style="' not in page
    assert as_html(shown).count("<svg") == 0


def test_names_that_two_runs_share_are_distinguished_in_the_chart() -> None:
    _, [chart] = made(kept(1, outcomes(90)), kept(1, outcomes(91), answers="others"))
    assert {value["x"] for value in chart.spec["data"]["values"]} == {"2026-11-01 day1", "2026-11-01 day1 (2)"}


@pytest.mark.parametrize("name", ["<b>", "a|b\u202e"])
def test_names_are_text(name: str) -> None:
    shown, drawn = made(kept(1, outcomes(90, model=name)), kept(2, outcomes(91, model=name)))
    assert "<b>" not in as_html(shown, drawn)
    assert "\u202e" not in as_html(shown, drawn) + as_markdown(shown)
