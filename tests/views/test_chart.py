"""The parts of charts: points that do not hide each other, the interval of a single point, legends and axes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.report.charts import draw
from longctx.views.chart import (
    RINGED,
    Chart,
    Table,
    colours,
    curves,
    field,
    labelled,
    layered,
    legend_columns,
    ringed,
)


@pytest.mark.parametrize("tallest", [0.0, 0.4, 1.0])
def test_points_of_the_same_rate_are_rings(tallest: float) -> None:
    points = [{"x": 1, "series": name, "rate": tallest} for name in "abc"]
    marked, note = ringed([*points, {"x": 2, "series": "a", "rate": 0.5}], "x")
    rings = {(point["x"], point["series"]): point["ring"] for point in marked}
    assert rings == {(1, "a"): 0, (1, "b"): 1, (1, "c"): 2, (2, "a"): 0}
    assert note == RINGED


def test_points_that_do_not_hide_each_other_are_full() -> None:
    points = [
        {"x": x, "series": name, "rate": rate} for x, name, rate in ((1, "a", 0.4), (1, "b", 0.41), (2, "b", 0.4))
    ]
    marked, note = ringed(points, "x")
    assert all(point["ring"] == 0 for point in marked)
    assert note == ""


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1)), max_size=8))
def test_no_point_is_lost_or_moved(places: list[tuple[int, float]]) -> None:
    points = [{"x": x, "rate": rate, "place": place} for place, (x, rate) in enumerate(places)]
    marked, _ = ringed(points, "x")
    assert sorted(point["place"] for point in marked) == list(range(len(points)))
    assert all(point["rate"] == places[point["place"]][1] for point in marked)


def test_a_rate_of_one_is_drawn_at_one() -> None:
    ends = {"rate": 1.0, "lo": 0.7, "hi": 1.0, "say": "1.00"}
    marked, _ = ringed([{**ends, "series": name, "x": x} for name in "ab" for x in (1, 2)], "x")
    spec = layered(marked, curves(field("x", "quantitative"), colours("series", ["a", "b"]), rings=True))
    svg = draw(Chart("one", "", "One", spec, Table("One", ("x",), ())))
    lines = re.findall(r'<path d="M[\d.]+,([\d.]+)L[\d.]+,([\d.]+)" stroke="var\(--series', svg)
    assert {height for pair in lines for height in pair} == {"0"}


@pytest.mark.parametrize("points", [1, 2])
def test_the_interval_of_a_single_point_is_a_bar(points: int) -> None:
    ends = {"series": "a", "rate": 0.5, "lo": 0.25, "hi": 0.75, "say": "0.50"}
    marked, _ = ringed([{**ends, "x": x} for x in range(points)], "x")
    spec = layered(marked, curves(field("x", "quantitative"), colours("series", ["a"]), rings=True))
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
