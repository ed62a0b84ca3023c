"""A further run of a baseline: its rows must ask the same, and be new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.results.answer_groups import by_group, digest_of_answers
from longctx.results.baseline_file import BY_DEFAULT, Baseline, group_lines, load_baseline
from longctx.results.grouping import grouped
from longctx.results.manifest import Manifest
from longctx.results.row import EARLY_STOP, Row
from longctx.text import count, some_of

SHOWN_CELLS = 3
"""The most cells that a sentence names."""
ASK_AGAIN = "run the same trials once more with --ctx-repeats {runs} --ctx-record once, and add that run"


def check_not_stopped(manifest: Manifest, rows: Sequence[Row]) -> None:
    """Raise UserError if looks left out trials of a run."""
    if any(row.error == EARLY_STOP for row in rows):
        raise UserError(
            "run-stopped-early",
            f"The run {manifest.run} was stopped early by looks, so its answers decided which trials it has: record "
            "the others, too (--ctx-record once, with looks = 'once' in the profile), and save that run.",
        )


def new_rows(path: Path, manifest: Manifest, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of a run that a baseline does not have yet; those of repeats that it has are left out.

    Raises UserError if there are none, or if its trials differ from those of the baseline's runs.
    """
    baseline = load_baseline(path)
    _check_headers(baseline, manifest)
    kept = list(group_lines(path))
    again = ASK_AGAIN.format(runs=baseline.runs + 1)
    added: list[Row] = []
    for same_repeat in grouped(rows, lambda row: row.repeat).values():
        groups = list(by_group(same_repeat).values())
        known = [group for group in groups if any(_holds(line, group) for line in kept)]
        if 0 < len(known) < len(groups):
            raise UserError(
                "answers-partly-known",
                f"The baseline {path.stem} has the recorded answers of {len(known):,} of {len(groups):,} cells of "
                f"the run {manifest.run} ({_named(known)}): {again}.",
            )
        if not known:
            _check_same_trials(path, baseline, same_repeat, manifest)
            added += same_repeat
    if not added:
        raise UserError(
            "answers-known",
            f"The baseline {path.stem} has the recorded answers of the run {manifest.run}: a replay adds no evidence. "
            f"To add a run, {again}.",
        )
    return added


def _holds(line: Mapping[str, Any], group: Sequence[Row]) -> bool:
    """Return whether a baseline's line has answers of a group: the same digest, or not recorded before them.

    A recording that replaces another is later than it, and each repeat is recorded apart.
    """
    first = group[0]
    names = ("test", "version", "model", "prompt_set", "prompt_digest", "cell", "seed", "repeat")
    if any(line[name] != getattr(first, name) for name in names):
        return False
    if any(line.get(name, default) != getattr(first, name) for name, default in BY_DEFAULT.items()):
        return False
    digest = digest_of_answers(group)
    if digest is not None and line.get("answers") == digest:
        return True
    times = [row.recorded_at for row in group if row.recorded_at]
    return bool(times and line["recorded"]) and min(times) <= line["recorded"][1]


def _check_headers(baseline: Baseline, manifest: Manifest) -> None:
    was, now = baseline.manifest.headers, manifest.headers
    if differing := [model for model in sorted({*was, *now}) if was.get(model) != now.get(model)]:
        raise UserError(
            "run-of-other-headers",
            f"The run {manifest.run} used other betas or headers for {', '.join(differing)} than the baseline "
            f"{baseline.name}: save it under another name.",
        )


def _check_same_trials(path: Path, baseline: Baseline, rows: Sequence[Row], manifest: Manifest) -> None:
    """Raise UserError unless the rows ask what the baseline asks: the same trials, of the same model that answered."""
    first = {_asked(row): row for row in baseline.rows if row.repeat == 0}
    ours = {_asked(row): row for row in rows}
    absent = [row for key, row in first.items() if key not in ours]
    more = [row for key, row in ours.items() if key not in first]
    answered = {(row.model, str(row.model_returned)) for row in first.values() if row.model_returned}
    answering = {(row.model, row.model_returned) for row in rows if row.model_returned}
    named = {(model, name) for model, names in answered for name in names.split(", ")}
    faults = [
        *([f"it lacks {count(len(absent), 'trial')} ({_named([absent])})"] if absent else []),
        *([f"it has {count(len(more), 'other trial')} ({_named([more])})"] if more else []),
        *(f"{name} answered instead of {model}" for model, name in sorted(answering - named) if named),
    ]
    if faults:
        raise UserError(
            "run-of-other-trials",
            f"The run {manifest.run} has other trials than the baseline {path.stem}: {'; '.join(faults)}. Models, "
            "prompts, documents, labels and trials must be the same; save it under another name.",
        )


def _asked(row: Row) -> tuple[object, ...]:
    labels = tuple(sorted(row.labels.items()))
    subject = (row.test, row.version, row.model, row.prompt_set, row.prompt_digest, row.shape, row.server, labels)
    return (*subject, row.cell, row.seed, row.item, row.trial, row.documents)


def _named(groups: Sequence[Sequence[Row]]) -> str:
    names = list(dict.fromkeys(f"{row.test}/{row.cell}" for group in groups for row in group))
    return some_of(names, SHOWN_CELLS)
