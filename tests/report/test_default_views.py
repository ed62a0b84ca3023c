"""The charts and findings of a test that declares no views."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.report.charts import charts
from longctx.report.default_views import default_findings, default_views
from longctx.report.svg import draw
from longctx.report.text import findings
from longctx.results.row import Subject
from longctx.stats.rates import Rate
from longctx.summary.summary import OfTest, summarize
from longctx.views.answers import CellSummary
from longctx.views.reporting import Reporting
from longctx.views.view import RateView
from longctx.vocabulary.report import Rank
from tests.rows import row

SUBJECT = Subject("m", "protocol")
WHO = "m, prompts protocol"


def cell(right: int, subject: Subject = SUBJECT, **params: int | str | None) -> CellSummary:
    slug = "-".join(f"{name}-{value}" for name, value in params.items())
    return CellSummary("my_test", subject, slug, params, Rate(right, 20), {}, None, None)


def views(*cells: CellSummary, parameters: tuple[str, ...] = (), size: str = "tokens") -> list[RateView]:
    test = OfTest("Mine", "tokens", "", Reporting(), None, size, parameters)
    return default_views("my_test", test, cells)


def said(made: list[RateView]) -> list[tuple[Rank, str]]:
    return list(default_findings(made))


def test_each_number_has_a_curve_for_each_combination_of_the_others() -> None:
    made = views(*(cell(20 - keys, tokens=tokens, keys=keys) for tokens in (1000, 64_000) for keys in (2, 4)))
    by_tokens, by_keys = (list(view.charts()) for view in made)
    assert [(chart.name, chart.title) for chart in (*by_tokens, *by_keys)] == [
        ("my-test-by-tokens-1", f"By tokens: {WHO}"),
        ("my-test-by-keys-1", f"By keys: {WHO}"),
    ]
    assert by_tokens[0].table.frame.to_dict() == {
        f"keys {keys}": {tokens: str(Rate(20 - keys, 20)) for tokens in (1000, 64_000)} for keys in (2, 4)
    }
    assert list(by_keys[0].table.frame.columns) == ["tokens 1,000", "tokens 64,000"]
    assert all(draw(chart).startswith("<svg") for chart in (*by_tokens, *by_keys))


def test_the_charts_of_a_check_name_it() -> None:
    """They follow those of its test, of the same parameters."""
    test = OfTest("test_it.answer", "tokens", "", Reporting(), None, "tokens", ())
    for cells, title in (
        ([cell(9, tokens=1)], "Accuracy of each cell, check answer"),
        ([cell(9, tokens=1), cell(9, tokens=5)], "By tokens, check answer"),
    ):
        assert [view.title for view in default_views("test_it.answer", test, cells)] == [title]


def test_a_parameter_that_does_not_vary_has_none() -> None:
    assert [view.x for view in views(cell(9, tokens=1, keys=2), cell(9, tokens=5, keys=2))] == ["tokens"]


def test_a_rate_that_falls_is_a_finding_in_the_test_s_unit() -> None:
    made = views(cell(19, window=1000), cell(1, window=8000), size="window")
    assert said(made) == [
        (Rank.LEVEL, f"Mine, {WHO}, all: accuracy falls from 0.95 at 1,000 tokens to 0.05 at 8,000 tokens.")
    ]
    assert made[0].axis == "window, tokens"


@pytest.mark.parametrize("styles", [("terse", "long_words"), (None, 3)])
def test_the_effect_of_another_parameter_is_over_what_every_value_was_asked_with(
    styles: tuple[str | None, str | int],
) -> None:
    first, second = styles
    [_, by_style] = views(
        *(cell(19, style=first, tokens=tokens) for tokens in (1, 2, 3)),
        *(cell(2, style=second, tokens=tokens) for tokens in (2, 3)),
    )[::-1]
    [chart] = by_style.charts()
    assert chart.table.frame[WHO].tolist() == [str(Rate(38, 40)), str(Rate(4, 40))]
    assert chart.note.startswith("Only what was asked with every value of style is counted")
    assert said([by_style]) == [
        (Rank.EFFECT, f"Mine, {WHO}, style: accuracy is 0.95 with {first or 'none'} and 0.10 with {second}.")
    ]


def test_values_whose_intervals_overlap_are_no_finding() -> None:
    assert said(views(cell(11, style="terse"), cell(9, style="long"))) == []


def test_more_combinations_than_colours_are_one_curve() -> None:
    several = [cell(10, tokens=tokens, keys=keys) for tokens in (1, 2) for keys in range(1, 10)]
    by_tokens, by_keys = views(*several, cell(20, tokens=1, keys=99))
    assert {point.series: str(point.value) for point in by_tokens.points} == {"all": str(Rate(90, 180))}
    assert {point.series for point in by_keys.points} == {"tokens 1", "tokens 2"}


def test_each_subject_has_its_own() -> None:
    other = Subject("other", "protocol")
    made = views(*(cell(9, subject, tokens=tokens) for subject in (SUBJECT, other) for tokens in (1, 2)))
    assert [chart.title for view in made for chart in view.charts()] == [
        "By tokens",
    ]


def test_the_note_has_the_tokens_that_each_subject_was_sent() -> None:
    cut = Subject("m", "protocol", (("strategy", "cut"),))
    sent = ((SUBJECT, 2000, 3_196), (SUBJECT, 8000, 12_052), (cut, 2000, 3_196), (cut, 8000, 6_087))
    cells = [replace(cell(9, subject, fill=fill), tokens=tokens) for subject, fill, tokens in sent]
    [both], [alone] = views(*cells, size=""), views(*cells[:2], size="")
    assert (
        both.note
        == "Sent to m: 3,196 at 2,000, 12,052 at 8,000. Sent to m, strategy=cut: 3,196 at 2,000, 6,087 at 8,000."
    )
    assert alone.note == "Sent: 3,196 at 2,000, 12,052 at 8,000."


def test_facts_of_a_test_are_no_parameters() -> None:
    several = [cell(9, tokens=tokens, kept=10 * tokens) for tokens in (1, 2)]
    assert [view.x for view in views(*several, parameters=("tokens",))] == ["tokens"]
    assert [view.x for view in views(*several)] == ["tokens", "kept"]


def test_where_nothing_varies_each_cell_has_its_rate() -> None:
    [view] = views(cell(9, tokens=5))
    [chart] = view.charts()
    assert (chart.name, chart.table.frame.to_dict()) == ("my-test-cells", {WHO: {"tokens-5": str(Rate(9, 20))}})
    assert list(views()[0].charts()) == []


def test_values_that_share_nothing_are_not_compared() -> None:
    made = views(cell(9, style="terse", tokens=1), cell(9, style="long", tokens=2))
    assert [view.x for view in made] == ["tokens"]


def test_the_report_shows_them_for_a_test_that_is_not_installed() -> None:
    rows = [
        row(outcome, test="gone", cell=f"keys-{keys}", params={"keys": keys}, trial=trial)
        for keys, outcome in ((2, "correct"), (9, "wrong"))
        for trial in range(20)
    ]
    summary = summarize(rows)
    assert "gone-by-keys-1" in [chart.name for chart in charts(summary)]
    assert any("accuracy falls from 1.00 at keys 2 to 0.00 at keys 9" in finding for finding in findings(summary))
