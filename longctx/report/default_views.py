"""The views of a test that declares none: its rates by each parameter that varies."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace

from longctx.results.grouping import by_subject, grouped
from longctx.results.row import Subject, short_names
from longctx.stats.rates import pooled
from longctx.summary.by_value import FILLER
from longctx.summary.summary import FILLED, OfTest
from longctx.views.answers import CellSummaries, CellSummary
from longctx.views.chart import COLOURS, note_of
from longctx.views.view import RatePoint, RateView, estimate, interval
from longctx.vocabulary.point import name_of_test
from longctx.vocabulary.report import Rank


def default_views(name: str, test: OfTest, cells: CellSummaries) -> list[RateView]:
    """Return a view for each parameter that varies; the rate of each cell if there is none. name: the test's."""
    from longctx.report.function_reports import FRONTIER, function_reports_of

    measured = [cell for cell in cells if cell.rate.n]
    parameters = test.parameters or tuple(dict.fromkeys(key for cell in measured for key in cell.params))
    varied = [key for key in parameters if len({cell.params.get(key) for cell in measured}) > 1]
    stem = name.replace("_", "-")
    views = [view for part, found in function_reports_of(test) for view in part.views(test.title, found, stem)]
    if "windows" in test.found:
        views = [view for view in views if view.title != FRONTIER]
    varied = [key for key in varied if key not in {part.drawn for part, _ in function_reports_of(test)}]
    views += [_by(key, [other for other in varied if other != key], stem, test, measured) for key in varied]
    shown = [view for view in views if view.points] or [
        RateView(
            points=[RatePoint(cell.cell, str(cell.subject), cell.rate, lexical=cell.lexical) for cell in measured],
            name=f"{stem}-cells",
            heading=test.title,
            title="Accuracy of each cell",
            x="cell",
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
                yield Rank.EFFECT, f"{view.heading}, {subject}, {view.x}: accuracy is {' and '.join(rates)}."


def _by(key: str, others: Sequence[str], stem: str, test: OfTest, cells: CellSummaries) -> RateView:
    """Return the view by a parameter. others: the other parameters that vary.

    A number has a curve for each combination of the others, or one over all if these have no colours of their own. Any
    other parameter has a row for each of its values, over all of the others.
    """
    number = all(isinstance(cell.params.get(key), int | float) for cell in cells)
    title, unit, note, points = key.replace("_", " "), test.unit if key == test.size else "", "", list[RatePoint]()
    sent = ""
    if key in FILLED and number and test.size == "" and not test.parameters:
        title = unit = FILLER
        sent = _sent(key, cells)
    for subject, group in by_subject(cells).items():
        series = grouped(group, lambda cell: _named(others, cell))
        if not number or len(series) > COLOURS:
            values = {cell.params.get(key) for cell in group}
            comparable = [same for same in series.values() if {cell.params.get(key) for cell in same} == values]
            series = {"all": [cell for same in comparable for cell in same]}
            note = f"Only what was asked with every value of {title} is counted, so that these can be compared."
        for name, same in series.items():
            for value, equal in grouped(same, lambda cell: cell.params.get(key)).items():
                rate, alone = (pooled(getattr(each, kind) for each in equal) for kind in ("rate", "lexical"))
                if number and isinstance(value, int | float):
                    points.append(RatePoint(value, name, rate, str(subject), alone))
                else:
                    points.append(RatePoint(value_text(value), str(subject), rate, lexical=alone))
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
        note=note_of(note if others else "", sent),
    )


def _sent(key: str, cells: CellSummaries) -> str:
    """Return a sentence on the tokens sent at each number of a parameter; of each subject, if they differ."""
    said: dict[str, list[Subject]] = {}
    for subject, group in by_subject([cell for cell in cells if cell.tokens is not None]).items():
        places = grouped(group, lambda cell: cell.params[key])
        known = ((place, round(statistics.median(cell.tokens or 0 for cell in same))) for place, same in places.items())
        text = ", ".join(f"{tokens:,} at {value_text(place)}" for place, tokens in known)
        said.setdefault(text, []).append(subject)
    if len(said) == 1:
        return f"Sent: {next(iter(said))}."
    names = short_names(subject for subjects in said.values() for subject in subjects)
    return " ".join(f"Sent to {' and '.join(names[of] for of in subjects)}: {text}." for text, subjects in said.items())


def _named(parameters: Sequence[str], cell: CellSummary) -> str:
    """Return the values of these parameters as text, such as `keys 3, order shuffled`."""
    values = ((key.replace("_", " "), value_text(cell.params.get(key))) for key in parameters)
    return ", ".join(f"{key} {value}" for key, value in values) or "all"


def value_text(value: int | float | str | None) -> str:
    return "none" if value is None else f"{value:,}" if isinstance(value, int | float) else value
