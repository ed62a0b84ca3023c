"""How many chunks to retrieve: accuracy, price and latency by their number, and whether the answer was among them."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from longctx.compare.pairs import by_item, paired
from longctx.results.row import ALONE, Row, Subject, by_subject, grouped
from longctx.stats.averaged import Averaged
from longctx.stats.losses import Behind, Loss, Losses, accuracy_of_best, behind
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate, rate_of
from longctx.summary.costs import total_usd
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY

CHUNKS = "chunks"
"""The parameter of a test function that is the number of chunks."""
RETRIEVED = "retrieved"
"""The number in a trace that is 1 if the answer was among the chunks."""
EVIDENCE_ALONE = 0.0
"""The value of a parameter that stands for a context of the evidence alone, with which losses can be compared."""
MISSED = "missed"
"""The number in a trace that is 1 if the answer was among the chunks, and the model did not give it."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One subject at several numbers of chunks."""

    subject: Subject
    points: tuple[Measured, ...]
    """By number of chunks, the fewest first."""
    behind: Mapping[float, Behind]
    """How far each number may be behind the best one."""
    losses: Losses
    """Compared with the number that was best here, on the same questions."""
    best_accuracy: float
    """That of the best number, corrected for having been chosen."""
    against_evidence: Losses | None = None
    """The losses of all numbers compared with the evidence alone; None unless all questions were tried with it."""

    @property
    def best(self) -> Measured:
        """The number that was best here."""
        return next(point for point in self.points if point.value == self.losses.first)

    @property
    def enough(self) -> Measured | None:
        """The cheapest of which a loss of the margin is ruled out, by chunks if prices are not known or zero; or None.

        The loss is that against the best number, whichever it is.
        """
        good = [point for point in self.points if self.behind[point.value].most < self.losses.margin]
        return min(good, key=_price, default=None)

    @property
    def open(self) -> tuple[Loss, ...]:
        """The cheaper numbers that may be as good: not beaten, and not known to be as good."""
        prices = {point.value: _price(point) for point in self.points if not self.behind[point.value].beaten}
        chosen = _price(self.enough) if self.enough else None
        return tuple(
            loss
            for loss in self.losses.each
            if loss.value in prices and (chosen is None or prices[loss.value] < chosen)
        )


def _price(point: Measured) -> tuple[float, float]:
    return point.usd or 0.0, point.value


def retrievals(rows: Sequence[Row]) -> tuple[Retrieval, ...]:
    """Return each subject that was measured with several numbers of chunks. rows: measured ones of a function."""
    asked = [row for row in rows if RETRIEVED in row.trace and isinstance(row.params.get(CHUNKS), int | float)]
    found = [_chunks_of(subject, group) for subject, group in by_subject(asked).items()]
    return tuple(each for each in found if len(each.points) > 1)


def _chunks_of(subject: Subject, rows: Sequence[Row]) -> Retrieval:
    by_number = dict(sorted(grouped(rows, lambda row: float(str(row.params[CHUNKS]))).items()))
    points = tuple(Measured.of(number, group) for number, group in by_number.items())
    best = max(points, key=lambda point: (point.rate.rate, -point.value)).value
    others = {number: pairs_of(by_number[best], group) for number, group in by_number.items() if number != best}
    pairs = {
        (one, other): pairs_of(by_number[one], by_number[other]) for one, other in itertools.combinations(by_number, 2)
    }
    found = behind(tuple(by_number), pairs) if pairs else {}
    against = _losses(by_number) if _with_evidence_alone(by_number) else None
    return Retrieval(subject, points, found, Losses.of(best, others), _best_accuracy(by_number), against)


def _best_accuracy(by_number: Mapping[float, Sequence[Row]]) -> float:
    """Return the accuracy of the best number, by the questions that were measured at all of them."""
    answers = [grouped(rows, lambda row: row.cluster or _question(row)) for rows in by_number.values()]
    shared = [[each[item] for each in answers] for item in answers[0] if all(item in each for each in answers)]
    means = [[statistics.fmean(row.credit for row in rows) for rows in item] for item in shared]
    return accuracy_of_best(means) if means else max(rate_of(rows).rate for rows in by_number.values())


def _question(row: Row) -> tuple[int, str | None, int]:
    return row.seed, row.item, row.trial


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
    found = [_retention_of(subject, of_subject) for subject, of_subject in by_subject(asked).items()]
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
        {kind: rate_of(of_kind) for kind, of_kind in kinds.items()},
        {name: rate_of(placed[place]) for place, name in enumerate(PLACES) if place in placed},
        {edit: number for edit, number in missed.items() if number},
    )


def _mean_retained(values: Sequence[float | None]) -> float:
    return statistics.fmean(value or 0 for value in values)


def _dominates(one: Retention, other: Retention) -> bool:
    better = one.recall.rate - other.recall.rate, other.retained - one.retained
    return min(better) >= 0 and max(better) > 0


FILL = "fill"
"""The parameter of a test function that is the fill of the window."""
FILLER = "filler tokens"
"""What such parameters count: the tokens of the text around the question, not all that are sent."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured at one value of a parameter."""

    value: float
    rate: Rate
    usd: float | None
    """What a trial cost on average, in USD; None if prices are not known."""
    seconds: float | None
    """The median latency of a trial; None if it was not measured."""
    cached: float | None
    """The share of the input tokens that were read from the prompt cache; None if no answer tells."""
    counts: dict[str, int]
    """How often each number of the rows' traces is above zero."""
    sent: int | None = None
    """The median of the tokens that were sent; None if it is not known."""

    @classmethod
    def of(cls, value: float, rows: Sequence[Row]) -> Measured:
        usd = total_usd(rows)
        seconds = [row.latency_s for row in rows if row.latency_s is not None and row.batch_discount is None]
        told = [row for row in rows if row.cached_tokens is not None and row.input_tokens]
        names = dict.fromkeys(name for row in rows for name in row.trace)
        return cls(
            value,
            rate_of(rows),
            None if usd is None else usd / len(rows),
            statistics.median(seconds) if seconds else None,
            sum(row.cached_tokens or 0 for row in told) / sum(row.input_tokens or 0 for row in told) if told else None,
            {name: sum(row.trace.get(name, 0) > 0 for row in rows) for name in names},
            median_tokens(rows),
        )


def median_tokens(rows: Sequence[Row]) -> int | None:
    """Return the median of the tokens that were sent; None if no answer tells."""
    known = [row.input_tokens for row in rows if row.input_tokens is not None]
    return round(statistics.median(known)) if known else None


@dataclass(frozen=True, slots=True)
class Window:
    """One strategy of one subject at several fills."""

    subject: Subject
    """Without the strategy."""
    strategy: str
    points: tuple[Measured, ...]
    """By fill, the smallest first."""
    losses: Losses
    """Compared with the evidence alone if all probes were tried with it, or else with the smallest fill."""
    strategy_usd: float | None
    """What the strategy itself cost at the largest fill, a session; None if prices are not known."""
    guessing: float = 0.0
    session: str = ""
    """The session, if it is one of several."""
    sessions: tuple[Window, ...] = ()
    """Each of several sessions by itself."""
    here: Losses | None = None
    """The losses in these very sessions together, where `losses` are those in all that are like them."""

    @property
    def can_lose(self) -> bool:
        """Whether more is right than by guessing with the evidence alone, or else at the smallest fill."""
        if self.losses.first == EVIDENCE_ALONE:
            return any(loss.n for loss in self.losses.each)
        return self.points[0].rate.lo > self.guessing and self.points[0].rate.correct > 0


def windows(rows: Sequence[Row]) -> tuple[Window, ...]:
    """Return each strategy of each subject that was measured at several fills. rows: measured ones of a function."""
    filled = [row for row in rows if row.retained is not None and isinstance(row.params.get(FILL), int | float)]
    found = [_window_of(subject, group) for subject, group in by_subject(filled).items()]
    return tuple(each for each in found if len(each.points) > 1)


def _window_of(subject: Subject, rows: Sequence[Row], session: str = "") -> Window:
    by_fill = dict(sorted(grouped(rows, lambda row: float(str(row.params[FILL]))).items()))
    last = max(by_fill)
    sessions = {} if session else grouped(rows, lambda row: row.cluster or "")
    several = 1 < len(sessions) < len({_question(row) for row in rows})
    costs = [row.strategy_usd for row in by_fill[last]]
    known = [cost for cost in costs if cost is not None]
    return Window(
        replace(subject, labels=tuple((name, value) for name, value in subject.labels if name != STRATEGY)),
        dict(subject.labels).get(STRATEGY, NO_STRATEGY),
        tuple(Measured.of(fill, group) for fill, group in by_fill.items()),
        _losses(by_fill),
        statistics.fmean(known) if known and len(known) == len(costs) else None,
        max((row.guessing or 0.0 for row in rows), default=0.0),
        session,
        tuple(_window_of(subject, group, name) for name, group in sorted(sessions.items())) if several else (),
        _losses(by_fill, clustered=False) if several else None,
    )


def _losses(by_fill: Mapping[float, Sequence[Row]], *, clustered: bool = True) -> Losses:
    """Return the losses compared with the evidence alone, or else with the smallest fill. clustered: see `paired`."""
    (first, before), *others = by_fill.items()
    if alone := _with_evidence_alone(by_fill):
        first, before, others = EVIDENCE_ALONE, alone, [*by_fill.items()]
    return Losses.of(first, {fill: pairs_of(before, after, clustered=clustered) for fill, after in others})


def _with_evidence_alone(by_fill: Mapping[float, Sequence[Row]]) -> list[Row]:
    """Return a row for each probe, with its outcome when it was tried; nothing unless all probes were."""
    rows = {_question(row): row for group in by_fill.values() for row in group}.values()
    if not all(ALONE in row.trace for row in rows):
        return []
    return [replace(row, outcome="correct" if row.trace[ALONE] else "wrong", trace={}) for row in rows]


def pairs_of(before: Sequence[Row], after: Sequence[Row], *, clustered: bool = True) -> Paired | Averaged:
    """Return the difference between two values of a parameter, on the same items. clustered: see `paired`."""
    return paired(by_item(before, after, _question), clustered=clustered)


ANALYSES: Mapping[str, Callable[[Sequence[Row]], Sequence[object]]] = {
    "windows": windows,
    "chunks": retrievals,
    "retention": retention,
}
"""What is found in the measured rows of a test function, by the names of the lists in summary.json."""
