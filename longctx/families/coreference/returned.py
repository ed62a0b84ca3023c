"""Which texts came back, and how like the right ones they are."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.summary.summary import ScenarioSummary

Pairs = Mapping[tuple[int, int], int]
"""(asked for, given back), from 1 -> how many answers."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The measured trials of one scenario, or of several that have as many alike texts.

    score: MRCR's, summed over the trials. exact: right answers that are right word for word. given: answers that give
    back one of the alike texts, well or badly. badly_copied: wrong answers that are the right text with faults.
    without_code: texts given back by replies that do not begin with the code. others: wrong answers that are another
    text of the prompt: about the same subject, of the same kind, neither, or of its examples. nowhere: wrong answers
    that are no text of it. window: None for several.
    """

    subject: Subject
    needles: int
    window: int | None
    trials: int
    score: float
    exact: int
    given: Pairs
    badly_copied: int
    without_code: Pairs
    others: Mapping[str, int]
    nowhere: int

    @property
    def mean_score(self) -> float:
        return self.score / self.trials

    @property
    def guess(self) -> float:
        """The rate of giving back any of the alike texts."""
        return 1 / self.needles

    @property
    def another_instance(self) -> int:
        """Wrong answers that are another of the alike texts."""
        return sum(count for (asked, given), count in self.given.items() if asked != given)

    @property
    def wrong(self) -> int:
        return self.another_instance + self.badly_copied + sum(self.others.values()) + self.nowhere


SUBJECT, KIND, NEITHER = "about the same subject", "of the same kind", "of another kind and subject"
EXAMPLE = "of the examples"


def shape(scenario: ScenarioSummary) -> tuple[int, int]:
    """Alike texts and window of a scenario of this family."""
    return int(scenario.params["needles"] or 0), int(scenario.params["window"] or 0)


def returned(rows: Sequence[Row]) -> Iterator[Returned]:
    """One for each subject and scenario. rows: of this family, measured."""
    for (subject, _), group in grouped(rows, lambda row: (row.subject, row.scenario)).items():
        yield _counted(subject, group)


def of_all_windows(scenarios: Sequence[Returned]) -> list[Returned]:
    """One for each subject and number of alike texts."""
    groups: dict[tuple[Subject, int], list[Returned]] = {}
    for scenario in scenarios:
        groups.setdefault((scenario.subject, scenario.needles), []).append(scenario)
    return [functools.reduce(_both, group) for group in groups.values()]


def _both(first: Returned, second: Returned) -> Returned:
    """The rates of two windows."""
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
    """rows: of one scenario."""
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
    """Which other text a wrong answer is; None where it is one of the alike texts, or none."""
    if "same_kind" in trace:
        return SUBJECT if trace["same_subject"] else KIND if trace["same_kind"] else NEITHER
    return EXAMPLE if "example" in trace else None
