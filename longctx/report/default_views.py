"""The views of a test that declares none: a curve for each of its numbers, the effect of each other parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from longctx.report.tests import FRONTIER, retention_views, window_view
from longctx.results.grouping import by_subject, grouped
from longctx.stats.rates import pooled
from longctx.summary.summary import OfTest
from longctx.summary.window import FILL
from longctx.views.chart import SERIES
from longctx.views.reporting import CellSummaries, CellSummary
from longctx.views.view import RatePoint, RateView, estimate, interval
from longctx.vocabulary.report import Rank
from longctx.vocabulary.test import name_of_test


def default_views(name: str, test: OfTest, cells: CellSummaries) -> list[RateView]:
    """Return a view for each parameter that varies; the rate of each cell if there is none. name: the test's."""
    measured = [cell for cell in cells if cell.rate.n]
    parameters = test.parameters or tuple(dict.fromkeys(key for cell in measured for key in cell.params))
    varied = [key for key in parameters if len({cell.params.get(key) for cell in measured}) > 1]
    stem = name.replace("_", "-")
    views = list(retention_views(test.title, stem, test.retention)) if test.retention else []
    if views:
        varied = [key for key in varied if key != "kind"]
    if test.windows:
        views = [window_view(test.title, stem, test.windows), *(view for view in views if view.title != FRONTIER)]
        varied = [key for key in varied if key != FILL]
    views += [_by(key, [other for other in varied if other != key], stem, test, measured) for key in varied]
    shown = [view for view in views if view.points] or [
        RateView(
            points=[RatePoint(cell.cell, str(cell.subject), cell.rate, lexical=cell.lexical) for cell in measured],
            name=f"{stem}-scenarios",
            heading=test.title,
            title="Accuracy of each scenario",
            x="scenario",
            series="model",
            down=True,
            fewest=1,
        )
    ]
    check = name.removeprefix(name_of_test(name))  # such as `.answer`; its charts follow those of its test
    return [replace(view, title=f"{view.title}, check {check[1:]}") if check else view for view in shown]


def default_findings(views: Sequence[RateView]) -> Iterator[tuple[Rank, str]]:
    """Yield the rates that fall as a number grows, and those that differ between the values of another parameter."""
    for view in views:
        yield from ((Rank.LEVEL, sentence) for sentence in view.findings())
        for (_, subject), points in view.curves().items() if view.down else ():
            low, high = (least(points, key=lambda point: estimate(point.value)) for least in (min, max))
            if interval(low.value)[1] < interval(high.value)[0]:
                rates = [f"{estimate(point.value):.2f} with {point.x}" for point in (high, low)]
                yield Rank.EFFECT, f"{view.heading}, {subject}, {view.x}: the rate is {' and '.join(rates)}."


def _by(key: str, others: Sequence[str], stem: str, test: OfTest, cells: CellSummaries) -> RateView:
    """Return the view by a parameter. others: the other parameters that vary.

    A number has a curve for each combination of the others, or one over all if these have no colours of their own. Any
    other parameter has a row for each of its values, over all of the others.
    """
    number = all(isinstance(cell.params.get(key), int | float) for cell in cells)
    title, unit, note, points = key.replace("_", " "), test.unit if key == test.size else "", "", list[RatePoint]()
    for subject, group in by_subject(cells).items():
        series = grouped(group, lambda cell: _named(others, cell))
        if not number or len(series) > len(SERIES):
            values = {cell.params.get(key) for cell in group}
            comparable = [same for same in series.values() if {cell.params.get(key) for cell in same} == values]
            series = {"all": [cell for same in comparable for cell in same]}
            note = f"Only what was asked with every value of {title} is counted, so that these can be compared."
        for name, same in series.items():
            for value, of_value in grouped(same, lambda cell: cell.params.get(key)).items():
                rate, alone = (pooled(getattr(each, kind) for each in of_value) for kind in ("rate", "lexical"))
                if number and isinstance(value, int | float):
                    points.append(RatePoint(value, name, rate, str(subject), alone))
                else:
                    points.append(RatePoint(_text(value), str(subject), rate, lexical=alone))
    return RateView(
        points=points,
        name=f"{stem}-by-{key.replace('_', '-')}",
        heading=test.title,
        title=f"By {title}",
        x=title,
        axis=title if unit in ("", title) else f"{title}, {unit}",
        unit=unit,
        series=None if number else "model",
        down=not number,
        note=note if others else "",
    )


def _named(parameters: Sequence[str], cell: CellSummary) -> str:
    """Return the values of these parameters as text, such as `keys 3, order shuffled`."""
    values = ((key.replace("_", " "), _text(cell.params.get(key))) for key in parameters)
    return ", ".join(f"{key} {value}" for key, value in values) or "all"


def _text(value: int | float | str | None) -> str:
    return "none" if value is None else f"{value:,}" if isinstance(value, int | float) else value
