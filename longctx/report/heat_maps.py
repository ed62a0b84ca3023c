"""Accuracy by length and depth before and after, of the tests of a gate that lost most answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.gate.verdict import RunVerdict, VerdictOfTest
from longctx.gate.where import THIRDS
from longctx.report.verdict_blocks import replays_itself
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.stats.rates import rate_of
from longctx.views.chart import Chart, Plot, PlotMark, Table
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import in_words, is_check, length_of

MOST_TESTS = 2
"""The most tests that have heat maps, so that they fit one screen."""
MOST_LENGTHS = 12
"""The most lengths of a heat map. A test of more has none: its curves are below."""
Pairs = Sequence[Both[Row]]


def heat_maps(verdict: RunVerdict) -> tuple[Chart, ...]:
    """Return two heat maps of each test that lost most: accuracy before and after, length across and depth down."""
    if replays_itself(verdict):
        return ()
    known = [(test, _placed(test)) for test in verdict.tests if not is_check(test.test)]
    several = len({test.after for test, _ in known}) > 1
    worst = sorted(known, key=lambda each: -sum(band.lost for band in each[0].bands))
    charts: list[Chart] = []
    for test, pairs in worst:
        if len({_third(pair) for pair in pairs}) > 1 and len(_lengths(pairs)) <= MOST_LENGTHS:
            charts += _both(f"{in_words(test.test)}{f', {test.after}' if several else ''}", pairs)
    return tuple(charts[: 2 * MOST_TESTS])


def _placed(test: VerdictOfTest) -> Pairs:
    """Return the pairs of a test whose needle has a depth and whose context has a length."""
    pairs = [pair for evidence in test.evidence for pair in evidence.pairs]
    return [pair for pair in pairs if pair.after.depth is not None and length_of(pair.after.params)]


def _third(pair: Both[Row]) -> int:
    return min(int(len(THIRDS) * (pair.after.depth or 0)), len(THIRDS) - 1)


def _length(pair: Both[Row]) -> float:
    value = pair.after.params[length_of(pair.after.params) or ""]
    assert isinstance(value, int | float)
    return value


def _lengths(pairs: Pairs) -> list[float]:
    return sorted({_length(pair) for pair in pairs})


def _both(name: str, pairs: Pairs) -> Iterator[Chart]:
    """Yield the accuracy before, and that after."""
    unit = length_of(pairs[0].after.params) or ""
    cells = grouped(pairs, lambda pair: (_third(pair), _length(pair)))
    for index, when in enumerate(Both._fields):
        marks = []
        for third, where in enumerate(THIRDS):
            for length in _lengths(pairs):
                rate = rate_of([pair[index] for pair in cells.get((third, length), ())])
                shown = f"{where} third, {length:,} {unit}, {when}: {rate}"
                value = rate.rate if rate.n else float("nan")
                text = f"{rate.rate:.2f}" if rate.n else ""
                marks.append(PlotMark(f"{length:,}", value, series=f"{where} third", say=shown, text=text))
        plot = Plot(marks=marks, kind="heat", x=unit)
        title = f"Accuracy {when}, by {unit} and depth: {name}"
        table = Table.pivot(title, [(mark.series, str(mark.x), mark.text) for mark in marks], "depth")
        yield Chart(f"depth-{when}", "", title, plot, table)
