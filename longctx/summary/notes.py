"""What a reader must know of the answers beside their rates: another model gave them, or they were cut off.

A rate that is low because replies were cut off tells more about the limit than about the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longctx.results.grouping import grouped
from longctx.results.row import THINKING, WITHOUT_TEXT, Row
from longctx.results.subject import Subject

NOTABLE = 0.05
"""The least share of a test's replies that must be cut off to be reported."""
WINDOW_FULL = "model_context_window_exceeded"
"""The stop reason of a reply that was cut off because the window was full, and not by max_tokens."""
MOST = 0.5
"""The least share of a test's failures that must be cut off to be reported."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to `model` that another model gave."""

    model: str
    by: str
    """The model that the answers name."""
    number: int
    """How many answers do."""
    of: int
    """The number of measured trials of `model`."""


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


@dataclass(frozen=True, slots=True)
class Truncated:
    """The replies of a test that were cut off.

    cell, trial: the first of them.
    """

    test: str
    subject: Subject
    number: int
    """How many were."""
    of: int
    """The number of measured trials."""
    tokens: tuple[int, int]
    """The lengths of the shortest and the longest of them."""
    full: bool
    """Whether most were cut off because the window was full, and not by max_tokens."""
    cell: str
    trial: str


def truncated(measured: Sequence[Row]) -> tuple[Truncated, ...]:
    """Return the tests with a notable share of replies that were cut off. measured: the rows of measured trials."""
    return tuple(_notable(measured))


def thinking_in_text(measured: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Return by model how many replies contain thinking in their text, and of how many."""
    totals = Counter(row.model for row in measured)
    thinking = Counter(row.model for row in measured if THINKING in row.trace)
    return {model: (number, totals[model]) for model, number in thinking.items()}


def passed_without_text(measured: Sequence[Row]) -> dict[tuple[str, Subject], tuple[int, int]]:
    """Return by test and subject how many trials passed on an answer without text, and how many passed."""
    passed = Counter((row.test, row.subject) for row in measured if row.correct)
    empty = Counter((row.test, row.subject) for row in measured if WITHOUT_TEXT in row.trace)
    return {of: (number, passed[of]) for of, number in empty.items()}


def _notable(measured: Sequence[Row]) -> Iterator[Truncated]:
    for (test, subject), rows in grouped(measured, lambda row: (row.test, row.subject)).items():
        cut = [row for row in rows if row.outcome == "truncated"]
        if not cut or len(cut) < max(NOTABLE * len(rows), MOST * sum(not row.correct for row in rows)):
            continue
        tokens = [row.output_tokens or 0 for row in cut]
        yield Truncated(
            test=test,
            subject=subject,
            number=len(cut),
            of=len(rows),
            tokens=(min(tokens), max(tokens)),
            full=sum(row.stop_reason == WINDOW_FULL for row in cut) / len(cut) > MOST,
            cell=cut[0].cell,
            trial=cut[0].name,
        )
