"""Where replies that were cut off keep a rate down: it says more of their room than of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from longctx.summary.subject import Subject

NOTABLE = 0.05
"""The share of a family's replies that is worth a word."""
MOST = 0.5
"""The share of what is not right."""


@dataclass(frozen=True, slots=True)
class Truncated:
    """number: of the `of` measured trials of a family, those whose reply was cut off.

    tokens: the fewest and the most after which that was. full: whether most were cut off because the window was full,
    and not by max_tokens. scenario, trial: of the first.
    """

    family: str
    subject: Subject
    number: int
    of: int
    tokens: tuple[int, int]
    full: bool
    scenario: str
    trial: int


def truncated(measured: pd.DataFrame) -> tuple[Truncated, ...]:
    """measured: rows of trials that were, with their subjects."""
    return tuple(_found(measured))


def _found(measured: pd.DataFrame) -> Iterator[Truncated]:
    for _, rows in measured.groupby(["family", "subject"], sort=False):
        cut = rows[rows["outcome"] == "truncated"]
        if not len(cut) or len(cut) < max(NOTABLE * len(rows), MOST * (rows["outcome"] != "correct").sum()):
            continue
        first, tokens = cut.iloc[0], cut["output_tokens"].fillna(0)
        yield Truncated(
            family=first["family"],
            subject=first["subject"],
            number=len(cut),
            of=len(rows),
            tokens=(int(tokens.min()), int(tokens.max())),
            full=bool((cut["stop_reason"] == "model_context_window_exceeded").mean() > MOST),
            scenario=first["scenario"],
            trial=int(first["trial"]),
        )
