"""Two runs on the same trials: the rates of each, the paired difference, and the trials that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from longctx.compare.pairs import (
    Across,
    Matched,
    Treatments,
    TrialPairs,
    Unmatched,
    match_runs,
    paired,
    pairs,
    unpaired,
)
from longctx.errors import UserError
from longctx.results.row import Row, Subject
from longctx.stats.averaged import Averaged
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate, rate_of
from longctx.stats.unpaired import Unpaired
from longctx.vocabulary.both import Both

if TYPE_CHECKING:
    from longctx.vocabulary.declaration import Protocol

SETTLED = 0.5
"""A trial that was answered several times has changed if its mean did by more than this."""


SAME_IN_BOTH = "cell", "seed", "trial", "name", "item", "repeat", "expected"
"""The fields of a row that a trial has in both runs."""


class AnsweredBy(NamedTuple):
    """What a run answered to a trial."""

    outcome: str
    """The outcome; of several answers, how many were correct."""
    returned: str | None = None
    """None of several answers."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A trial that is correct in one run only; of several answers, if its mean changed by more than a half."""

    cell: str
    seed: int
    trial: int
    name: str
    item: str | None
    repeat: int
    expected: str | None
    before: AnsweredBy
    after: AnsweredBy
    lost: bool


@dataclass(frozen=True, slots=True)
class CellChange:
    """The change of one cell, or of several that are pooled.

    before, after: the rates over all that each run measured.
    """

    cell: str
    before: Rate
    after: Rate
    paired: Paired | Averaged | Unpaired
    """The difference over the trials that both measured, by the mean of each trial's answers if a run has several; or
    between two samples if their items do not correspond."""
    of: tuple[str, ...] = ()
    """The cells that are pooled."""


@dataclass(frozen=True, slots=True)
class SubjectComparison:
    """One subject compared with another in one test."""

    test: str
    before: Subject
    after: Subject
    cells: tuple[CellChange, ...]
    """The cells that both measured."""
    pooled: tuple[CellChange, ...]
    """The change of each accuracy that the first table of a run states, over the cells that it pools."""
    flips: tuple[Flip, ...]
    alone: Both[int]
    """How many trials only the first, and only the second, measured."""
    mismatched: int
    """How many trials share a key but ask different questions."""
    digests: Both[str]
    """The digests of the prompt set of each."""
    across: tuple[Across, ...] = ()
    """The cells that differ in a parameter from those that they are compared with."""

    @property
    def shared(self) -> bool:
        """Whether both measured one of the cells."""
        return len(self.cells) > len(self.across)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two runs."""

    versus: tuple[SubjectComparison, ...]
    unmatched: Both[tuple[tuple[str, Subject, int], ...]]
    """(test, subject, measured trials) without a counterpart, for each run."""


Pools = Callable[[str, Sequence[Row], "Mapping[str, Protocol]"], Sequence[tuple[str, Sequence[str]]]]
"""Returns names with the cells that are put together under each, from a test, its rows and the known tests."""


def compare(
    before: Sequence[Row],
    after: Sequence[Row],
    between: str | None = None,
    tests: Mapping[str, Protocol] | None = None,
    pools: Pools | None = None,
) -> Comparison:
    """Compare the rows of two runs. between: what changed (see match). tests: the known ones, by default longctx's.
    pools: the cells to put together, by default none.

    Raises UserError if it is not clear which subjects to compare, or if the runs have no trials in common.
    """
    first, second = ([row for row in rows if row.measured] for rows in (before, after))
    matched, unmatched = match_runs(first, second, between)
    if tests is None:
        from longctx.registry import shipped

        tests = shipped()
    versus = tuple(_versus(match, tests, pools) for match in matched)
    if not any(cell.paired.n for pair in versus for cell in pair.cells):
        raise UserError(
            "no-trial-in-common",
            "The two runs have no trial in common: their tests, seeds or questions differ, or their cells "
            "differ in more than one parameter.",
        )
    return Comparison(versus, unmatched.map(_alone))


def _alone(unmatched: Unmatched) -> tuple[tuple[str, Subject, int], ...]:
    return tuple((test, subject, len(rows)) for (test, subject), rows in unmatched.items())


def _versus(matched: Matched, tests: Mapping[str, Protocol], pools: Pools | None) -> SubjectComparison:
    trials = pairs(*matched.rows, Treatments.of(tests.get(matched.test)))
    shared = {row.cell for row in trials.after.values()}
    cells = [name for name in dict.fromkeys(row.cell for row in trials.before.values()) if name in shared]
    rows = [row for row in trials.before.values() if row.cell in shared]
    together = pools(matched.test, rows, tests) if pools and rows else ()
    return SubjectComparison(
        matched.test,
        matched.before,
        matched.after,
        (*(_change(name, [name], trials) for name in cells), *(map(_across, trials.across))),
        tuple(_change(name, of, trials) for name, of in together),
        tuple(_flips(trials)),
        trials.alone,
        trials.mismatched,
        matched.rows.map(lambda rows: rows[0].prompt_digest),
        trials.across,
    )


def _across(cells: Across) -> CellChange:
    """Return the change from one cell to another that differs in a parameter."""
    before, after = cells.rows
    name = f"{cells.before}, {cells}"
    if not cells.paired:
        return CellChange(name, rate_of(before), rate_of(after), unpaired(before, after))
    renamed = [replace(row, cell=cells.before) for row in after]
    return replace(_change(cells.before, [cells.before], pairs(before, renamed)), cell=name)


def _change(name: str, cells: Sequence[str], trials: TrialPairs) -> CellChange:
    chosen = set(cells)
    sides = trials.before.values(), trials.after.values()
    before, after = (rate_of(row for row in rows if row.cell in chosen) for rows in sides)
    items = [answers for (cell, *_), answers in trials.items.items() if cell in chosen]
    return CellChange(name, before, after, paired(items), tuple(cells))


def _flips(trials: TrialPairs) -> Iterator[Flip]:
    """Yield the trials that changed, lost ones first."""
    flips = []
    for befores, afters in trials.items.values():
        changed = _share(afters) - _share(befores)
        if abs(changed) > SETTLED:
            first = befores[0]
            same = {name: getattr(first, name) for name in SAME_IN_BOTH}
            same["expected"] = first.expected or afters[0].expected  # a baseline keeps no text
            flips.append(Flip(**same, before=_answered(befores), after=_answered(afters), lost=changed < 0))
    yield from sorted(flips, key=lambda flip: not flip.lost)


def _share(rows: Sequence[Row]) -> float:
    return sum(row.credit for row in rows) / len(rows)


def _answered(rows: Sequence[Row]) -> AnsweredBy:
    if len(rows) == 1:
        return AnsweredBy(rows[0].outcome, rows[0].returned)
    return AnsweredBy(f"{sum(row.correct for row in rows)} of {len(rows)} correct")
