"""What a run measured of one trial, for each model and prompt set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.results.row import Row
from longctx.results.run_folders import find_run
from longctx.results.store import load
from longctx.text import visible

RowAndView = tuple[Row, Mapping[str, Any]]
"""A row, and the fields of its view; empty if it has none."""


def find_trial(
    path: Path, name: str, models: set[str], prompt_set: str | None, seed: int | None, shape: str | None
) -> Sequence[RowAndView]:
    """Return what the run at `path` measured of TEST/CELL[#TRIAL]. Raises UserError if it measured nothing of it.

    models: empty for all. prompt_set, seed, shape: None for all.
    """
    folder = find_run(path)
    cell, _, index = name.partition("#")
    pairs = load(folder).seen()
    in_cell = [(row, view) for row, view in pairs if f"{row.test}/{row.cell}" == cell]
    first = in_cell[0][0] if in_cell else None
    by_item = first is not None and first.name != str(first.trial)
    trial = index or (first.name if first and by_item else "0")
    found = [(row, view) for row, view in in_cell if row.name == trial]
    chosen = [
        (row, view)
        for row, view in found
        if (not models or row.model in models)
        and prompt_set in (None, row.prompt_set)
        and seed in (None, row.seed)
        and shape in (None, row.shape)
    ]
    if chosen:
        return chosen
    if found:
        subjects = "; ".join(dict.fromkeys(f"{row.subject}, seed {row.seed}" for row, _ in found))
        raise UserError(
            "subject-not-in-run",
            f"{path} measured {name} only of {subjects}: change --model, --prompts, --shape or --seed.",
        )
    cells = dict.fromkeys(f"{row.test}/{row.cell}" for row, _ in pairs)
    same_test = [other for other in cells if other.partition("/")[0] == cell.partition("/")[0]]
    if cell in cells:
        trials = dict.fromkeys(row.name for row, _ in sorted(in_cell, key=lambda seen: seen[0].trial))
        raise UserError(
            "unknown-trial",
            f"{path} has no trial {index or 0} of {cell}: its trials are {_some(trials)}.",
        )
    raise UserError("cell-not-run", f"{path} did not run {cell}. It ran {_some(same_test or cells)}.")


def trial_lines(found: RowAndView, excerpts: bool) -> Iterator[str]:
    """Yield the lines to print: facts, excerpts of the requests if they are asked for, then the reply."""
    row, view = found
    yield f"# measured: {visible(str(row.subject))}"
    facts = {
        "seed": row.seed or None,
        "repeat": row.repeat or None,
        "item": row.item,
        "outcome": row.outcome,
        "why": row.why,
        "error": row.error,
        "expected": row.expected,
        "returned": row.returned,
        "stopped by": row.stop_reason,
        "recorded": row.recorded_at,
    }
    for name, value in facts.items():
        if value is not None:
            yield f"# {name}: {visible(str(value))}"
    for part in view.get("excerpts", ()) if excerpts else ():
        text = "".join(text for _, text in part["pieces"])
        yield f"# {', '.join(part['names'])}\n{visible(text, keep=chr(10))}"
    reply = view.get("reply")
    if reply is not None:
        yield f"# reply\n{visible(reply, keep=chr(10))}"
    elif row.stop_reason is not None:
        yield "# reply: not kept (LONGCTX_TEXT=0)"


def _some(names: Iterable[str], most: int = 12) -> str:
    listed = list(names)
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")
