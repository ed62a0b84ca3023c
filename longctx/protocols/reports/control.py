"""What the controls report: rates with the right section alone, a wrong one, and none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longctx import Account, Rank, RatePoint, RateView, ScenarioSummary, Subject, Table
from longctx.protocols.choices import CHANCE
from longctx.protocols.reports.collage_analysis import above_chance
from longctx.protocols.reports.letters import (
    GUESSING,
    LetterShare,
    letter_biases,
    letter_entries,
    letter_shares,
    letter_table,
)
from longctx.results.grouping import grouped

if TYPE_CHECKING:
    from longctx import Row

NAME, TITLE = "control", "Controls of the questions"
SECTIONS = {"right": "the right section", "wrong": "a wrong section", "none": "no section"}


def section(record: str) -> str:
    """Name a control by the section that the model is given to read."""
    return SECTIONS.get(record, record)


def _asked_of(scenario: ScenarioSummary, all_of: Sequence[ScenarioSummary]) -> str:
    """Return the subject, with the longest section where tables of the profile differ in it."""
    longest = scenario.params.get("longest")
    several = len({each.params.get("longest") for each in all_of}) > 1
    return f"{scenario.subject}, sections of at most {longest:,} tokens" if several else str(scenario.subject)


LettersOfControls = Mapping[tuple[Subject, str], tuple[LetterShare, ...]]


class ControlAccount(Account):
    """The account of the controls: rates with the right section alone, a wrong one, and none. analysis: the letters of
    each subject and record."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> LettersOfControls:
        groups = grouped(rows, lambda row: (row.subject, str(row.params["record"])))
        return {group: letter_shares(of_group) for group, of_group in groups.items()}

    def views(self, scenarios: Sequence[ScenarioSummary], analysis: LettersOfControls) -> Iterator[RateView]:
        yield RateView(
            points=[
                RatePoint(str(each.params["record"]), _asked_of(each, scenarios), each.rate, lexical=each.lexical)
                for each in scenarios
            ],
            name="controls",
            heading=TITLE,
            title="With the right section alone, a wrong one, none",
            x="read",
            label=section,
            series="model",
            down=True,
            lines=[CHANCE],
            note=GUESSING,
            fewest=1,
        )

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: LettersOfControls) -> Iterator[Table]:
        """Yield the rates, raw and corrected for guessing, and the letters with the right section alone."""
        columns = {
            "record": [str(scenario.params["record"]) for scenario in scenarios],
            "rate [95% interval]": [str(scenario.rate) for scenario in scenarios],
            "above chance": [
                f"{above_chance(scenario.rate):+.2f}" if scenario.rate.n else "" for scenario in scenarios
            ],
        }
        if len({scenario.params.get("longest") for scenario in scenarios}) > 1:
            columns = {"longest section": [str(scenario.params.get("longest")) for scenario in scenarios], **columns}
        title = f"{TITLE}: with the right section alone, a wrong one, none"
        yield Table.by_subject(title, [scenario.subject for scenario in scenarios], columns)
        for (subject, record), shares in (analysis or {}).items():
            if record == "right" and shares:
                yield letter_table(f"{subject}, {section(record)} alone", shares)

    def findings(self, scenarios: Sequence[ScenarioSummary], analysis: LettersOfControls) -> Iterator[tuple[Rank, str]]:
        yield from super().findings(scenarios, analysis)
        for (subject, record), shares in (analysis or {}).items():
            if record == "right":
                for sentence in letter_biases(f"with {section(record)} alone", shares):
                    yield Rank.CAUSE, f"{TITLE}, {subject}: {sentence}."

    def data(self, analysis: LettersOfControls | tuple[()]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        cells = analysis.items() if isinstance(analysis, Mapping) else ()
        return {
            "control_letters": [
                {**subject.fields, "record": record, "letters": letter_entries(shares)}
                for (subject, record), shares in cells
            ]
        }
