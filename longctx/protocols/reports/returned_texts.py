"""Which texts were given back, and how similar they are to the right ones."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longctx import Row, ScenarioSummary, Subject
from longctx.results.grouping import grouped

AnswerCounts = Mapping[tuple[int, int], int]
"""The number of answers for each (asked for, given back), counted from 1."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The measured trials of a scenario, or of several with the same number of alike texts (window: None).

    score: MRCR's score, summed over the trials. exact: right answers that are verbatim. given: answers that give back
    one of the alike texts, well or badly. badly_copied: wrong answers that are the right text with errors.
    without_code: texts given back without the code. others: wrong answers that are another text of the prompt, by
    whether they share its subject or kind, or come from the examples. nowhere: wrong answers that are no text of it.
    """

    subject: Subject
    needles: int
    window: int | None
    trials: int
    score: float
    exact: int
    given: AnswerCounts
    badly_copied: int
    without_code: AnswerCounts
    others: Mapping[str, int]
    nowhere: int

    @property
    def mean_score(self) -> float:
        return self.score / self.trials

    @property
    def guess(self) -> float:
        """The rate of choosing among the alike texts at random."""
        return 1 / self.needles

    @property
    def another_instance(self) -> int:
        """The wrong answers that are another of the alike texts."""
        return sum(count for (asked, given), count in self.given.items() if asked != given)

    @property
    def wrong(self) -> int:
        return self.another_instance + self.badly_copied + sum(self.others.values()) + self.nowhere


SUBJECT, KIND, NEITHER = "about the same subject", "of the same kind", "of another kind and subject"
EXAMPLE = "of the examples"


def shape(scenario: ScenarioSummary) -> tuple[int, int]:
    """Return the number of alike texts and the window of a scenario of this family."""
    return int(scenario.params["needles"] or 0), int(scenario.params["window"] or 0)


def returned(rows: Sequence[Row]) -> Iterator[Returned]:
    """Analyse each scenario of each subject. rows: measured trials of this family."""
    for (subject, _), group in grouped(rows, lambda row: (row.subject, row.scenario)).items():
        yield _counted(subject, group)


def of_all_windows(scenarios: Sequence[Returned]) -> list[Returned]:
    """Sum over windows, for each subject and number of alike texts."""
    groups = grouped(scenarios, lambda scenario: (scenario.subject, scenario.needles))
    return [functools.reduce(_pooled, group) for group in groups.values()]


def _pooled(first: Returned, second: Returned) -> Returned:
    """Sum the counts of two windows."""
    return Returned(
        first.subject,
        first.needles,
        window=None,
        trials=first.trials + second.trials,
        score=first.score + second.score,
        exact=first.exact + second.exact,
        given=Counter(first.given) + Counter(second.given),
        badly_copied=first.badly_copied + second.badly_copied,
        without_code=Counter(first.without_code) + Counter(second.without_code),
        others=Counter(first.others) + Counter(second.others),
        nowhere=first.nowhere + second.nowhere,
    )


def _counted(subject: Subject, rows: Sequence[Row]) -> Returned:
    """Count the answers. rows: those of one scenario."""
    params, traces = rows[0].params, [row.trace for row in rows]
    wrong = [row.trace for row in rows if row.outcome == "wrong"]
    answers = [row.trace for row in rows if row.outcome in ("correct", "wrong") and "given" in row.trace]
    return Returned(
        subject,
        int(params["needles"] or 0),
        int(params["window"] or 0),
        trials=len(rows),
        score=sum(trace.get("score", 0) for trace in traces) / 1000,
        exact=sum(row.trace["exact"] for row in rows if row.outcome == "correct"),
        given=Counter((trace["asked"], trace["given"]) for trace in answers),
        badly_copied=sum(trace.get("given") == trace["asked"] for trace in wrong),
        without_code=Counter((trace["asked"], trace["without_code"]) for trace in traces if "without_code" in trace),
        others=Counter(which for trace in wrong if (which := _other(trace))),
        nowhere=sum("given" not in trace and _other(trace) is None for trace in wrong),
    )


def _other(trace: Mapping[str, int]) -> str | None:
    """Return which other text a wrong answer is; None if it is one of the alike texts, or no text."""
    if "same_kind" in trace:
        return SUBJECT if trace["same_subject"] else KIND if trace["same_kind"] else NEITHER
    return EXAMPLE if "example" in trace else None
