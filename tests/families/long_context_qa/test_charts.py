"""The chart of long-context QA by length of the record."""

from __future__ import annotations

from longctx.families.long_context_qa.charts import collage
from longctx.report.charts.chart import Chart
from longctx.results.subject import Subject
from longctx.stats.rates import Rate
from longctx.summary.summary import ScenarioSummary


def scenario(budget: int, depth: int, variant: str, rate: Rate) -> ScenarioSummary:
    params = {"budget": budget, "depth": depth, "variant": variant}
    return ScenarioSummary("collage", Subject("m", "protocol"), "s", params, rate, {}, None, None)


def by_length(*scenarios: ScenarioSummary) -> list[Chart]:
    return [chart for chart in collage(scenarios, []) if chart.name.startswith("qa-by-length")]


def test_one_variant_has_a_curve_for_each_position_that_every_length_has() -> None:
    [chart] = by_length(
        scenario(1300, 0, "none", Rate(9, 10)),
        *(scenario(2600, depth, "none", Rate(8, 10)) for depth in (0, 50)),
        scenario(2600, 0, "five", Rate(1, 10)),
    )
    assert chart.title == "By length of the record: m, prompts protocol"
    assert chart.frame.to_dict() == {
        "no examples, beginning": {1300: str(Rate(9, 10)), 2600: str(Rate(8, 10))},
    }


def test_of_several_variants_each_has_one_curve_over_all_positions() -> None:
    [chart] = by_length(
        *(scenario(1300, depth, variant, Rate(9, 10)) for depth in (0, 100) for variant in ("none", "five")),
        *(scenario(2600, depth, variant, Rate(7, 10)) for depth in (0, 100) for variant in ("none", "five")),
    )
    assert chart.frame.to_dict()["no examples"] == {1300: str(Rate(18, 20)), 2600: str(Rate(14, 20))}
    assert list(chart.frame.columns) == ["no examples", "5 examples"]


def test_one_length_and_lengths_that_share_nothing_have_no_chart() -> None:
    assert by_length(scenario(1300, 0, "none", Rate(1, 2))) == []
    assert by_length(scenario(1300, 0, "none", Rate(1, 2)), scenario(2600, 0, "five", Rate(1, 2))) == []
    assert by_length() == []
