"""The parts of charts: points that do not hide each other, the interval of a single point, legends and axes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.report.charts.draw import draw
from longctx.views.chart import (
    APART,
    MOVED,
    SAME,
    Chart,
    apart,
    colours,
    curves,
    field,
    labelled,
    layered,
    legend_columns,
)
from longctx.views.table import Table


@pytest.mark.parametrize("tallest", [0.0, 0.4, 1.0])
def test_points_of_the_same_rate_are_apart(tallest: float) -> None:
    points = [{"x": 1, "series": name, "rate": tallest} for name in "abc"]
    moved, note = apart([*points, {"x": 2, "series": "a", "rate": 0.5}], "x")
    drawn = {(point["x"], point["series"]): point["drawn"] for point in moved}
    assert drawn[2, "a"] == 0.5
    assert drawn[1, "a"] - drawn[1, "b"] == pytest.approx(APART)
    assert drawn[1, "b"] - drawn[1, "c"] == pytest.approx(APART)
    assert 0 <= drawn[1, "c"] < drawn[1, "a"] <= 1
    assert note == MOVED


def test_points_that_do_not_hide_each_other_stay() -> None:
    points = [
        {"x": x, "series": name, "rate": rate} for x, name, rate in ((1, "a", 0.4), (1, "b", 0.41), (2, "b", 0.4))
    ]
    moved, note = apart(points, "x")
    assert all(point["drawn"] == point["rate"] for point in moved)
    assert note == ""


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1)), max_size=8))
def test_no_point_is_lost_or_leaves_the_chart(places: list[tuple[int, float]]) -> None:
    points = [{"x": x, "rate": rate, "place": place} for place, (x, rate) in enumerate(places)]
    moved, _ = apart(points, "x")
    assert sorted(point["place"] for point in moved) == list(range(len(points)))
    for point in moved:
        assert 0 <= point["drawn"] <= 1
        assert abs(point["drawn"] - point["rate"]) <= len(points) * (APART + SAME)


@pytest.mark.parametrize("points", [1, 2])
def test_the_interval_of_a_single_point_is_a_bar(points: int) -> None:
    ends = {"series": "a", "rate": 0.5, "lo": 0.25, "hi": 0.75, "say": "0.50"}
    moved, _ = apart([{**ends, "x": x} for x in range(points)], "x")
    spec = layered(moved, curves(field("x", "quantitative"), colours("series", ["a"])))
    svg = draw(Chart("one", "", "One", spec, Table("One", ("x",), ())))
    assert len(re.findall('<line [^>]*stroke="var\\(--series-1\\)"', svg)) == (1 if points == 1 else 0)


@pytest.mark.parametrize(
    ("names", "columns"),
    [([], 11), (["a", "b"], 10), (["unparseable"], 4), (["a name of seventeen"], 1)],
)
def test_a_legend_has_the_columns_that_fit(names: list[str], columns: int) -> None:
    assert legend_columns(names) == columns


def test_many_names_on_an_axis_are_turned() -> None:
    assert labelled(["ordered", "shuffled", "blocks of 2"]) == {}
    assert "labelAngle" in labelled([f"+{n} to +{2 * n}" for n in (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)])
