"""Which texts came back, and how like the right ones they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.summary.summary import ScenarioSummary

Pairs = Mapping[tuple[int, int], int]
"""(asked for, given back), from 1 -> how many answers."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The measured trials of one scenario, or of several that have as many alike texts.

    score: MRCR's, summed over the trials. exact: right answers that are right word for word. given: answers that are
    one of the alike texts. without_code: the same of replies that do not begin with the code. others: wrong answers
    that are another text of the conversation: of the same subject, of the same kind, or of neither. nowhere: wrong
    answers that are no text of it.
    """

    subject: Subject
    needles: int
    window: int | None
    trials: int
    score: float
    exact: int
    given: Pairs
    without_code: Pairs
    others: Mapping[str, int]
    nowhere: int

    @property
    def mean_score(self) -> float:
        return self.score / self.trials

    @property
    def guess(self) -> float:
        """The rate of one who gives back any of the alike texts."""
        return 1 / self.needles

    @property
    def another_instance(self) -> int:
        """Wrong answers that are another of the alike texts."""
        return sum(count for (asked, given), count in self.given.items() if asked != given)

    @property
    def wrong(self) -> int:
        return self.another_instance + sum(self.others.values()) + self.nowhere


SUBJECT, KIND, NEITHER = "about the same subject", "of the same kind", "of another kind and subject"


def shape(one: ScenarioSummary) -> tuple[int, int]:
    """Alike texts and window of a scenario of this family."""
    return int(one.params["needles"] or 0), int(one.params["window"] or 0)


def returned(rows: Sequence[Row]) -> Iterator[Returned]:
    """One for each subject and scenario. rows: of this family, measured."""
    for (subject, _), group in grouped(rows, lambda row: (row.subject, row.scenario)).items():
        yield _counted(subject, group)


def of_all_windows(scenarios: Sequence[Returned]) -> list[Returned]:
    """One for each subject and number of alike texts."""
    groups: dict[tuple[Subject, int], list[Returned]] = {}
    for one in scenarios:
        groups.setdefault((one.subject, one.needles), []).append(one)
    return [
        Returned(
            subject,
            needles,
            None,
            trials=sum(one.trials for one in group),
            score=sum(one.score for one in group),
            exact=sum(one.exact for one in group),
            given=_sum([one.given for one in group]),
            without_code=_sum([one.without_code for one in group]),
            others=_sum([one.others for one in group]),
            nowhere=sum(one.nowhere for one in group),
        )
        for (subject, needles), group in groups.items()
    ]


def _counted(subject: Subject, rows: Sequence[Row]) -> Returned:
    """rows: of one scenario."""
    params, traces = rows[0].params, [row.trace for row in rows]
    wrong = [row.trace for row in rows if row.outcome == "wrong"]
    given = [trace for trace in traces if "given" in trace]
    return Returned(
        subject,
        int(params["needles"] or 0),
        int(params["window"] or 0),
        trials=len(rows),
        score=sum(trace.get("score", 0) for trace in traces) / 1000,
        exact=sum(trace["exact"] for trace in given if trace["given"] == trace["asked"]),
        given=Counter((trace["asked"], trace["given"]) for trace in given),
        without_code=Counter((trace["asked"], trace["without_code"]) for trace in traces if "without_code" in trace),
        others=Counter(_other(trace) for trace in wrong if "same_kind" in trace),
        nowhere=sum("given" not in trace and "same_kind" not in trace for trace in wrong),
    )


def _other(trace: Mapping[str, int]) -> str:
    return SUBJECT if trace["same_subject"] else KIND if trace["same_kind"] else NEITHER


def _sum(counts: Sequence[Mapping[Any, int]]) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for one in counts:
        total.update(one)
    return total
