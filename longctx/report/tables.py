"""The tables of a run: those that a test makes itself, or else a list of its cells with their rates."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace

from longctx.gate.usage import Growth, Usage, UsageChange
from longctx.results.row import Row, Subject, by_subject, by_test, grouped, short_names
from longctx.stats.rates import pooled, rate_of
from longctx.stats.unpaired import Quantile
from longctx.summary.summary import FILLED, OfTest, Summary
from longctx.summary.tests import FILLER
from longctx.text import usd
from longctx.views.answers import CellSummaries, CellSummary
from longctx.views.chart import COLOURS, Table, note_of
from longctx.views.view import RatePoint, RateView, estimate, interval
from longctx.vocabulary.point import name_of_test
from longctx.vocabulary.report import Rank


def tables(summary: Summary) -> list[Table]:
    """Return the tables of all tests, in the order of the summary."""
    from longctx.report.function_reports import parts_of  # a verdict on files needs none

    of_all: list[Table] = []
    for name, test in summary.tests.items():
        cells = summary.of(name)
        own = test.reporting.tables(cells, test.analysis)
        shown = [_plain(test.title, cells)] if own is None else list(own)
        stem = name.replace("_", "-")
        found = [table for part, of in parts_of(test) for table in part.tables(test.title, of, stem)]
        of_all += [replace(table, test=name) for table in (*found, *shown, *_lexical(test, cells))]
    return of_all


def baseline_rates(rows: Sequence[Row]) -> Table:
    """Return a table with the rate and the band of each cell and subject. rows: those of a baseline."""
    rates_by_cell = [
        {
            "test": test,
            "subject": str(subject),
            "band": group[0].band or "not gated",
            "cell": name,
            "accuracy": str(rate_of(row for row in group if row.measured)),
        }
        for test, subjects in by_test(rows).items()
        for subject, of_subject in subjects.items()
        for name, group in grouped(of_subject, lambda row: row.cell).items()
    ]
    return Table.from_rows("Rates [95% interval]", rates_by_cell)


def _lexical(test: OfTest, cells: Sequence[CellSummary]) -> Iterator[Table]:
    """Yield a table of what the lexical baseline answers next to the model, by the size that the test names, or by
    cell if there are several."""
    compared = [cell for cell in cells if cell.lexical.n]
    if not compared:
        return
    sizes = grouped(compared, lambda each: (each.subject, each.params.get(test.size) if test.size else each.cell))
    columns: dict[str, list[object]] = {}
    if test.size or len({size for _, size in sizes}) > 1:
        columns[test.size or "cell"] = [f"{of:,}" if isinstance(of, int) else of or "" for _, of in sizes]
    columns["lexical baseline"] = [str(pooled(each.lexical for each in same)) for same in sizes.values()]
    columns["the model"] = [str(pooled(each.rate for each in same)) for same in sizes.values()]
    yield Table.by_subject(
        f"{test.title}: lexical baseline (word overlap) on the same trials [95% interval]",
        [subject for subject, _ in sizes],
        columns,
    )


def _plain(title: str, cells: Sequence[CellSummary]) -> Table:
    columns = {
        "cell": [cell.cell for cell in cells],
        "accuracy [95% interval]": [str(cell.rate) for cell in cells],
    }
    return Table.by_subject(title, [cell.subject for cell in cells], columns)


def default_views(name: str, test: OfTest, cells: CellSummaries) -> list[RateView]:
    """Return a view for each parameter that varies; the rate of each cell if there is none. name: the test's."""
    from longctx.report.function_reports import FRONTIER, parts_of

    measured = [cell for cell in cells if cell.rate.n]
    parameters = test.parameters or tuple(dict.fromkeys(key for cell in measured for key in cell.params))
    varied = [key for key in parameters if len({cell.params.get(key) for cell in measured}) > 1]
    stem = name.replace("_", "-")
    views = [view for part, found in parts_of(test) for view in part.views(test.title, found, stem)]
    if "windows" in test.found:
        views = [view for view in views if view.title != FRONTIER]
    varied = [key for key in varied if key not in {part.drawn for part, _ in parts_of(test)}]
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
            for value, of_value in grouped(same, lambda cell: cell.params.get(key)).items():
                rate, alone = (pooled(getattr(each, kind) for each in of_value) for kind in ("rate", "lexical"))
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


PRICE = "$ per 1,000"
"""The column of a thousand trials' price."""
UNKNOWN = "-"
NOTABLE = 0.1
"""The change of the price from which a title names it."""


def thousand(usage: Usage) -> str:
    """Return the price of a thousand trials."""
    return UNKNOWN if usage.usd is None else usd(1000 * usage.usd)


def trials(number: float) -> str:
    """Return a number of trials, with a decimal if some were answered several times."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def seconds(quantile: Quantile | None) -> str:
    return UNKNOWN if quantile is None else f"{quantile.value:.2f} s"


def before_after(before: str, after: str) -> str:
    return UNKNOWN if before == after == UNKNOWN else f"{before} → {after}"


def usage_table(change: UsageChange) -> Table:
    """Return a table of what the answers took, before and after."""
    before, after = change.before, change.after
    rows = [
        {"mean per trial": "price of 1,000", "before": thousand(before), "after": thousand(after)}
        | {"change": _growth(change.cost)},
        _tokens("input tokens", before.input_tokens, after.input_tokens),
        {"mean per trial": "… of which tokenizer", "before": "", "after": "", "change": _share(change.tokenizer)},
        _tokens("output tokens", before.output_tokens, after.output_tokens),
        _tokens("… of which thinking", before.thinking_tokens, after.thinking_tokens),
        {"mean per trial": "latency, median", "before": spread(before.latency_p50)}
        | {"after": spread(after.latency_p50), "change": _growth(change.latency)},
        {"mean per trial": "latency, 95%", "before": spread(before.latency_p95)}
        | {"after": spread(after.latency_p95), "change": _ratio(before.latency_p95, after.latency_p95)},
    ]
    title = (
        f"Cost and latency, {before.trials:,} paired trials (95% intervals; latency excludes batched answers; list "
        "prices)"
    )
    nothing = (UNKNOWN, UNKNOWN), (usd(0), usd(0))
    told = [
        row
        for row in rows
        if (row["before"], row["after"]) not in nothing and (row["before"] or row["change"] != UNKNOWN)
    ]
    return Table.from_rows(title, told)


def price_change(change: UsageChange | None) -> str:
    """Return a clause on the price if it changed notably; else nothing."""
    cost = change.cost if change else None
    if cost is None or (-NOTABLE < cost.value < NOTABLE):
        return ""
    return f"; costs {factor(cost.value)}"


def factor(growth: float) -> str:
    """Return a growth as how many times as much."""
    return "money, which the baseline did not" if math.isinf(growth) else f"{1 + growth:.2g} times as much"


def _tokens(name: str, before: float | None, after: float | None) -> dict[str, str]:
    change = after / before - 1 if before and after is not None else None
    sides = ("-" if value is None else f"{value:,.0f}" for value in (before, after))
    return {"mean per trial": name, **dict(zip(("before", "after"), sides, strict=True)), "change": _share(change)}


def _share(share: float | None) -> str:
    return UNKNOWN if share is None else f"{share:+.1%}"


def _growth(growth: Growth | None) -> str:
    if growth is None or math.isinf(growth.value):
        return UNKNOWN
    ends = [f"{end:+.0%}" if math.isfinite(end) else "unbounded" for end in (growth.lo, growth.hi)]
    return f"{growth.value:+.1%} [{', '.join(ends)}]"


def _ratio(before: Quantile | None, after: Quantile | None) -> str:
    return _share(after.value / before.value - 1 if before and after and before.value else None)


def spread(quantile: Quantile | None) -> str:
    """Return a quantile with its interval, whose end is `?` where too few values bound it."""
    if quantile is None:
        return UNKNOWN
    lo, hi = ("?" if end is None else f"{end:.2f}" for end in (quantile.lo, quantile.hi))
    return f"{quantile.value:.2f} s [{lo}, {hi}]"
