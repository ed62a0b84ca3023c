"""The measured answers of a cell and of a subject, which reports and views read."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longctx.results.cell_names import cell_name
from longctx.results.constant import ConstantAnswer, best_constant, choices_of
from longctx.results.grouping import grouped
from longctx.results.row import Row, Subject
from longctx.stats.rates import NO_RATE, Rate, rate_of

CellSummaries = Sequence["CellSummary"]
"""The cells of one test, for all subjects of a run."""


@dataclass(frozen=True, slots=True)
class CellSummary:
    """One cell of one subject."""

    test: str
    subject: Subject
    cell: str
    """Its slug."""
    params: Mapping[str, int | float | str | None]
    """Its parameters and its facts."""
    rate: Rate
    outcomes: Mapping[str, int]
    """The number of trials of each kind of outcome."""
    depth: float | None
    """The median depth of the needle."""
    distance_from_end: int | None
    """The median distance from the needle to the end of the prompt, in tokens."""
    lexical: Rate = NO_RATE
    """How many of the measured trials the lexical baseline answers; of no trials if they are not about documents."""
    tokens: int | None = None
    """The median input tokens of the measured trials."""
    choices: int = 0
    """Among how many letters each trial chooses; 0 if it chooses none."""
    right: Mapping[str, int] = field(default_factory=dict)
    """How often each letter is right."""


def summary_of(
    test: str,
    subject: Subject,
    cell: str,
    rows: Sequence[Row],
    facts: Mapping[str, Mapping[str, int]],
    choices: int = 0,
) -> CellSummary:
    """Return the summary of a cell's rows. facts: those of each cell by `cell_name`. choices: those of a protocol."""
    outcomes = Counter(str(row.outcome) for row in rows)
    measured = [row for row in rows if row.measured]
    depth = _median([row.depth for row in measured if row.depth is not None])
    tokens = _median([row.input_tokens for row in measured if row.input_tokens is not None])
    choices, right = choices_of(measured, choices)
    distance = _median([row.distance_from_end for row in measured if row.distance_from_end is not None])
    return CellSummary(
        test=test,
        subject=subject,
        cell=cell,
        params={**rows[0].params, **facts.get(cell_name(test, cell, subject), {})},
        rate=rate_of(measured),
        outcomes=dict(outcomes),
        depth=depth,
        distance_from_end=None if distance is None else int(distance),
        lexical=rate_of((row for row in measured if row.lexical is not None), lambda row: bool(row.lexical)),
        tokens=None if tokens is None else int(tokens),
        choices=choices,
        right=right,
    )


def constant_of(cells: Sequence[CellSummary]) -> ConstantAnswer | None:
    """Return the best constant answer to the questions of these cells, if it is notable."""
    right = sum((Counter(cell.right) for cell in cells), Counter[str]())
    best = best_constant(max((cell.choices for cell in cells), default=0), right)
    return best if best and best.notable else None


def _median(values: Sequence[float]) -> float | None:
    return float(statistics.median(values)) if values else None


@dataclass(frozen=True, slots=True)
class Answers:
    """The measured trials of one subject in a cell, or in several cells that a report groups.

    Example:
        >>> def keys_named(answers: Answers) -> str:
        ...     return f"{answers.total('found')} keys in {answers.n} trials"
    """

    subject: Subject
    """The model with its prompt set, shape and labels."""
    cell: str
    """The slug of the first cell."""
    params: Mapping[str, Any]
    """The parameters of the first cell."""
    rows: Sequence[Row]
    """The rows of the measured trials."""
    cells: Sequence[CellSummary] = ()
    """The summaries of the cells, including those without measured trials."""

    @property
    def n(self) -> int:
        return len(self.rows)

    def total(self, key: str) -> int:
        """Return the sum of one trace entry over all trials."""
        return sum(row.trace.get(key, 0) for row in self.rows)

    def count(self, held: Callable[[Row], bool]) -> int:
        """Return the number of trials for which `held` is true."""
        return sum(map(held, self.rows))

    def rate(self, held: Callable[[Row], bool] | None = None, among: Callable[[Row], bool] = bool) -> Rate:
        """Return the accuracy or, with `held`, the share of trials for which it is true. `among` selects the trials.

        among: which trials are counted, by default all.
        """
        return rate_of(filter(among, self.rows), held)


def together(several: Sequence[Answers]) -> Answers:
    """Return all Answers of one subject as one."""
    first = several[0]
    rows = [row for answers in several for row in answers.rows]
    return Answers(first.subject, first.cell, first.params, rows, [each for a in several for each in a.cells])


Key = tuple[object, ...]


def key_of(of: Row | CellSummary | Answers, by: Sequence[str] = ()) -> Key:
    """Return what tells the Answers of a row or a cell from others. by: the parameters that do; by default its slug."""
    return (of.subject, *(of.params.get(name) for name in by)) if by else (of.subject, of.cell)


def answers_by_cell(cells: Sequence[CellSummary], rows: Sequence[Row], by: Sequence[str] = ()) -> list[Answers]:
    """Return the Answers of a protocol, in the order of its cells. Those of unmeasured cells have no rows."""
    summaries = grouped(cells, lambda cell: key_of(cell, by))
    measured = grouped(rows, lambda row: key_of(row, by))
    found = []
    for key in dict.fromkeys((*summaries, *measured)):
        first = [*summaries.get(key, ()), *measured.get(key, ())][0]
        fields = (first.subject, first.cell, first.params, measured.get(key, ()), summaries.get(key, ()))
        found.append(Answers(*fields))
    return found
