"""What a run measured of one trial: of each model and prompt set that was asked it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.results.folder import find_run
from longctx.results.row import Row
from longctx.results.store import load
from longctx.visible import visible

Measured = tuple[Row, Mapping[str, Any]]
"""A row, and its view as fields; none where nothing was kept."""


def of_trial(path: Path, name: str, models: set[str], prompt_set: str | None, seed: int | None) -> Sequence[Measured]:
    """What the run at `path` holds of FAMILY/SCENARIO[#TRIAL]. No models, None: all there are. Raises UserError."""
    folder = find_run(path)
    wanted, _, index = name.partition("#")
    pairs = load(folder).seen()
    asked = [
        (row, view)
        for row, view in pairs
        if f"{row.family}/{row.scenario}" == wanted and str(row.trial) == (index or "0")
    ]
    found = [
        (row, view)
        for row, view in asked
        if (not models or row.model in models) and prompt_set in (None, row.prompt_set) and seed in (None, row.seed)
    ]
    if found:
        return found
    if asked:
        whom = "; ".join(dict.fromkeys(f"{row.subject}, seed {row.seed}" for row, _ in asked))
        raise UserError(
            "subject-not-in-run", f"{path} measured {name} only of {whom}: change --model, --prompts or --seed."
        )
    scenarios = dict.fromkeys(f"{row.family}/{row.scenario}" for row, _ in pairs)
    near = [scenario for scenario in scenarios if scenario.partition("/")[0] == wanted.partition("/")[0]]
    if wanted in scenarios:
        trials = sorted({row.trial for row, _ in pairs if f"{row.family}/{row.scenario}" == wanted})
        raise UserError(
            "unknown-trial", f"{path} has no trial {index or 0} of {wanted}: its trials are {_some(map(str, trials))}."
        )
    raise UserError("scenario-not-run", f"{path} did not run {wanted}. It ran {_some(near or scenarios)}.")


def lines(measured: Measured) -> Iterator[str]:
    """What to print of one: facts, then the reply."""
    row, view = measured
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
    reply = view.get("reply")
    if reply is not None:
        yield f"# reply\n{visible(reply, keep=chr(10))}"
    elif row.stop_reason is not None:
        yield "# reply: not kept (--ctx-no-text)"


def _some(names: Iterable[str], most: int = 12) -> str:
    found = list(names)
    return ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")
