"""The views of a family that declares none: a curve for each of its numbers, the effect of each other parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from longctx.report.tests import FRONTIER, retention_views
from longctx.report.tests import window_view
from longctx.results.grouping import by_subject, grouped
from longctx.stats.rates import pooled
from longctx.summary.summary import OfFamily
from longctx.summary.window import FILL
from longctx.views.chart import SERIES
from longctx.views.reporting import Scenarios
from longctx.views.reporting import ScenarioSummary
from longctx.views.view import RatePoint, RateView, estimate, interval
from longctx.vocabulary.family import name_of_test
from longctx.vocabulary.report import Rank


def default_views(name: str, family: OfFamily, scenarios: Scenarios) -> list[RateView]:
    """Return a view for each parameter that varies; the rate of each scenario if there is none. name: the family's."""
    measured = [scenario for scenario in scenarios if scenario.rate.n]
    parameters = family.parameters or tuple(dict.fromkeys(key for scenario in measured for key in scenario.params))
    varied = [key for key in parameters if len({scenario.params.get(key) for scenario in measured}) > 1]
    stem = name.replace("_", "-")
    views = list(retention_views(family.title, stem, family.retention)) if family.retention else []
    if views:
        varied = [key for key in varied if key != "kind"]
    if family.windows:
        views = [window_view(family.title, stem, family.windows), *(view for view in views if view.title != FRONTIER)]
        varied = [key for key in varied if key != FILL]
    views += [_by(key, [other for other in varied if other != key], stem, family, measured) for key in varied]
    shown = [view for view in views if view.points] or [
        RateView(
            points=[
                RatePoint(scenario.scenario, str(scenario.subject), scenario.rate, lexical=scenario.lexical)
                for scenario in measured
            ],
            name=f"{stem}-scenarios",
            heading=family.title,
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


def _by(key: str, others: Sequence[str], stem: str, family: OfFamily, scenarios: Scenarios) -> RateView:
    """Return the view by a parameter. others: the other parameters that vary.

    A number has a curve for each combination of the others, or one over all if these have no colours of their own. Any
    other parameter has a row for each of its values, over all of the others.
    """
    number = all(isinstance(scenario.params.get(key), int | float) for scenario in scenarios)
    title, unit, note, points = key.replace("_", " "), family.unit if key == family.size else "", "", list[RatePoint]()
    for subject, group in by_subject(scenarios).items():
        series = grouped(group, lambda scenario: _named(others, scenario))
        if not number or len(series) > len(SERIES):
            values = {scenario.params.get(key) for scenario in group}
            comparable = [same for same in series.values() if {scenario.params.get(key) for scenario in same} == values]
            series = {"all": [scenario for same in comparable for scenario in same]}
            note = f"Only what was asked with every value of {title} is counted, so that these can be compared."
        for name, same in series.items():
            for value, of_value in grouped(same, lambda scenario: scenario.params.get(key)).items():
                rate, alone = (pooled(getattr(each, kind) for each in of_value) for kind in ("rate", "lexical"))
                if number and isinstance(value, int | float):
                    points.append(RatePoint(value, name, rate, str(subject), alone))
                else:
                    points.append(RatePoint(_text(value), str(subject), rate, lexical=alone))
    return RateView(
        points=points,
        name=f"{stem}-by-{key.replace('_', '-')}",
        heading=family.title,
        title=f"By {title}",
        x=title,
        axis=title if unit in ("", title) else f"{title}, {unit}",
        unit=unit,
        series=None if number else "model",
        down=not number,
        note=note if others else "",
    )


def _named(parameters: Sequence[str], scenario: ScenarioSummary) -> str:
    """Return the values of these parameters as text, such as `keys 3, order shuffled`."""
    values = ((key.replace("_", " "), _text(scenario.params.get(key))) for key in parameters)
    return ", ".join(f"{key} {value}" for key, value in values) or "all"


def _text(value: int | float | str | None) -> str:
    return "none" if value is None else f"{value:,}" if isinstance(value, int | float) else value
