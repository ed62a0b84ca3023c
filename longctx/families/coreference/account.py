"""The analysis of the coreference family and its part of the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longctx.families.coreference import FAMILY, charts, tables
from longctx.families.coreference.returned import EXAMPLE, Returned, of_all_windows, returned, shape
from longctx.report.charts.chart import Chart
from longctx.report.table import Table
from longctx.results.subject import Subject
from longctx.stats.rates import Rate
from longctx.summary.summary import ScenarioSummary
from longctx.vocabulary import account
from longctx.vocabulary.account import Rank

if TYPE_CHECKING:
    from longctx.results.row import Row


class CoreferenceAccount(account.Account):
    """The account of the family. analysis: which texts were given back, for each subject and scenario."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[Returned, ...]:
        return tuple(returned(rows))

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Returned]) -> Iterator[Table]:
        return tables.rates(scenarios, analysis)

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Returned]) -> Iterator[Chart]:
        yield from charts.by_window(scenarios)
        yield from charts.given_for_asked(analysis)

    def further_tables(self, analysis: Sequence[Returned]) -> Iterator[Table]:
        return tables.instead(analysis)

    def findings(
        self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Returned]
    ) -> Iterator[tuple[Rank, str]]:
        yield from ((Rank.LEVEL, sentence) for sentence in _levels(scenarios))
        for texts in of_all_windows(analysis):
            where = f"{FAMILY.title}, {texts.subject}, {texts.needles} needles"
            yield from ((Rank.UNUSABLE, f"{where}: {why}.") for why in _without_code(texts))
            yield from ((Rank.CAUSE, f"{where}: {why}.") for why in _instead(texts))

    def data(self, analysis: Sequence[Returned]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {"coreference": [_entry(texts) for texts in analysis]}


def _levels(scenarios: Sequence[ScenarioSummary]) -> Iterator[str]:
    """Yield rates at or below chance, or that fall with the window, for each subject and number of alike texts."""
    series: dict[tuple[Subject, int], list[tuple[int, Rate]]] = {}
    for scenario in scenarios:
        if scenario.rate.n:
            needles, window = shape(scenario)
            series.setdefault((scenario.subject, needles), []).append((window, scenario.rate))
    for (subject, needles), points in series.items():
        where, guess = f"{FAMILY.title}, {subject}, {needles} needles", 1 / needles
        total = Rate(sum(rate.correct for _, rate in points), sum(rate.n for _, rate in points))
        (short, first), (long, last) = min(points), max(points)
        if first.lo > last.hi:
            fall = f"{first.rate:.2f} in a window of {short:,} tokens falls to {last.rate:.2f} in {long:,}"
            yield f"{where}: {fall}; guessing among them gives {guess:.2f}."
        elif total.hi < guess:
            yield f"{where}: {total}, less than the {guess:.2f} that guessing among them gives."
        elif total.lo <= guess:
            yield f"{where}: {total}, which cannot be told from guessing among them ({guess:.2f})."


def _without_code(texts: Returned) -> Iterator[str]:
    """Yield how often a text was given back without the code that was asked for."""
    if count := sum(texts.without_code.values()):
        right = sum(many for (asked, given), many in texts.without_code.items() if asked == given)
        yield (
            f"{count:,} of {texts.trials:,} replies give back one of them without the code that must come first, "
            f"{right:,} of these the right one"
        )


def _instead(texts: Returned) -> Iterator[str]:
    """Yield where most wrong answers come from."""
    other, wrong = texts.another_instance, texts.wrong
    if wrong and other / wrong >= 0.5:
        yield (
            f"{other:,} of {wrong:,} wrong answers are another of the needles, "
            f"{tables.first(texts):,} of them the first and {tables.last(texts):,} the last"
        )
    causes = {
        "the right one, badly copied": texts.badly_copied,
        "from the examples of the prompt": texts.others.get(EXAMPLE, 0),
        "no text of the prompt": texts.nowhere,
    }
    for what, count in causes.items():
        if wrong and count / wrong >= 0.5:
            yield f"{count:,} of {wrong:,} wrong answers are {what}"


def _entry(texts: Returned) -> dict[str, Any]:
    return {
        **texts.subject.fields,
        "needles": texts.needles,
        "window": texts.window,
        "trials": texts.trials,
        "guess": texts.guess,
        "score": texts.mean_score,
        "exact": texts.exact,
        "given": _pairs(texts.given),
        "badly_copied": texts.badly_copied,
        "without_code": _pairs(texts.without_code),
        "others": dict(texts.others),
        "nowhere": texts.nowhere,
    }


def _pairs(counts: Mapping[tuple[int, int], int]) -> list[dict[str, int]]:
    return [{"asked": asked, "given": given, "trials": count} for (asked, given), count in sorted(counts.items())]
