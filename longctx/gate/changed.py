"""What differs between a run and its baseline. It is found, not asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from longctx.gate.verdict import RunVerdict

OF_A_RUN = {"version": "longctx", "profile": "profile", "seed": "seed"}
"""Field of a run's manifest -> what it is called."""
OF_ROWS = {
    "model": "model",
    "model_returned": "model that answered",
    "prompt_set": "prompt set",
    "prompt_digest": "words",
    "version": "version of the family",
}
"""Column of the rows -> what it is called."""


def changed(
    before: tuple[Mapping[str, Any], pd.DataFrame], after: tuple[Mapping[str, Any], pd.DataFrame], found: RunVerdict
) -> list[str]:
    """A sentence each, without its full stop. before, after: of the baseline and the run, manifest and rows."""
    return [*_of_run(before[0], after[0]), *dict.fromkeys(_of_rows(before[1], after[1], found))]


def _of_run(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name, called in OF_A_RUN.items():
        if before[name] != after[name]:
            yield f"{called}: {before[name]} → {after[name]}"
    digests = before["profile_digest"], after["profile_digest"]
    if before["profile"] == after["profile"] and digests[0] != digests[1]:
        yield f"profile {after['profile']}: its file has changed ({digests[0][:12]} → {digests[1][:12]})"


def _of_rows(before: pd.DataFrame, after: pd.DataFrame, found: RunVerdict) -> Iterator[str]:
    """Of each family that was compared, what its two subjects differ in."""
    for one in found.families:
        ours, theirs = (
            rows[(rows["family"] == one.family) & (rows["model"] == subject.model)]
            for rows, subject in ((before, one.before), (after, one.after))
        )
        ours = ours[ours["prompt_set"] == one.before.prompt_set]
        theirs = theirs[theirs["prompt_set"] == one.after.prompt_set]
        for column, called in OF_ROWS.items():
            values = [", ".join(sorted({str(value) for value in rows[column].dropna()})) for rows in (ours, theirs)]
            if values[0] != values[1] and all(values):
                shared = column in ("model", "model_returned", "prompt_set")
                yield f"{called}{'' if shared else f' of {one.family}'}: {values[0]} → {values[1]}"
