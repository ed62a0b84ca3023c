"""The cases that entered or left since the baseline: a case that only one run has is not compared, and must be seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from longctx.compare.pairs import ItemKey, TrialPairs, item_key
from longctx.results.row import EARLY_STOP, Row
from longctx.text import count
from longctx.vocabulary.point import is_check, name_of_test

NAMED = 3
"""The most cases that a sentence names."""


@dataclass(frozen=True, slots=True)
class Retired:
    """The cases that a project has retired, as `retired` in its [tool.longctx] names them."""

    reasons: Mapping[str, str] = field(default_factory=dict)
    """The reason by the name of a case: `TEST#CASE`, `TEST/CELL#CASE` or `TEST/CELL`."""
    unmerged: frozenset[str] = frozenset()
    """The names that only the change itself retires, which therefore do not count."""

    def name_of(self, row: Row) -> str | None:
        """Return the name by which a row's case is retired; None if it is not."""
        return next((name for name in names_of(row) if name in self.reasons), None)

    def is_unmerged(self, row: Row) -> bool:
        return any(name in self.unmerged for name in names_of(row))


def names_of(row: Row) -> tuple[str, str, str]:
    """Return the names by which the case of a row can be retired. A check belongs to the case of its trial."""
    test = name_of_test(row.test)
    return f"{test}/{row.cell}#{row.name}", f"{test}#{row.name}", f"{test}/{row.cell}"


@dataclass(frozen=True, slots=True)
class Vanished:
    """A trial that the baseline measured and the run lacks: skipped, deselected, or removed."""

    band: str
    """The band in which the run judges its cell."""
    before: Sequence[Row]
    """The baseline's measured answers."""
    answers: int
    """How many answers of the run are missing."""


def without_retired(before: Sequence[Row], after: Sequence[Row], retired: Retired) -> tuple[list[Row], dict[str, str]]:
    """Return the baseline's rows without those of retired cases that the run lacks, and their reasons by name."""
    if not retired.reasons:
        return list(before), {}
    present = {(row.test, item_key(row)) for row in after}
    kept: list[Row] = []
    gone: dict[str, str] = {}
    for row in before:
        name = None if (row.test, item_key(row)) in present else retired.name_of(row)
        if name is None:
            kept.append(row)
        elif not is_check(row.test):
            gone[f"{row.test}/{row.cell}#{row.name}"] = retired.reasons[name]
    return kept, gone


def vanished(pairs: TrialPairs) -> Iterator[Vanished]:
    """Yield the trials of gated cells that the run lacks, although it has their cell.

    A cell of which it has nothing is another reason (`validity.cells_not_judged`). A trial that the run repeated less
    often than others of its cell lacks the other answers.
    """
    renamed = {cells.before: cells.after for cells in pairs.across if cells.paired}
    repeats: dict[str, list[int]] = {}
    for cell, repeat in {(key[0], key[4]) for key in pairs.after}:
        repeats.setdefault(cell, []).append(repeat)
    incomplete: dict[ItemKey, list[Row]] = {}
    for key, row in pairs.before.items():
        if key in pairs.after and len(repeats[key[0]]) == 1:
            continue
        item = renamed.get(key[0], key[0]), *key[1:4]
        if not all((*item, repeat) in pairs.after for repeat in repeats.get(item[0], ())):
            incomplete.setdefault(item, []).append(row)
    bands = {row.cell: row.band for row in pairs.after.values()} if incomplete else {}
    unpaired = {cells.before for cells in pairs.unpaired}
    for item, rows in incomplete.items():
        cell, measured = item[0], [row for row in rows if row.measured]
        band = bands[cell]
        if band is not None and measured and cell not in unpaired and not is_check(rows[0].test):
            yield Vanished(band, measured, sum((*item, repeat) not in pairs.after for repeat in repeats[cell]))


def vanished_sentence(trials: Sequence[Vanished], asked: int, retired: Retired) -> str:
    """Return that trials vanished, and what to do, without a full stop. asked: all of them that count."""
    rows = [trial.before[0] for trial in trials]
    number = sum(trial.answers for trial in trials)
    named = ", ".join(dict.fromkeys(row.name for row in rows[:NAMED]))
    waiting = sum(map(retired.is_unmerged, rows))
    merge = (
        f" ({waiting:,} of them {'is' if waiting == 1 else 'are'} retired on this branch only: merge that entry first)"
        if waiting
        else ""
    )
    return (
        f"{number:,} of {asked:,} trials of the baseline are not in this run ({named}{' …' * (len(rows) > NAMED)}): "
        f"they were skipped, deselected or removed{merge}. Run them, name them with a reason in `retired` of "
        "[tool.longctx] on the base branch, or save a new baseline"
    )


def added(pairs: TrialPairs) -> list[Row]:
    """Return the rows of gated trials about items that the baseline lacks; none if the runs have nothing in common."""
    if not pairs.items or len(pairs.common) == len(pairs.after):
        return []
    renamed = {cells.after: cells.before for cells in pairs.across if cells.paired}
    known = {key[:4] for key in pairs.before}
    unpaired = {cells.after for cells in pairs.unpaired}
    return [
        row
        for (cell, seed, item, trial, _), row in pairs.after.items()
        if (renamed.get(cell, cell), seed, item, trial) not in known
        and row.band is not None
        and row.error != EARLY_STOP
        and cell not in unpaired
        and not is_check(row.test)
    ]


def added_sentence(rows: Sequence[Row]) -> str:
    """Return how many cases are new and how they ended, without a full stop. rows: of `added`, not empty."""
    right = sum(row.correct for row in rows)
    what = "new case" if rows[0].item else "new trial"
    number = count(len(rows), what)
    named = ", ".join(f"{row.name} {'right' if row.correct else row.outcome}" for row in rows[:NAMED])
    more = f" and {len(rows) - NAMED:,} more" if len(rows) > NAMED else ""
    return (
        f"{number} {'is' if len(rows) == 1 else 'are'} not compared ({right:,} of {len(rows):,} right): save a new "
        f"baseline. New: {named}{more}"
    )
