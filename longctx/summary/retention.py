"""What survives context management: the recall of a transcript by strategy, by kind and by place."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from longctx.results.grouping import by_subject, grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.rates import Rate, rate_of
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY

PLACES = ("first third", "middle third", "last third")
APPLIED = "applied "
"""How the numbers of a row begin that say whether a server made an edit."""


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
    """In how many trials the server did not make an edit that it was asked for, by the edit's type."""
    dominated_by: tuple[str, ...] = ()
    """The strategies of the same subject whose recall is as high with as few tokens, and better in one of both."""


def retention(rows: Sequence[Row]) -> tuple[Retention, ...]:
    """Return each strategy of each subject; nothing for rows without transcripts. rows: measured ones of a function."""
    asked = [row for row in rows if row.retained is not None]
    found = [_of(subject, of_subject) for subject, of_subject in by_subject(asked).items()]
    return tuple(
        replace(
            each,
            dominated_by=tuple(
                other.strategy for other in found if other.subject == each.subject and _dominates(other, each)
            ),
        )
        for each in found
    )


def _of(subject: Subject, rows: Sequence[Row]) -> Retention:
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
        replace(subject, labels=tuple(pair for pair in subject.labels if pair[0] != STRATEGY)),
        dict(subject.labels).get(STRATEGY, NO_STRATEGY),
        _rate(rows),
        statistics.fmean(row.retained or 0 for row in rows),
        counts,
        None if None in costs else _mean(costs),
        None if None in seconds else statistics.median(value or 0 for value in seconds),
        {kind: _rate(of_kind) for kind, of_kind in kinds.items()},
        {name: _rate(placed[place]) for place, name in enumerate(PLACES) if place in placed},
        {edit: number for edit, number in missed.items() if number},
    )


def _mean(values: Sequence[float | None]) -> float:
    return statistics.fmean(value or 0 for value in values)


def _rate(rows: Sequence[Row]) -> Rate:
    return rate_of(rows)


def _dominates(one: Retention, other: Retention) -> bool:
    better = one.recall.rate - other.recall.rate, other.retained - one.retained
    return min(better) >= 0 and max(better) > 0
