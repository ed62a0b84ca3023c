"""Where the recordings of a trial are, by its row or by the trial itself."""

from __future__ import annotations

from longctx.cells.cell import Trial
from longctx.config.file_names import folder_of
from longctx.results.row import Row
from longctx.vocabulary.point import Identity
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY, TEXT


def place_of(trial: Trial) -> tuple[str, str, str, None]:
    """Return the cassette, the model and the identity of a question, whatever was answered to it."""
    return trial.cell.file, trial.cell.model.model, str(trial.identity), None


def place_of_row(row: Row) -> tuple[str, str, str, str]:
    """Return the cassette, the model and the identity of a row's trial, and when it was answered; empty if it was not.

    So what is recorded of it in another wording does not count.
    """
    return file_of(row), row.model, trial_of(row), row.recorded_at or ""


def trial_of(row: Row) -> str:
    """Return the identity of a row's trial, by which its recordings are known."""
    return str(Identity(row.test, row.version, row.cell, row.seed, row.trial, row.repeat, row.item))


def file_of(row: Row) -> str:
    """Return the cassette of a row's trial, as `Cell.file` names it."""
    strategy = row.labels.get(STRATEGY, NO_STRATEGY)
    treatments = [*([] if row.shape == TEXT else [row.shape]), *([] if strategy == NO_STRATEGY else [strategy])]
    return f"{folder_of(row.model, row.server or '')}/{row.test}/{'.'.join([row.cell, *treatments])}.jsonl"
