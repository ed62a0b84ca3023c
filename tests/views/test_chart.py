"""What a chart of any kind draws: marks at their values, no two in one place, and any text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.report.svg import NARROW, WIDE, draw, draw_panels, numbers_of
from longctx.views.chart import Chart, Plot, PlotKind, PlotMark, Table

MODELS = "gemma-3-270m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b", "smollm2-135m"


def drawn(plot: Plot, width: int = NARROW) -> str:
    return draw(Chart("one", "", "One", plot, Table("One", ("x",), ())), numbers_of(MODELS), width)


def places(svg: str) -> list[tuple[float, float]]:
    """Return the places of the points."""
    points = re.findall(r"translate\(([\d.]+),([\d.]+)\)[^>]*aria-label", svg)
    return [(float(x), float(y)) for x, y in points]


@pytest.mark.parametrize("kind", ["curves", "rows"])
@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.sampled_from("abc"), st.sampled_from([0.0, 0.5, 1.0])),
        max_size=9,
        unique_by=lambda point: point[:2],
    )
)
def test_no_point_hides_another(kind: PlotKind, points: list[tuple[int, str, float]]) -> None:
    marks = [PlotMark(x, value, (0.0, 1.0), series=series, say=f"{x} {series}") for x, series, value in points]
    found = places(drawn(Plot(marks=marks, kind=kind)))
    assert len(found) == len(set(found)) == len(points)


def test_a_value_is_drawn_at_its_height() -> None:
    svg = drawn(Plot(marks=[PlotMark(x, value, series="a", say="a") for x, value in ((1, 0.0), (2, 0.5), (3, 1.0))]))
    (_, bottom), (_, middle), (_, top) = places(svg)
    assert (bottom + top) / 2 == pytest.approx(middle)
    assert top < middle < bottom


def test_an_interval_is_drawn_from_end_to_end() -> None:
    svg = drawn(Plot(marks=[PlotMark("a", 0.5, (0.25, 0.75), say="a")], kind="rows"))
    [(start, end)] = re.findall(r'd="M([\d.]+),[\d.]+H([\d.]+)" stroke="var\(--series', svg)
    [(x, _)] = places(svg)
    assert x == pytest.approx((float(start) + float(end)) / 2, abs=0.1)


def test_axis_follows_values_without_ends() -> None:
    svg = drawn(Plot(marks=[PlotMark("a", -19.5, (-26.8, -12.1), say="a")], kind="rows", lines=[(0, "")], ends=None))
    ticks = [int(text) for text in re.findall(r">(-?\d+)</text>", svg)]
    assert (min(ticks), max(ticks)) == (-30, 0)


def test_shares_of_a_row_fill_it() -> None:
    svg = drawn(
        Plot(marks=[PlotMark("a", number, series=str(number), say=str(number)) for number in (1, 3)], kind="shares")
    )
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="\d+"[^>]*aria-label', svg)]
    assert widths[1] == pytest.approx(3 * widths[0], rel=0.01)


def test_names_are_beside_their_rows_where_there_is_room() -> None:
    plot = Plot(marks=[PlotMark("a name that is as long as names of tests are", 0.5, say="a")], kind="rows")
    height, less = (float(re.findall(r'viewBox="0 0 \d+ (\d+)"', drawn(plot, width))[0]) for width in (NARROW, WIDE))
    assert less < height


@pytest.mark.parametrize(("count", "panels"), [(10, [10]), (31, [11, 11, 9])])
@pytest.mark.parametrize("kind", ["rows", "bars", "shares"])
def test_a_tall_chart_has_three_panels_with_one_axis_and_one_legend(
    kind: PlotKind, count: int, panels: list[int]
) -> None:
    names = [f"a test with a name that needs a line of its own: number {number}" for number in range(count)]
    marks = [PlotMark(name, number, series=f"of {number % 2}", say=name) for number, name in enumerate(names)]
    svg = draw_panels(Chart("tall", "", "Tall", Plot(marks=marks, kind=kind, ends=None), Table("Tall", (), ())))
    parts = svg.split("</svg>")[:-1]
    assert [len(re.findall(r'role="img"', part)) for part in parts] == panels
    assert re.findall(r'role="img" aria-label="([^"]+)"', svg) == names
    axes = [re.findall(r'text-anchor="middle">([^<]+)', part) for part in parts]
    assert all(axis == axes[0] for axis in axes)
    assert ["of 1" in part for part in parts] == [*(False for _ in parts[1:]), True]
    assert len(set(re.findall(r'svg viewBox="[^>]+', svg))) == len(parts)


def test_a_model_has_one_colour_whatever_else_is_there() -> None:
    alone = {model: numbers_of([model])[model] for model in MODELS}
    assert numbers_of(MODELS) == alone
    assert len(set(alone.values())) == len(MODELS)
    many = numbers_of(f"model-{number}" for number in range(8))
    assert sorted(many.values()) == list(range(8))
    marks = [PlotMark(1, 0.5, series=series, say=series) for series in (f"{MODELS[0]}, prompts brief", "x", MODELS[1])]
    colours = re.findall(r'fill="var\(--series-(\d)\)" role', drawn(Plot(marks=marks)))
    assert [int(colour) - 1 for colour in colours][::2] == [alone[MODELS[0]], alone[MODELS[1]]]
    assert int(colours[1]) - 1 not in alone.values()


@pytest.mark.parametrize("kind", ["curves", "rows", "bars", "shares", "heat"])
@pytest.mark.parametrize("text", ["\x1b[31m", "\x00", "\ufffe", "\u202e", "\ud800", "</svg><script>", '"', "漢字 😀"])
def test_any_text_can_be_drawn(kind: PlotKind, text: str) -> None:
    svg = drawn(Plot(marks=[PlotMark(text, 0.5, series=text, say=text, text=text)], kind=kind, x=text, value=text))
    assert svg.startswith("<svg")
    assert "<script" not in svg
    assert not re.search(r"[\x00\x1b\u202e\ufffe]", svg)
    assert svg.count("<svg") == svg.count("</svg>") == 1
