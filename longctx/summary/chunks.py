"""How many chunks to retrieve: accuracy, price and latency by their number, and whether the answer was among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longctx.results.grouping import by_subject, grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.losses import Losses
from longctx.summary.window import Measured, pairs_of

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
    losses: Losses
    """Compared with the best number, on the same questions."""

    @property
    def best(self) -> Measured:
        return next(point for point in self.points if point.value == self.losses.first)

    @property
    def cheapest(self) -> Measured:
        """The cheapest that is not significantly worse than the best; by chunks if prices are not known or zero."""
        worse = {loss.value for loss in self.losses.lost}
        good = [point for point in self.points if point.value not in worse]
        return min(good, key=lambda point: (point.usd or 0.0, point.value))


def retrievals(rows: Sequence[Row]) -> tuple[Retrieval, ...]:
    """Return each subject that was asked with several numbers of chunks. rows: measured ones of a function."""
    asked = [row for row in rows if RETRIEVED in row.trace and isinstance(row.params.get(CHUNKS), int | float)]
    found = [_of(subject, group) for subject, group in by_subject(asked).items()]
    return tuple(each for each in found if len(each.points) > 1)


def _of(subject: Subject, rows: Sequence[Row]) -> Retrieval:
    by_number = dict(sorted(grouped(rows, lambda row: float(str(row.params[CHUNKS]))).items()))
    points = tuple(Measured.of(number, group) for number, group in by_number.items())
    best = max(points, key=lambda point: (point.rate.rate, -point.value)).value
    others = {number: pairs_of(by_number[best], group) for number, group in by_number.items() if number != best}
    return Retrieval(subject, points, Losses.of(best, others))
