"""The trials that two runs have in common: the same question, asked of whom or in which words it may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from longctx.registry import in_order
from longctx.summary.subject import Subject, subjects
from longctx.vocabulary.scenario import MEASURED

Key = tuple[str, int, str, int, int]
"""Of a trial within a family: scenario, seed, item, trial, repeat. Two trials with one key ask the same question."""
Trial = Mapping[str, Any]
"""Fields of a row; None is what was never known.

answers: a digest of the recorded answers that its scenario rests on (results/answers.py).
"""

FIELDS = (
    *("scenario", "version", "seed", "trial", "item", "repeat"),
    *("outcome", "error", "expected", "returned", "band", "cluster", "params", "answers"),
)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Of one family, one subject of each run. before, after: all their trials; both: those that ask the same.

    otherwise: how many have one key and yet ask different questions: they expect different answers, or a new version
    of the family built them.
    """

    before: Mapping[Key, Trial]
    after: Mapping[Key, Trial]
    both: Mapping[Key, tuple[Trial, Trial]]
    otherwise: int


def by_family(rows: pd.DataFrame) -> dict[str, dict[Subject, pd.DataFrame]]:
    """The rows of each family and subject, the families in the protocols' order."""
    found: dict[str, dict[Subject, pd.DataFrame]] = {}
    ordered = rows.assign(subject=subjects(rows)).iloc[in_order(list(rows["family"]))]
    for _, group in ordered.groupby(["family", "subject"], sort=False):
        first = group.iloc[0]
        found.setdefault(first["family"], {})[first["subject"]] = group
    return found


def pairs(before: pd.DataFrame, after: pd.DataFrame) -> Pairs:
    """before, after: rows of one family and subject each, as results.store loads them."""
    ours, theirs = by_key(before), by_key(after)
    common = [key for key in ours if key in theirs]
    both = {key: (ours[key], theirs[key]) for key in common if _same_question(ours[key], theirs[key])}
    return Pairs(ours, theirs, both, len(common) - len(both))


def by_key(rows: pd.DataFrame) -> dict[Key, Trial]:
    found: list[Trial] = [
        {name: _known(value) for name, value in zip(FIELDS, values, strict=True)}
        for values in zip(*(rows.get(name, [None] * len(rows)) for name in FIELDS), strict=True)
    ]
    return {(one["scenario"], one["seed"], one["item"] or "", one["trial"], one["repeat"]): one for one in found}


def measured(trial: Trial) -> bool:
    return trial["outcome"] in MEASURED


def correct(trial: Trial) -> bool:
    return bool(trial["outcome"] == "correct")


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and pd.isna(value) else value


def _same_question(before: Trial, after: Trial) -> bool:
    """Runs kept without text do not know what they expected; for them the key must do."""
    if before["version"] != after["version"]:
        return False
    return None in (before["expected"], after["expected"]) or bool(before["expected"] == after["expected"])
