"""The age of recordings: those of a changed model must be young."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longctx.gate.rules import MAX_AGE_DAYS

if TYPE_CHECKING:
    from longctx.results.row import Row


@dataclass(frozen=True, slots=True)
class AgeLimit:
    """The age limit for recordings of a changed model."""

    now: str
    """The end of the run in ISO 8601."""
    most_days: float = MAX_AGE_DAYS
    """Recordings of this age or older are not accepted."""

    def days(self, recorded_at: str) -> float:
        """Return the age of a recording in days; infinite if it is not known.

        recorded_at: in ISO 8601; UTC if it names no time zone.
        """
        try:
            moments = [datetime.datetime.fromisoformat(moment) for moment in (self.now, recorded_at)]
        except ValueError:
            return math.inf
        now, then = (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC) for moment in moments)
        return (now - then) / datetime.timedelta(days=1)

    def too_old(self, before: Sequence[Row], after: Sequence[Row]) -> str:
        """Return why recordings are too old for a changed model; empty if it is unchanged, or they are young enough."""
        if models_of(before) == models_of(after):
            return ""
        days = [self.days(str(row.recorded_at)) for row in after if row.source == "replayed" and row.measured]
        old = [day for day in days if day >= self.most_days]
        if not old:
            return ""
        return (
            f"the model has changed, and {len(old):,} of {len(after):,} answers are recordings of up to {max(old):.0f} "
            f"days ago, where {self.most_days:g} are allowed (max_age): record again with --ctx-record all"
        )


def models_of(rows: Sequence[Row]) -> set[tuple[str, str]]:
    """Return pairs of a model that was requested and a model that answered: an alias may have moved."""
    answered = {(row.model, row.model_returned) for row in rows if row.measured}
    return {(model, returned) for model, several in answered for returned in str(several).split(", ")}
