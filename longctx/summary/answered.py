"""The answers that name another model than was asked for: an alias has moved, or the server serves only one model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longctx.results.row import Row


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to `model` that another model gave.

    by: the model that the answers name. number: how many do, of the `of` measured trials of `model`.
    """

    model: str
    by: str
    number: int
    of: int


def answered_as_another(measured: Sequence[Row], sent_as: Mapping[str, str]) -> tuple[Answered, ...]:
    """Return what other models answered.

    measured: the rows of measured trials. sent_as: the id by which the provider knows a model, if it is another.
    """
    pairs = Counter((row.model, row.model_returned or "") for row in measured)
    totals = Counter(row.model for row in measured)
    return tuple(
        Answered(model, by, number, totals[model])
        for (model, by), number in pairs.items()
        if by not in ("", model, sent_as.get(model))
    )
