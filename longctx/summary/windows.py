"""How much context a model uses: accuracy by the fill of the window, for each strategy."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from longctx.results.grouping import by_subject, grouped
from longctx.results.row import Row, Subject
from longctx.stats.losses import Losses
from longctx.summary.by_value import EVIDENCE_ALONE, Measured, losses_between, question_key
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY

FILL = "fill"
"""The parameter of a test function that is the fill of the window."""


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
    several = 1 < len(sessions) < len({question_key(row) for row in rows})
    costs = [row.strategy_usd for row in by_fill[last]]
    known = [cost for cost in costs if cost is not None]
    return Window(
        replace(subject, labels=tuple((name, value) for name, value in subject.labels if name != STRATEGY)),
        dict(subject.labels).get(STRATEGY, NO_STRATEGY),
        tuple(Measured.of(fill, group) for fill, group in by_fill.items()),
        losses_between(by_fill),
        statistics.fmean(known) if known and len(known) == len(costs) else None,
        max((row.guessing or 0.0 for row in rows), default=0.0),
        session,
        tuple(_window_of(subject, group, name) for name, group in sorted(sessions.items())) if several else (),
        losses_between(by_fill, clustered=False) if several else None,
    )
