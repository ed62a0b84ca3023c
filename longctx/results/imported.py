"""Rows of other evaluation tools, so that the gate can judge them: a JSON object a line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from longctx.config.text_files import read_text
from longctx.errors import UserError
from longctx.fields import Amount, parsed, reason
from longctx.results.grouping import by_family
from longctx.results.manifest import MANIFEST, Manifest, load_manifest
from longctx.results.row import Row
from longctx.results.store import RESULTS, load_rows
from longctx.visible import visible

FAMILY = "imported"
"""The family of imported rows, which no scenario may have."""
LACKING = "not in the new results"
"""The error of a row that stands for a result which only the earlier file has."""


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
    cost: Amount | None = None
    """USD."""
    guessing: float | None = Field(default=None, ge=0, lt=1)
    """The rate that guessing reaches, such as 0.5 with two answers."""


def load_results(path: Path) -> tuple[list[Row], Manifest | None]:
    """Return the rows of another tool's file or, with its manifest, those of a run. Raises UserError.

    path: a file, or the folder of a run or its results.jsonl.
    """
    folder = path.parent if path.name == RESULTS and (path.parent / MANIFEST).is_file() else path
    if not folder.is_dir():
        return load_imported(path), None
    try:
        return load_rows(folder), load_manifest(folder)
    except FileNotFoundError:
        raise UserError(
            "no-run-there",
            f"{path} holds no finished run: give a folder such as reports/latest, or a file of JSON lines.",
        ) from None


def load_imported(path: Path) -> list[Row]:
    """Read a file of imported rows. Raises UserError, which names the line."""
    try:
        lines = read_text(path).split("\n")  # JSON allows U+2028 and its like within a line
    except OSError as error:
        raise UserError(
            "no-rows-file", f"{path} cannot be read: {error.strerror}. Give a file of JSON lines."
        ) from None
    rows: list[Row] = []
    results: Counter[tuple[str, str]] = Counter()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = ImportedRow.model_validate(parsed(_object, line))
        except (ValueError, ValidationError) as error:
            raise UserError(
                "bad-imported-row",
                f'{path}, line {number}: {reason(error)}. A line is an object such as {{"id": "q1", "correct": true, '
                '"band": "short", "cluster": "handbook.md", "cost": 0.002}; id and correct are required.',
            ) from None
        rows.append(_row(path, row, results[row.band, row.id]))
        results[row.band, row.id] += 1
    if not rows:
        raise UserError("no-imported-rows", f"{path} holds no rows: write a JSON object a line.")
    _check_repeats(path, results)
    return rows


def with_lacking(before: Sequence[Row], after: Sequence[Row]) -> list[Row]:
    """Return the later rows with one that was not measured for each item that only the earlier ones have.

    Of a family with several subjects, or with none in the later rows, they stay as they are: the gate names them.
    """
    present = {_asked(row) for row in after}
    lacking = [row for row in before if row.repeat == 0 and _asked(row) not in present]
    subjects = {family: [*of] for family, of in by_family(after).items()}
    added = []
    for row in lacking:
        if len(of := subjects.get(row.family, [])) == 1:
            [subject] = of
            unmeasured: dict[str, Any] = {"outcome": "infra_error", "error": LACKING, "cost_usd": None}
            unmeasured |= {"model": subject.model, "prompt_set": subject.prompt_set, "shape": subject.shape}
            added.append(replace(row, run=after[0].run, labels=dict(subject.labels), **unmeasured))
    return [*after, *added]


def _asked(row: Row) -> tuple[object, ...]:
    """Return what identifies the trial of a row, whoever was asked."""
    return row.family, row.scenario, row.item, row.seed, row.trial


def _object(line: str) -> Any:
    """Return the content of a line. Raises ValueError for what JSON leaves open: a key twice, half a character."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counts = Counter(name for name, _ in pairs)
        if twice := [name for name, number in counts.items() if number > 1]:
            raise ValueError(f"it has the key {visible(twice[0])!r} twice")
        return dict(pairs)

    found = json.loads(line, object_pairs_hook=once)
    for text in found.values() if isinstance(found, dict) else ():
        if isinstance(text, str) and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise ValueError(f"{text!a} holds half of a character (a lone surrogate)")
    return found


def _check_repeats(path: Path, results: Counter[tuple[str, str]]) -> None:
    """Raise UserError unless each item has as many results: asking failed items again would hide a regression."""
    (most, highest), (least, lowest) = results.most_common(1)[0], min(results.items(), key=lambda entry: entry[1])
    if highest != lowest:
        raise UserError(
            "uneven-repeats",
            f"{path} has {visible(most[1])!r} {highest:,} times and {visible(least[1])!r} {lowest:,} times: ask each "
            "item equally often, or keep one result of each.",
        )


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
        guessing=row.guessing,
        **measured,
    )
