"""The names of cells in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.results.row import Row, Subject


def cell_name(test: str, cell: str, subject: Subject) -> str:
    """Return, for instance, `line_retrieval/lines-5 of some-model, prompts protocol`, followed by any labels."""
    labels = f" {subject.label}" if subject.label else ""
    return f"{test}/{cell} of {subject.model}, prompts {subject.prompt_set}{labels}"


def cell_names(rows: Sequence[Row]) -> set[str]:
    """Return the names of the rows' cells."""
    return {cell_name(row.test, row.cell, row.subject) for row in rows}
