"""The tables of long-context QA, its chart by length of the record, and the names that both use."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.protocols.collage import VARIANTS
from longctx.protocols.reports.collage_analysis import Effect, QaSummary, Quotes
from longctx.protocols.reports.collage_report import figure, tables, variant_name, views
from longctx.results.row import Subject
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate
from longctx.views.answers import CellSummary
from longctx.views.chart import Chart, Table
from longctx.vocabulary.point import position_name

SUBJECT = Subject("m", "protocol")


def cell(test: str, rate: Rate, **params: int | str) -> CellSummary:
    return CellSummary(test, SUBJECT, "s", params, rate, {}, None, None)


def rates(cells: Sequence[CellSummary]) -> list[Table]:
    return [table for view in views(cells, []) for table in view.tables()]


def test_variants_are_below_each_other_in_the_profile_s_order_and_positions_beside() -> None:
    cells = [
        cell("collage", Rate(number, 20), budget=3000, depth=depth, variant=variant)
        for number, (depth, variant) in enumerate(
            (depth, variant) for depth in (0, 50, 100, 25) for variant in ("none", "five", "none_scratchpad")
        )
    ]
    [table] = rates(cells)
    assert list(table.frame.index) == ["none", "five", "none_scratchpad"]
    assert list(table.frame.columns) == ["beginning", "middle", "end", "25%"]
    assert table.frame.loc["five", "middle"].startswith("0.20 [")
    assert "3,000 tokens" in table.title


def test_each_budget_has_its_table() -> None:
    cells = [cell("collage", Rate(1, 2), budget=budget, depth=0, variant="none") for budget in (70_000, 95_000)]
    assert len(list(rates(cells))) == 2


def test_each_table_says_what_its_own_filter_left() -> None:
    cells = [
        cell("collage", Rate(1, 2), budget=budget, depth=0, variant="none", filter_asked=100, filter_kept=kept)
        for budget, kept in ((3000, 40), (6000, 70))
    ]
    assert [table.title.split(": ")[0].rpartition(", ")[2] for table in rates(cells)] == [
        "40 kept",
        "70 kept",
    ]


def test_effects_say_what_a_point_costs() -> None:
    effects = (
        Effect("a scratchpad", "none", 50, Paired(6, 1, 20), 100.0),
        Effect("5 examples", "none", 100, Paired(1, 2, 20), 400.0),
    )
    [table] = tables(QaSummary(SUBJECT, 3000, 0, 0, effects, {}))
    first, second = table.frame.to_dict("records")
    assert (first["needle at"], first["extra tokens"], first["tokens a point"]) == ("middle", "+100", "4")
    assert first["difference"].startswith("+0.25 [")
    assert second["tokens a point"] == "-"


def test_quotes() -> None:
    quotes = {("none_scratchpad", 0): Quotes(Rate(9, 10), Rate(5, 10))}
    [table] = tables(QaSummary(SUBJECT, 3000, 0, 0, (), quotes))
    [row] = table.frame.to_dict("records")
    assert row["in the record"].startswith("0.90 [")
    assert row["in the right section"].startswith("0.50 [")


def test_every_table_says_what_the_filter_left() -> None:
    params = {"budget": 3000, "depth": 0, "variant": "none", "filter_asked": 430, "filter_kept": 387}
    effects = (Effect("a scratchpad", "none", 0, Paired(1, 0, 2), 10.0),)
    pads = {("none_scratchpad", 0): Quotes(Rate(1, 2), Rate(0, 2))}
    made = [
        *rates([cell("collage", Rate(1, 2), **params)]),
        *tables(QaSummary(SUBJECT, 3000, 430, 387, effects, pads)),
    ]
    assert len(made) == 3
    assert all("430 questions asked alone, 387 kept" in table.title for table in made)
    [unfiltered] = rates([cell("collage", Rate(1, 2), budget=3000, depth=0, variant="none")])
    assert "no filter" in unfiltered.title


def at(budget: int, depth: int, variant: str, rate: Rate) -> CellSummary:
    return cell("collage", rate, budget=budget, depth=depth, variant=variant, letters="own")


def by_length(*cells: CellSummary) -> list[Chart]:
    charts = (chart for view in views(cells, []) for chart in view.charts())
    return [chart for chart in charts if chart.name.startswith("qa-by-length")]


def test_one_variant_has_a_curve_for_each_position_that_every_length_has() -> None:
    [chart] = by_length(
        at(1300, 0, "none", Rate(9, 10)),
        *(at(2600, depth, "none", Rate(8, 10)) for depth in (0, 50)),
        at(2600, 0, "five", Rate(1, 10)),
    )
    assert chart.title == "By length of the record: m, prompts protocol"
    assert chart.table.frame.to_dict() == {
        "no examples, beginning": {1300: str(Rate(9, 10)), 2600: str(Rate(8, 10))},
    }


def test_collages_with_the_control_s_letters_are_named_as_the_earlier_version_and_stay_apart() -> None:
    own, control = at(2600, 0, "none", Rate(4, 10)), cell("collage", Rate(9, 10), budget=2600, depth=0, variant="none")
    first, second = rates([own, control])
    assert "letters" not in first.title
    assert "2,600 tokens, letters of the control (earlier version)" in second.title
    points = list(figure([own, control]))
    assert [(point.facet, point.value) for point in points] == [
        (" of 2,600 tokens", Rate(4, 10)),
        (" of 2,600 tokens (earlier version)", Rate(9, 10)),
    ]


def test_of_several_variants_each_has_one_curve_over_all_positions() -> None:
    [chart] = by_length(
        *(at(1300, depth, variant, Rate(9, 10)) for depth in (0, 100) for variant in ("none", "five")),
        *(at(2600, depth, variant, Rate(7, 10)) for depth in (0, 100) for variant in ("none", "five")),
    )
    assert chart.table.frame.to_dict()["no examples"] == {1300: str(Rate(18, 20)), 2600: str(Rate(14, 20))}
    assert list(chart.table.frame.columns) == ["no examples", "5 examples"]


def test_one_length_and_lengths_that_share_nothing_have_no_chart() -> None:
    assert by_length(at(1300, 0, "none", Rate(1, 2))) == []
    assert by_length(at(1300, 0, "none", Rate(1, 2)), at(2600, 0, "five", Rate(1, 2))) == []
    assert by_length() == []


def test_every_variant_has_words() -> None:
    assert variant_name("five_scratchpad") == "5 examples + scratchpad"
    assert len({variant_name(name) for name in VARIANTS}) == len(VARIANTS)
    assert not any("_" in variant_name(name) for name in VARIANTS)


def test_a_depth_that_has_no_name_is_a_percentage() -> None:
    assert [position_name(depth) for depth in (0, 50, 100, 7)] == ["beginning", "middle", "end", "7%"]
