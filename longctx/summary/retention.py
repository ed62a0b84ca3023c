"""What each strategy keeps of a session: the recall of its probes, and the tokens that it sends."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from longctx.results.grouping import by_subject, grouped
from longctx.results.row import Row, Subject
from longctx.stats.rates import Rate, rate_of
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY

PLACES = ("first third", "middle third", "last third")
APPLIED = "applied "
"""The beginning of the names of a row's numbers that record whether a server made an edit."""


@dataclass(frozen=True, slots=True)
class Retention:
    """One strategy of one subject."""

    subject: Subject
    """Without the strategy."""
    strategy: str
    recall: Rate
    retained: float
    """The mean share of the conversation's tokens that the model saw."""
    wrong: Mapping[str, int]
    """How many answers are `stale`, `lost` and `invented`."""
    usd: float | None
    """What the strategy itself cost a trial, in USD; None if prices are not known."""
    seconds: float | None
    """The median time of the strategy's own requests in a trial; None if it was not measured."""
    by_kind: Mapping[str, Rate]
    by_place: Mapping[str, Rate]
    """By thirds of the conversation."""
    not_applied: Mapping[str, int]
    """In how many trials the server did not make an edit that was requested, by the edit's type."""
    dominated_by: tuple[str, ...] = ()
    """The strategies of the same subject whose recall is as high with as few tokens, and better in one of both."""


def retention(rows: Sequence[Row]) -> tuple[Retention, ...]:
    """Return each strategy of each subject; nothing for rows without transcripts. rows: measured ones of a function."""
    asked = [row for row in rows if row.retained is not None]
    found = [_retention_of(subject, own_rows) for subject, own_rows in by_subject(asked).items()]
    return tuple(
        replace(
            each,
            dominated_by=tuple(
                other.strategy for other in found if other.subject == each.subject and _dominates(other, each)
            ),
        )
        for each in found
    )


def _retention_of(subject: Subject, rows: Sequence[Row]) -> Retention:
    costs = [row.strategy_usd for row in rows]
    seconds = [row.strategy_s for row in rows]
    kinds = grouped([row for row in rows if row.probe], lambda row: str(row.probe))
    placed = grouped([row for row in rows if row.depth is not None], lambda row: min(2, int(3 * (row.depth or 0))))
    counts = Counter[str]()
    for row in rows:
        counts.update({name: row.trace.get(name, 0) for name in ("stale", "lost", "invented")})
    edits = dict.fromkeys(name for row in rows for name in row.trace if name.startswith(APPLIED))
    missed = {name.removeprefix(APPLIED): sum(not row.trace.get(name, 1) for row in rows) for name in edits}
    return Retention(
        replace(subject, labels=tuple((name, value) for name, value in subject.labels if name != STRATEGY)),
        dict(subject.labels).get(STRATEGY, NO_STRATEGY),
        rate_of(rows),
        statistics.fmean(row.retained or 0 for row in rows),
        counts,
        None if None in costs else _mean_retained(costs),
        None if None in seconds else statistics.median(value or 0 for value in seconds),
        {kind: rate_of(outcomes) for kind, outcomes in kinds.items()},
        {name: rate_of(placed[index]) for index, name in enumerate(PLACES) if index in placed},
        {edit: number for edit, number in missed.items() if number},
    )


def _mean_retained(values: Sequence[float | None]) -> float:
    return statistics.fmean(value or 0 for value in values)


def _dominates(one: Retention, other: Retention) -> bool:
    better = one.recall.rate - other.recall.rate, other.retained - one.retained
    return min(better) >= 0 and max(better) > 0
