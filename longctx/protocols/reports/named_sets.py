"""What tracing and counting report: the strict rate with RULER's recall beside it, what was missed, what was added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from longctx import Account, Rank, Rate, RatePoint, RateView, ScenarioSummary, Table
from longctx.plural import count
from longctx.protocols.reports.namings import TENTHS, Naming, namings
from longctx.results.grouping import by_subject, grouped
from longctx.stats.rates import pooled

if TYPE_CHECKING:
    from longctx import Row

Params = Mapping[str, Any]

OFTEN = 0.1
"""The share of trials with everything asked for and something else from which it is reported."""
DEPTHS = {tenth: f"{tenth * TENTHS}-{(tenth + 1) * TENTHS}%" for tenth in range(TENTHS)}
FREQUENCIES = {1: "most frequent", 2: "second", 3: "third"}


class NamedSets(Account):
    """The account of a protocol of named sets. analysis: a Naming for each scenario of each subject."""

    name: ClassVar[str]
    title: ClassVar[str]

    def shape(self, params: Params) -> str:
        """Name what a scenario asks for, without its window."""
        raise NotImplementedError

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[Naming, ...]:
        return tuple(namings(rows))

    def views(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[RateView]:
        yield RateView.by_window(scenarios, self.shape, name=f"{self._name}-by-window", heading=self.title)

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[Table]:
        """Yield a table for each subject: each shape in each window, its rate with RULER's recall beside it."""
        recalls = {(naming.subject, naming.scenario): f"{naming.recall:.2f}" for naming in analysis}
        for subject, group in by_subject(scenarios).items():
            rows = [
                {
                    "asked for": shape,
                    "window": f"{scenario.params['window']:,}",
                    "exact set [95% interval]": str(scenario.rate),
                    "RULER's recall": recalls.get((subject, scenario.scenario), "-"),
                }
                for shape, same in grouped(group, lambda scenario: self.shape(scenario.params)).items()
                for scenario in same
            ]
            yield Table.from_rows(f"{self.title}, {subject}", rows)

    def further_tables(self, analysis: Sequence[Naming]) -> Iterator[Table]:
        if analysis:
            reasons = list(dict.fromkeys(reason for naming in analysis for reason in naming.besides))
            columns = {
                "window": [f"{naming.params['window']:,}" for naming in analysis],
                "asked": [self.shape(naming.params) for naming in analysis],
                "missed": [f"{naming.named.n - naming.named.correct:,} of {naming.named.n:,}" for naming in analysis],
                **{
                    reason.replace("_", " "): [f"{naming.besides.get(reason, 0):,}" for naming in analysis]
                    for reason in reasons
                },
                "all, plus others": [f"{naming.more:,} of {naming.trials:,} trials" for naming in analysis],
            }
            title = "what was missed, and what was named that was not asked for, in replies that name anything"
            subjects = [naming.subject for naming in analysis]
            yield Table.by_subject(f"{self.title}: {title}", subjects, columns, self.name)

    def findings(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[tuple[Rank, str]]:
        yield from super().findings(scenarios, analysis)
        for subject, group in by_subject(analysis).items():
            yield from ((Rank.CAUSE, f"{self.title}, {subject}: {sentence}.") for sentence in _besides(group))

    def data(self, analysis: Sequence[Naming]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {self.name: [_entry(naming) for naming in analysis]}

    def _by_depth(self, analysis: Sequence[Naming]) -> RateView:
        named = "place in the text"
        return self._by_place("depth", named, analysis, DEPTHS, lambda naming: naming.by_depth, f"{named}, %")

    def _by_place(
        self,
        what: str,
        title: str,
        analysis: Sequence[Naming],
        labels: Mapping[int, str],
        rates: Callable[[Naming], Mapping[int, Rate]],
        axis: str | None = None,
    ) -> RateView:
        """Return the view of the items named, by their place, over all windows. labels: the names of the places."""
        cells: dict[tuple[int, str, str], list[Rate]] = {}
        for naming in analysis:
            for place, rate in rates(naming).items():
                cells.setdefault((place, self.shape(naming.params), str(naming.subject)), []).append(rate)
        return RateView(
            points=[
                RatePoint(labels.get(place, str(place)), shape, pooled(same), subject)
                for (place, shape, subject), same in sorted(cells.items(), key=lambda cell: cell[0][0])
            ],
            name=f"{self._name}-by-{what}",
            heading=self.title,
            title=f"Named of what was asked for, by {title}",
            x=what,
            axis=axis or title,
            fewest=1,
        )

    @property
    def _name(self) -> str:
        """The name of the protocol in the names of files."""
        return self.name.replace("_", "-")


class Tracking(NamedSets):
    name, title = "variable_tracking", "Variable tracking"

    def shape(self, params: Params) -> str:
        return f"{count(params['chains'], 'chain')} of {count(params['hops'], 'hop')}"

    def views(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[RateView]:
        yield from super().views(scenarios, analysis)
        longest = max((number for naming in analysis for number in naming.by_number), default=0)
        labels = {number: f"hop {number - 1}" if number > 1 else "first" for number in range(1, longest + 1)}
        yield self._by_place("number", "place in the chain", analysis, labels, lambda naming: naming.by_number)
        yield self._by_depth(analysis)


class NeedlesAccount(NamedSets):
    name, title = "multiple_needles", "Multiple needles"

    def shape(self, params: Params) -> str:
        keys = count(params["keys"], "key")
        some = keys if params["queries"] == params["keys"] else f"{params['queries']} of {keys}"
        return f"{some}, {count(params['values'], 'value')}{' each' if params['keys'] > 1 else ''}"

    def views(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[RateView]:
        yield from super().views(scenarios, analysis)
        yield self._by_depth(analysis)


class Counting(NamedSets):
    name, title = "frequent_words", "Frequent words"

    def shape(self, params: Params) -> str:
        return f"alpha {params['alpha_percent'] / 100:g}"

    def views(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Naming]) -> Iterator[RateView]:
        yield from super().views(scenarios, analysis)
        yield self._by_place("number", "frequency", analysis, FREQUENCIES, lambda naming: naming.by_number)


def _besides(analysis: Sequence[Naming]) -> Iterator[str]:
    """Yield how often more is named than was asked for, and what. analysis: that of one subject."""
    more, trials = sum(naming.more for naming in analysis), sum(naming.trials for naming in analysis)
    if more >= OFTEN * trials:
        yield (
            f"in {more:,} of {trials:,} trials everything that was asked for is named, and something else as well: "
            "RULER's recall counts these as complete"
        )
    besides: Counter[str] = sum((Counter(naming.besides) for naming in analysis), Counter())
    named = pooled(naming.named for naming in analysis)
    if besides and 2 * besides.total() >= named.correct:
        reason, number = besides.most_common(1)[0]
        yield (
            f"{besides.total():,} names that were not asked for are given, and {named.correct:,} that were; "
            f"{number:,} of the former are {reason.replace('_', ' ')}"
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


def _counts(rates: Mapping[int, Rate]) -> dict[str, list[float]]:
    """Return how many items were named, of how many, at each place."""
    return {str(place): [rate.correct, rate.n] for place, rate in rates.items()}
