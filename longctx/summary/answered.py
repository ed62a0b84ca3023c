"""Which answers name another model than was asked for: an alias has moved, or the server serves what it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longctx.results.row import Row


@dataclass(frozen=True, slots=True)
class Answered:
    """number: of the `of` measured trials of `model`, those whose answers say that `by` gave them."""

    model: str
    by: str
    number: int
    of: int


def answered_as_another(measured: Sequence[Row], sent_as: Mapping[str, str]) -> tuple[Answered, ...]:
    """measured: rows of trials that were. sent_as: model -> the id that its provider was sent, if that is another."""
    pairs = Counter((row.model, row.model_returned or "") for row in measured)
    totals = Counter(row.model for row in measured)
    return tuple(
        Answered(model, by, number, totals[model])
        for (model, by), number in pairs.items()
        if by not in ("", model, sent_as.get(model))
    )
