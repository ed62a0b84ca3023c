"""What latest values report: rates by window, and how many updates back stale answers are from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from longctx import Account, Rank, Rate, RatePoint, RateView, ScenarioSummary, Subject, Table
from longctx.plural import count
from longctx.protocols.latest_value import BACK, NOWHERE, OTHER
from longctx.results.grouping import by_subject, grouped

if TYPE_CHECKING:
    from longctx import Row

NAME, TITLE = "latest_value", "Latest value"
ENOUGH = 5
"""The wrong answers needed before a finding says where they are from."""


@dataclass(frozen=True, slots=True)
class StaleAnswers:
    """Where the wrong answers to one scenario of one subject are from."""

    subject: Subject
    scenario: str
    params: Mapping[str, Any]
    trials: int
    back: Counter[int] = field(default_factory=Counter)
    """The answers from the same quantity, by how many updates before the right one they are; below 0: after it."""
    elsewhere: Counter[str] = field(default_factory=Counter)

    @property
    def wrong(self) -> int:
        return self.back.total() + self.elsewhere.total()

    @property
    def stale(self) -> Rate:
        """The share of all trials with an answer from an earlier entry about the same quantity."""
        return Rate(sum(number for back, number in self.back.items() if back > 0), self.trials)


class LatestValueAccount(Account):
    """The account of latest values. analysis: the origins of the wrong answers to each scenario."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[StaleAnswers, ...]:
        return tuple(_origins(rows))

    def views(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[StaleAnswers]) -> Iterator[RateView]:
        yield RateView.by_window(
            scenarios, asked, name="latest-value-by-window", heading=TITLE, table="rate [95% interval]"
        )
        yield RateView(
            points=[
                RatePoint(back, asked(each.params), Rate(each.back[back], each.trials), _of_window(each))
                for each in analysis
                for back in range(1, _oldest(each) + 1)
            ],
            name="latest-value-stale",
            heading=TITLE,
            title="Stale answers, by how many updates back they are from",
            x="updates back",
            axis="updates between the answer and the right one",
            table="share of trials with a stale answer [95% interval]",
            fewest=1,
            finding=False,
        )

    def further_tables(self, analysis: Sequence[StaleAnswers]) -> Iterator[Table]:
        if analysis:
            columns = {
                "window": [f"{each.params['window']:,}" for each in analysis],
                "asked": [asked(each.params) for each in analysis],
                "stale": [str(each.stale) for each in analysis],
                "too new": [_number(each.back[-1], each) for each in analysis],
                **{
                    origin.replace("_", " "): [_number(each.elsewhere[origin], each) for each in analysis]
                    for origin in (OTHER, NOWHERE)
                },
            }
            title = f"{TITLE}: where wrong answers are from"
            yield Table.by_subject(title, [each.subject for each in analysis], columns, NAME)

    def findings(
        self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[StaleAnswers]
    ) -> Iterator[tuple[Rank, str]]:
        yield from super().findings(scenarios, analysis)
        for subject, group in by_subject(analysis).items():
            back = sum((each.back for each in group), Counter[int]())
            stale = {updates: number for updates, number in back.items() if updates > 0}
            wrong, total = sum(each.wrong for each in group), sum(stale.values())
            if wrong >= ENOUGH and 2 * total >= wrong:
                most = max(stale, key=stale.__getitem__)
                yield (
                    Rank.CAUSE,
                    f"{TITLE}, {subject}: of {wrong:,} wrong answers {total:,} are stale, {stale[most]:,} of "
                    f"these by {count(most, 'update')}.",
                )

    def data(self, analysis: Sequence[StaleAnswers]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {
            NAME: [
                {
                    **each.subject.fields,
                    "scenario": each.scenario,
                    "trials": each.trials,
                    "stale": each.stale.correct,
                    "by_updates_back": {str(back): number for back, number in sorted(each.back.items())},
                    **{origin: each.elsewhere[origin] for origin in (OTHER, NOWHERE)},
                }
                for each in analysis
            ]
        }


def asked(params: Mapping[str, Any]) -> str:
    return f"{params['question']}, {count(params['updates'], 'update')}"


def _origins(rows: Sequence[Row]) -> Iterator[StaleAnswers]:
    for (subject, scenario), group in grouped(rows, lambda row: (row.subject, row.scenario)).items():
        origins = StaleAnswers(subject, scenario, group[0].params, len(group))
        for row in group:
            if BACK in row.trace:
                origins.back[row.trace[BACK]] += 1
            origins.elsewhere.update(origin for origin in (OTHER, NOWHERE) if origin in row.trace)
        yield origins


def _oldest(origins: StaleAnswers) -> int:
    """Return how many updates before the right entry the first entry is."""
    return int(origins.params["updates"]) - int(origins.params["question"] == "before")


def _of_window(origins: StaleAnswers) -> str:
    return f"{origins.subject}, {origins.params['window']:,} tokens"


def _number(number: int, origins: StaleAnswers) -> str:
    return f"{number:,} of {origins.trials:,}"
