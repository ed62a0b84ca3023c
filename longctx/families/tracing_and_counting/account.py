"""The analysis of tracing and counting and its part of the report: the strict rate, with RULER's recall beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from longctx.families.tracing_and_counting import charts, shapes
from longctx.families.tracing_and_counting.analysis import Naming, namings, total
from longctx.report.charts.chart import Chart
from longctx.report.table import Table, subject_columns
from longctx.results.grouping import by_subject
from longctx.results.row import Row
from longctx.summary.summary import ScenarioSummary
from longctx.vocabulary import account
from longctx.vocabulary.account import Rank

if TYPE_CHECKING:
    from longctx.stats.rates import Rate

OFTEN = 0.1
"""The share of trials with everything asked for and something else from which it is reported."""


class NamedSets(account.Account):
    """The account of a family of named sets. analysis: a Naming for each scenario of each subject."""

    family: ClassVar[str]
    title: ClassVar[str]

    def shape(self, params: Mapping[str, Any]) -> str:
        """Name what a scenario asks for, without its window."""
        raise NotImplementedError

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[Naming, ...]:
        return tuple(namings(rows))

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[Table]:
        """Yield a table for each subject: each shape in each window, its rate with RULER's recall beside it."""
        recalls = {(naming.subject, naming.scenario): f"{naming.recall:.2f}" for naming in analysis}
        for subject, group in by_subject(scenarios).items():
            order = list(dict.fromkeys(self.shape(scenario.params) for scenario in group))
            rows = [
                {
                    "asked for": self.shape(scenario.params),
                    "window": f"{charts.window_of(scenario.params):,}",
                    "exact set [95% interval]": str(scenario.rate),
                    "RULER's recall": recalls.get((subject, scenario.scenario), "-"),
                }
                for scenario in sorted(group, key=lambda scenario: order.index(self.shape(scenario.params)))
            ]
            yield Table(f"{self.title}, {subject}", pd.DataFrame(rows).set_index("asked for"))

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[Chart]:
        yield from charts.by_window(self.family, scenarios, self.shape)

    def further_tables(self, analysis: Sequence[Naming]) -> Iterator[Table]:
        if analysis:
            yield _missed_and_besides(self.family, self.title, analysis, self.shape)

    def findings(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[tuple[Rank, str]]:
        yield from ((Rank.LEVEL, f"{self.title}, {sentence}") for sentence in _falls(scenarios, self.shape))
        yield from ((Rank.CAUSE, f"{self.title}, {sentence}") for sentence in _besides(analysis))

    def data(self, analysis: Sequence[Naming]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {self.family: [_entry(naming) for naming in analysis]}


class Tracking(NamedSets):
    family, title = "variable_tracking", "Variable tracking"

    def shape(self, params: Mapping[str, Any]) -> str:
        return shapes.tracking(params)

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[Chart]:
        yield from super().charts(scenarios, analysis)
        longest = max((number for naming in analysis for number in naming.by_number), default=0)
        labels = {number: f"hop {number - 1}" if number > 1 else "first" for number in range(1, longest + 1)}
        yield from charts.by_number(self.family, analysis, self.shape, labels, "place in the chain")
        yield from charts.by_depth(self.family, analysis, self.shape)


class NeedlesAccount(NamedSets):
    family, title = "multiple_needles", "Multiple needles"

    def shape(self, params: Mapping[str, Any]) -> str:
        return shapes.needles(params)

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[Chart]:
        yield from super().charts(scenarios, analysis)
        yield from charts.by_depth(self.family, analysis, self.shape)


class Counting(NamedSets):
    family, title = "frequent_words", "Frequent words"

    def shape(self, params: Mapping[str, Any]) -> str:
        return shapes.words(params)

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[Chart]:
        yield from super().charts(scenarios, analysis)
        labels = {1: "most frequent", 2: "second", 3: "third"}
        yield from charts.by_number(self.family, analysis, self.shape, labels, "frequency")


def _missed_and_besides(family: str, title: str, analysis: Sequence[Naming], shape: charts.Shape) -> Table:
    reasons = list(dict.fromkeys(reason for naming in analysis for reason in naming.besides))
    columns = {
        "window": [f"{naming.params['window']:,}" for naming in analysis],
        "asked": [shape(naming.params) for naming in analysis],
        "missed": [f"{naming.named.n - naming.named.correct:,} of {naming.named.n:,}" for naming in analysis],
        **{
            reason.replace("_", " "): [f"{naming.besides.get(reason, 0):,}" for naming in analysis]
            for reason in reasons
        },
        "all, plus others": [f"{naming.more:,} of {naming.trials:,} trials" for naming in analysis],
    }
    frame = pd.DataFrame(subject_columns([naming.subject for naming in analysis]) | columns)
    heading = f"{title}: what was missed, and what was named that was not asked for, in replies that name anything"
    return Table(heading, frame.set_index("model"), family)


def _falls(scenarios: Sequence[ScenarioSummary], shape: charts.Shape) -> Iterator[str]:
    """Yield rates that fall with the window: the intervals of the smallest and the largest do not overlap."""
    series: dict[tuple[str, str], list[tuple[int, Rate]]] = {}
    for scenario in scenarios:
        if scenario.rate.n:
            key = str(scenario.subject), shape(scenario.params)
            series.setdefault(key, []).append((charts.window_of(scenario.params), scenario.rate))
    for (subject, name), points in series.items():
        (short, first), (long, last) = min(points, key=lambda point: point[0]), max(points, key=lambda point: point[0])
        if first.lo > last.hi:
            fall = f"{first.rate:.2f} in a window of {short:,} tokens falls to {last.rate:.2f} in one of {long:,}"
            yield f"{subject}, {name}: {fall}."


def _besides(analysis: Sequence[Naming]) -> Iterator[str]:
    for subject in dict.fromkeys(naming.subject for naming in analysis):
        own = [naming for naming in analysis if naming.subject == subject]
        more, trials = sum(naming.more for naming in own), sum(naming.trials for naming in own)
        if more >= OFTEN * trials:
            yield (
                f"{subject}: in {more:,} of {trials:,} trials everything that was asked for is named, and something "
                "else as well: RULER's recall counts these as whole."
            )
        besides: Counter[str] = sum((Counter(naming.besides) for naming in own), Counter())
        named = total(naming.named for naming in own)
        if besides and 2 * besides.total() >= named.correct:
            reason, count = besides.most_common(1)[0]
            yield (
                f"{subject}: {besides.total():,} names that were not asked for are given, and {named.correct:,} that "
                f"were; {count:,} of the former are {reason.replace('_', ' ')}."
            )


def _entry(naming: Naming) -> dict[str, Any]:
    return {
        **naming.subject.fields,
        "scenario": naming.scenario,
        "trials": naming.trials,
        "recall": naming.recall,
        "named": naming.named.correct,
        "missed": naming.named.n - naming.named.correct,
        "besides": dict(naming.besides),
        "all_and_more": naming.more,
        "named_by_depth": _counts(naming.by_depth),
        "named_by_number": _counts(naming.by_number),
    }


def _counts(rates: Mapping[int, Rate]) -> dict[str, list[int]]:
    """Return how many items were named, of how many, at each place."""
    return {str(place): [rate.correct, rate.n] for place, rate in rates.items()}
