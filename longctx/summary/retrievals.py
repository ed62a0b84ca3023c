"""How many chunks to retrieve: accuracy, price and latency by their number, and whether the answer was among them."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longctx.results.grouping import by_subject, grouped
from longctx.results.row import Row, Subject
from longctx.stats.losses import Behind, Loss, Losses, accuracy_of_best, behind
from longctx.stats.rates import rate_of
from longctx.summary.by_value import Measured, losses_between, pairs_of, question_key, with_evidence_alone

CHUNKS = "chunks"
"""The parameter of a test function that is the number of chunks."""
RETRIEVED = "retrieved"
"""The number in a trace that is 1 if the answer was among the chunks."""
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
    """Compared with the number of chunks that was best in this run, on the same questions."""
    best_accuracy: float
    """The accuracy of the best number, corrected for having been chosen."""
    against_evidence: Losses | None = None
    """The losses of all numbers compared with the evidence alone; None unless all questions were tried with it."""

    @property
    def best(self) -> Measured:
        """The number of chunks with the highest accuracy in this run."""
        return next(point for point in self.points if point.value == self.losses.first)

    @property
    def enough(self) -> Measured | None:
        """The cheapest number of chunks that does not lose the margin against the best, with confidence; or None.

        If prices are not known or zero, it is the smallest such number.
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
    against = losses_between(by_number) if with_evidence_alone(by_number) else None
    return Retrieval(subject, points, found, Losses.of(best, others), _best_accuracy(by_number), against)


def _best_accuracy(by_number: Mapping[float, Sequence[Row]]) -> float:
    """Return the accuracy of the best number, by the questions that were measured at all of them."""
    answers = [grouped(rows, lambda row: row.cluster or question_key(row)) for rows in by_number.values()]
    shared = [[each[item] for each in answers] for item in answers[0] if all(item in each for each in answers)]
    means = [[statistics.fmean(row.credit for row in rows) for rows in item] for item in shared]
    return accuracy_of_best(means) if means else max(rate_of(rows).rate for rows in by_number.values())
