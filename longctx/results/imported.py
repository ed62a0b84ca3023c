"""Rows of other evaluation tools, so that the gate can judge them: a JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from longctx.config.text_files import read_text
from longctx.errors import UserError
from longctx.fields import parsed, reason
from longctx.results.row import Row

FAMILY = "imported"
"""The family of imported rows, which no scenario may have."""


class ImportedRow(BaseModel):
    """One result of another tool."""

    model_config = ConfigDict(strict=True, extra="forbid")

    id: str
    """What identifies the item: results of the same id are paired. A repeat of an item has the same id again."""
    correct: bool | None
    """Whether the answer is right; null if it was not measured."""
    band: str = "all"
    """The band in which the gate judges it, such as a range of lengths."""
    cluster: str | None = None
    """What items share, such as a document."""
    cost: float | None = None
    """USD."""


def load_imported(path: Path) -> list[Row]:
    """Read a file of imported rows. Raises UserError, which names the line."""
    try:
        lines = read_text(path).splitlines()
    except OSError as error:
        raise UserError(
            "no-rows-file", f"{path} cannot be read: {error.strerror}. Give a file of JSON lines."
        ) from None
    rows: list[Row] = []
    asked: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = ImportedRow.model_validate(parsed(json.loads, line))
        except (ValueError, ValidationError) as error:
            raise UserError(
                "bad-imported-row",
                f'{path}, line {number}: {reason(error)}. A line is an object such as {{"id": "q1", "correct": true, '
                '"band": "short", "cluster": "handbook.md", "cost": 0.002}; id and correct are required.',
            ) from None
        repeat = asked[row.id] = asked.get(row.id, -1) + 1
        rows.append(_row(path, row, repeat))
    if not rows:
        raise UserError("no-imported-rows", f"{path} holds no rows: write a JSON object a line.")
    return rows


def _row(path: Path, row: ImportedRow, repeat: int) -> Row:
    measured: dict[str, Any] = {"outcome": "correct" if row.correct else "wrong"}
    if row.correct is None:
        measured = {"outcome": "infra_error", "error": "not measured"}
    return Row(
        run=path.stem,
        model=FAMILY,
        prompt_set=FAMILY,
        prompt_digest="",
        family=FAMILY,
        scenario=row.band,
        params={},
        seed=0,
        trial=0,
        item=row.id,
        repeat=repeat,
        band=row.band,
        cluster=row.cluster,
        cost_usd=row.cost,
        **measured,
    )
