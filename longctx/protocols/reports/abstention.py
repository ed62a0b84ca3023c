"""What abstention reports: the rates of invention and of needless refusal beside those of right answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longctx import Account, Rank, Rate, RatePoint, RateView, ScenarioSummary, Subject, Table
from longctx.protocols.abstention import GUESSED, INVENTED, NEEDLESS
from longctx.protocols.reports.letters import (
    LetterShare,
    letter_biases,
    letter_entries,
    letter_shares,
    letter_table,
)
from longctx.results.grouping import grouped
from longctx.stats.of_rows import rate_of
from longctx.stats.rates import pooled

if TYPE_CHECKING:
    from longctx import Row

NAME, TITLE = "abstention", "Abstention"
OFTEN = 0.2
"""The rate from which inventions or needless refusals are a finding."""
SERIES = {"present": "right answer, section in the record", "absent": "abstention, section left out"}
INVENTION, REFUSAL = "invention, section left out", "needless refusal, section in the record"


@dataclass(frozen=True, slots=True)
class Abstentions:
    """What is invented and what is refused needlessly by one subject in records of one budget (tokens)."""

    subject: Subject
    budget: int
    invented: Rate
    """The trials without the section in which an answer is given all the same."""
    refused: Rate
    """The trials with the section in which the reply says that it is not there, or the model refuses."""
    letters: tuple[LetterShare, ...] = ()
    """Over both: the letter of each answer is drawn, that of *The record does not say* included."""


class AbstentionAccount(Account):
    """The account of abstention. analysis: an Abstentions for each subject and budget."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[Abstentions, ...]:
        return tuple(
            Abstentions(
                subject,
                budget,
                _share(group, "absent", lambda row: INVENTED in row.trace),
                _share(group, "present", lambda row: NEEDLESS in row.trace or row.outcome == "refusal"),
                letter_shares(group),
            )
            for (subject, budget), group in grouped(
                rows, lambda row: (row.subject, int(row.params["budget"] or 0))
            ).items()
        )

    def views(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Abstentions]) -> Iterator[RateView]:
        cells = grouped(
            scenarios,
            lambda each: (int(each.params["budget"] or 0), str(each.params["section"]), str(each.subject)),
        )
        yield RateView(
            points=[
                RatePoint(
                    budget,
                    SERIES[section],
                    pooled(each.rate for each in same),
                    subject,
                    pooled(each.lexical for each in same),
                )
                for (budget, section, subject), same in cells.items()
            ],
            name="abstention-right",
            heading=TITLE,
            title="Right with the section and without it",
            x="tokens",
            axis="tokens of the record",
            unit="tokens",
            lines=[GUESSED],
            note=f"Dashed: what guessing gives, {GUESSED}.",
            table="rate [95% interval]",
        )
        yield RateView(
            points=[
                RatePoint(each.budget, series, rate, str(each.subject))
                for each in analysis
                for series, rate in ((INVENTION, each.invented), (REFUSAL, each.refused))
            ],
            name="abstention-wrong",
            heading=TITLE,
            title="Inventions and needless refusals",
            x="tokens",
            axis="tokens of the record",
            unit="tokens",
            scale=("share of trials", 0, 1),
            table="inventions and needless refusals [95% interval]",
            fewest=1,
            finding=False,
        )

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Abstentions]) -> Iterator[Table]:
        yield from super().tables(scenarios, analysis) or ()
        for each in analysis:
            if each.letters:
                yield letter_table(f"{TITLE}, {each.subject}, {each.budget:,} tokens", each.letters)

    def findings(
        self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Abstentions]
    ) -> Iterator[tuple[Rank, str]]:
        yield from super().findings(scenarios, analysis)
        for subject, group in grouped(analysis, lambda each: each.subject).items():
            invented, refused = pooled(each.invented for each in group), pooled(each.refused for each in group)
            if invented.n and invented.lo > OFTEN:
                yield (
                    Rank.CAUSE,
                    f"{TITLE}, {subject}: in {invented.correct:,} of {invented.n:,} trials without the section "
                    "an answer is invented.",
                )
            if refused.n and refused.lo > OFTEN:
                yield (
                    Rank.CAUSE,
                    f"{TITLE}, {subject}: in {refused.correct:,} of {refused.n:,} trials with the section it is "
                    "said not to be there.",
                )
        for each in analysis:
            for sentence in letter_biases(f"in {each.budget:,} tokens", each.letters):
                yield Rank.CAUSE, f"{TITLE}, {each.subject}: {sentence}."

    def data(self, analysis: Sequence[Abstentions]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {
            NAME: [
                {
                    **each.subject.fields,
                    "budget": each.budget,
                    "absent": each.invented.n,
                    "invented": each.invented.correct,
                    "present": each.refused.n,
                    "needlessly_refused": each.refused.correct,
                    "letters": letter_entries(each.letters),
                }
                for each in analysis
            ]
        }


def _share(rows: Sequence[Row], section: str, held: Callable[[Row], bool]) -> Rate:
    return rate_of((row for row in rows if row.params["section"] == section), held)
