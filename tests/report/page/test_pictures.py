"""The pictures of the first screen: where marks are."""

import pytest

from longctx.report.document import ForestBand
from longctx.report.page.pictures import forest, legend, panels
from longctx.summary.summary import summarize
from tests.rows import row


def lines(number: int, right: int, of: int = 10, **fields: object) -> list[object]:
    outcomes = ["correct"] * right + ["wrong"] * (of - right)
    name = f"lines-{number}"
    return [
        row(kind, trial=n, cell=name, params={"lines": number, "block_size": None}, **fields)
        for n, kind in enumerate(outcomes)
    ]


def test_lengths_are_in_order_and_rates_on_one_scale() -> None:
    [panel] = panels(summarize([*lines(40, 0), *lines(5, 10), *lines(10, 5)]))
    [curve] = panel.curves
    assert [round(point.y) for point in curve.points] == [10, 68, 126]
    assert [point.x for point in curve.points] == sorted(point.x for point in curve.points)
    assert all(point.high - 1e-6 <= point.y <= point.low + 1e-6 for point in curve.points)
    assert [text for _, text in panel.ticks] == ["40", "10", "5"]


def test_a_test_of_one_length_has_no_panel() -> None:
    assert panels(summarize(lines(5, 10))) == []


def test_subjects_have_one_colour_and_shape_in_all_panels() -> None:
    rows = [each for model in ("a", "b") for number in (5, 10) for each in lines(number, 5, model=model)]
    shown = panels(summarize(rows))
    first, second = legend(shown)
    assert (first.colour, first.mark) != (second.colour, second.mark)
    assert [curve.subject for curve in shown[0].curves] == [first.subject, second.subject]


def test_subjects_are_named_by_what_differs() -> None:
    rows = [each for model in ("a", "b") for number in (5, 10) for each in lines(number, 5, model=model)]
    assert [curve.subject for curve in legend(panels(summarize(rows)))] == ["a", "b"]
    rows += [each for number in (5, 10) for each in lines(number, 5, model="a", prompt_set="brief")]
    names = [curve.subject for curve in legend(panels(summarize(rows)))]
    assert names == ["a, prompt set protocol", "b, prompt set protocol", "a, prompt set brief"]


@pytest.mark.parametrize("difference", [-0.2, 0.0, 0.1])
def test_a_band_lies_beside_no_change_and_the_margin(difference: float) -> None:
    band = ForestBand("line_retrieval, long", "pass", difference, (difference - 0.05, difference + 0.05))
    plot = forest([band], 0.05)
    assert plot is not None
    [(_, point)] = plot.rows
    assert (point.x < plot.zero, point.x > plot.zero) == (difference < 0, difference > 0)
    assert point.low < point.x < point.high
    assert plot.margin < plot.zero
    assert forest([], 0.05) is None
