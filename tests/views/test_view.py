"""One declaration gives charts, tables, findings and JSON of the same rates."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from longctx.report.svg import draw
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate
from longctx.views.view import RatePoint, RateView

HIGH, MIDDLE, LOW, NONE = Rate(19, 20), Rate(10, 20), Rate(1, 20), Rate(0, 0)


def view(*points: RatePoint, **other: Any) -> RateView:
    return RateView(
        points=points, name="by-length", heading="Lines", title="By length", x="lines", unit="lines", **other
    )


def curve(*rates: Rate, facet: str = "", series: str = "ordered", start: int = 5) -> list[RatePoint]:
    return [RatePoint(start * 10**number, series, rate, facet) for number, rate in enumerate(rates)]


def test_a_chart_has_its_numbers_and_tells_each_point() -> None:
    [chart] = view(*curve(HIGH, LOW), *curve(MIDDLE, series="shuffled")).charts()
    assert (chart.name, chart.title) == ("by-length", "By length")
    assert chart.table.frame.to_dict() == {
        "ordered": {5: str(HIGH), 50: str(LOW)},
        "shuffled": {5: str(MIDDLE), 50: ""},
    }
    said = {mark.say for mark in chart.plot.marks}
    assert said == {f"5 lines, ordered: {HIGH}", f"50 lines, ordered: {LOW}", f"5 lines, shuffled: {MIDDLE}"}
    assert draw(chart).startswith("<svg")


def test_facets_are_compared_on_one_axis() -> None:
    both = view(*curve(HIGH, LOW, facet="a"), *curve(HIGH, MIDDLE, facet="b"))
    [chart] = both.charts()
    assert (chart.name, chart.title) == ("by-length-compared-1", "By length")
    assert chart.table.frame.to_dict() == {"a": {5: str(HIGH), 50: str(LOW)}, "b": {5: str(HIGH), 50: str(MIDDLE)}}
    assert draw(chart).startswith("<svg")
    orders = view(
        *(
            point
            for facet in "ab"
            for series in ("ordered", "shuffled")
            for point in curve(HIGH, LOW, facet=facet, series=series)
        )
    )
    assert [chart.title for chart in orders.charts()] == [
        "By length: ordered",
        "By length: shuffled",
        "By length: a",
        "By length: b",
    ]


def test_treatments_are_compared_in_rows_of_names_too() -> None:
    points = [
        RatePoint(variant, place, rate, model)
        for model, rate in (("a", HIGH), ("b", LOW))
        for variant in ("none", "two")
        for place in ("beginning", "end")
    ]
    charts = list(view(*points, down=True, series="needle at", fewest=1).charts())
    assert [chart.title for chart in charts] == [
        "By length: beginning",
        "By length: end",
        "By length: a",
        "By length: b",
    ]
    assert charts[0].table.frame.to_dict() == {
        "a": {"none": str(HIGH), "two": str(HIGH)},
        "b": {"none": str(LOW), "two": str(LOW)},
    }
    crowd = [RatePoint("none", "end", HIGH, f"model {number}") for number in range(8)]
    [wide] = view(*crowd, down=True, fewest=1).charts()
    heights = re.findall(r"translate\([\d.]+,([\d.]+)\)", draw(wide).partition("model 0</text>")[0])
    assert len(set(heights[:8])) == 8


def test_more_facets_than_colours_have_charts_of_their_own_alone() -> None:
    many = view(*(point for facet in "abcdefghi" for point in curve(HIGH, LOW, facet=facet)))
    assert [chart.name for chart in many.charts()] == [f"by-length-{number}" for number in range(1, 10)]


def test_each_facet_has_a_chart_and_a_table() -> None:
    both = view(
        *curve(HIGH, LOW, facet="a"), *curve(HIGH, LOW, facet="b", series="shuffled"), table="accuracy [95% interval]"
    )
    assert [(chart.name, chart.title) for chart in both.charts()] == [
        ("by-length-1", "By length: a"),
        ("by-length-2", "By length: b"),
    ]
    assert [table.title for table in both.tables()] == [
        "Lines, a: accuracy [95% interval]",
        "Lines, b: accuracy [95% interval]",
    ]
    assert [table.title for table in view(*curve(LOW), table="rate").tables()] == ["Lines: rate"]
    assert list(view(*curve(HIGH, LOW)).tables()) == []


def test_what_was_not_measured_is_in_the_table_alone() -> None:
    made = view(*curve(HIGH, MIDDLE, NONE), table="rate")
    [table], [chart] = made.tables(), made.charts()
    assert table.frame["ordered"].tolist() == [str(HIGH), str(MIDDLE), "not measured"]
    assert chart.table.frame["ordered"].tolist() == [str(HIGH), str(MIDDLE)]
    assert [point["lines"] for point in made.data()] == [5, 50]


def test_one_length_has_a_chart_only_if_the_view_says_so() -> None:
    assert list(view(*curve(HIGH)).charts()) == []
    assert len(list(view(*curve(HIGH), fewest=1).charts())) == 1
    assert list(view(fewest=1).charts()) == []


@pytest.mark.parametrize("rates", [(HIGH, MIDDLE, LOW), (HIGH, LOW, LOW), (HIGH, NONE, LOW)])
def test_a_rate_falls_if_the_interval_at_the_least_length_is_above_that_at_the_greatest(rates: tuple[Rate]) -> None:
    points = curve(*rates, facet="m")
    assert list(view(*reversed(points)).findings()) == [
        "Lines, m, ordered: accuracy falls from 0.95 at 5 lines to 0.05 at 500 lines."
    ]
    assert list(view(*points, finding=False).findings()) == []


@pytest.mark.parametrize("rates", [(HIGH, LOW, HIGH), (LOW, HIGH), (MIDDLE, Rate(9, 20)), (HIGH,), (HIGH, NONE), ()])
def test_other_rates_do_not_fall(rates: tuple[Rate, ...]) -> None:
    assert list(view(*curve(*rates)).findings()) == []


def test_names_on_an_axis_do_not_fall() -> None:
    points = [RatePoint("first", "a", HIGH), RatePoint("last", "a", LOW)]
    assert list(view(*points).findings()) == []


def test_a_number_without_a_unit_is_told_by_its_name() -> None:
    made = RateView(points=curve(HIGH, LOW), name="by-k", heading="Lines", title="By k", x="k")
    assert list(made.findings()) == ["Lines, ordered: accuracy falls from 0.95 at k 5 to 0.05 at k 50."]


@pytest.mark.parametrize(("ends", "kind"), [((5, 49), "linear"), ((5, 50), "log"), ((0, 50), "linear")])
def test_an_axis_of_numbers_that_lie_far_apart_is_logarithmic(ends: tuple[int, int], kind: str) -> None:
    middle = 15 if kind == "log" else (ends[0] + ends[1]) / 2
    [chart] = view(*(RatePoint(x, "a", HIGH) for x in (*ends, middle))).charts()
    first, between, last = (float(x) for x in re.findall(r"translate\(([\d.]+),", draw(chart)))
    assert ((first + last) / 2 == pytest.approx(between, abs=0.2)) == (kind == "linear")


def test_names_may_go_down_and_values_be_differences() -> None:
    points = [RatePoint("two", "middle", Paired(6, 1, 20)), RatePoint("none", "middle", Paired(1, 6, 20))]
    made = view(*points, down=True, label=str.upper, scale=("difference", -1, 1), lines=[0], table="difference")
    [chart], [table] = made.charts(), made.tables()
    assert [mark.x for mark in chart.plot.marks] == ["TWO", "NONE"]
    assert list(table.frame.index) == ["two", "none"]
    assert [mark.value for mark in chart.plot.marks] == [0.25, -0.25]
    assert "difference" in draw(chart)
    assert all(point["lo"] < point["rate"] < point["hi"] for point in made.data())


@pytest.mark.parametrize(("scale", "title"), [({}, "accuracy"), ({"scale": ("share named", 0, 1)}, "share named")])
def test_the_axis_of_values_is_named(scale: dict[str, Any], title: str) -> None:
    points = [replace(point, lexical=point.value) for point in curve(HIGH, LOW)] + curve(LOW, HIGH, series="shuffled")
    [chart] = view(*points, **scale).charts()
    assert f">{title}</text>" in draw(chart)


def test_programs_read_the_same_rates() -> None:
    [point] = json.loads(json.dumps(view(*curve(MIDDLE, facet="m")).data()))
    assert point == {
        **{"of": "m", "lines": 5, "series": "ordered", "n": 20, "rate": 0.5},
        **{"lo": MIDDLE.lo, "hi": MIDDLE.hi},
    }


def test_the_lexical_baseline_is_a_dotted_line_and_a_sentence() -> None:
    points = [RatePoint(x, "a", Rate(5, 10), lexical=Rate(right, 10)) for x, right in ((10, 9), (20, 9), (40, 6))]
    [chart] = view(*points).charts()
    assert chart.plot.dotted == [(10, 0.9), (20, 0.9), (40, 0.6)]
    assert draw(chart).count('stroke-dasharray="1 3"') == 2
    assert chart.note == "Dotted: the lexical baseline (word overlap), 0.80 over all of these."
    assert [point["lexical"] for point in view(*points).data()] == [0.9, 0.9, 0.6]
    [plain] = view(*(replace(point, lexical=NONE) for point in points)).charts()
    assert plain.note == ""
    assert "stroke-dasharray" not in draw(plain)
