"""What differs between a run and its baseline. It is found, not asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.gate.verdict import RunVerdict
from longctx.results.manifest import Manifest
from longctx.results.row import Row
from longctx.results.subject import Subject

OF_A_RUN = {"version": "longctx", "profile": "profile", "seed": "seed"}
"""Field of a run's manifest -> what it is called."""
OF_ROWS = {
    "model": "model",
    "model_returned": "model that answered",
    "prompt_set": "prompt set",
    "prompt_digest": "words",
    "version": "version of the family",
}
"""Field of the rows -> what it is called."""


def changed(
    before: tuple[Manifest, Sequence[Row]], after: tuple[Manifest, Sequence[Row]], verdict: RunVerdict
) -> list[str]:
    """A sentence each, without its full stop. before, after: the baseline and the run, manifest and rows."""
    return [*_of_run(before[0], after[0]), *dict.fromkeys(_of_rows(before[1], after[1], verdict))]


def _of_run(before: Manifest, after: Manifest) -> Iterator[str]:
    for name, called in OF_A_RUN.items():
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            yield f"{called}: {was} → {now}"
    digests = before.profile_digest, after.profile_digest
    if before.profile == after.profile and digests[0] != digests[1]:
        yield f"profile {after.profile}: its file has changed ({digests[0][:12]} → {digests[1][:12]})"


def _of_rows(before: Sequence[Row], after: Sequence[Row], verdict: RunVerdict) -> Iterator[str]:
    """What the two subjects of each compared family differ in."""
    for family in verdict.families:
        ours, theirs = (
            _of_subject(before, family.family, family.before),
            _of_subject(after, family.family, family.after),
        )
        for column, called in OF_ROWS.items():
            values = [_values(rows, column) for rows in (ours, theirs)]
            if values[0] != values[1] and all(values):
                shared = column in ("model", "model_returned", "prompt_set")
                yield f"{called}{'' if shared else f' of {family.family}'}: {values[0]} → {values[1]}"


def _of_subject(rows: Sequence[Row], family: str, subject: Subject) -> list[Row]:
    """Whatever its labels are: a run's differ from its baseline's where these say what was changed."""
    whom = family, subject.model, subject.prompt_set
    return [row for row in rows if (row.family, row.model, row.prompt_set) == whom]


def _values(rows: Sequence[Row], column: str) -> str:
    values = {getattr(row, column) for row in rows} - {None}
    return ", ".join(sorted(map(str, values)))
