"""Recorded answers to trials of another version, which do not count: a bank or a test builds other prompts now."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from longctx.cases.case import Case
from longctx.recording.tape import Tape

TRIAL = re.compile(
    r"(?P<family>[^/]+)\.v(?P<version>[0-9]+)/(?P<scenario>[^/]+)(?:/(?P<item>[^/]+))?"
    r"/(?P<seed>seed-[0-9]+)/(?P<trial>trial-[0-9]+)/(?P<repeat>repeat-[0-9]+)"
)
"""The identity of a trial as text."""


def of_other_versions(tape: Tape, case: Case, trials: Iterable[str]) -> dict[int, list[str]]:
    """Return, by another version, which of a case's trials it has answers about. trials: their identities."""
    recorded: dict[object, set[int]] = defaultdict(set)
    for version, asked in map(_parsed, tape.trials(case.file, case.model.model, case.wording.prompt_set)):
        recorded[asked].add(version)
    found: dict[int, list[str]] = defaultdict(list)
    for trial in trials:
        own, asked = _parsed(trial)
        for version in recorded[asked] - {own}:
            found[version].append(trial)
    return dict(sorted(found.items()))


def _parsed(trial: str) -> tuple[int, object]:
    """Return the version of a trial, and what it asks about whatever its version."""
    match = TRIAL.fullmatch(trial)
    if match is None:
        return 0, trial
    question = (match["item"] or "").rpartition("@")[0]
    return int(match["version"]), (match["scenario"], question or match["trial"], match["seed"], match["repeat"])


def why_unused(trial: str, version: int) -> tuple[str, str]:
    """Return why answers of another version do not count for a trial, and what would keep them; often empty."""
    test, _, own = trial.partition("/")[0].rpartition(".v")
    if "@" not in trial:
        return f"version {own} of {test} builds other prompts", ""
    return (
        f"these documents are drawn by version {own} now",
        f"If they are as they were recorded, write version = {version} in their corpus.toml, which keeps the answers.",
    )
