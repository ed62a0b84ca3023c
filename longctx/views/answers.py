"""The measured answers of one subject, from which a declared report computes more than the rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.of_rows import rate_of
from longctx.stats.rates import Rate
from longctx.views.scenario_summary import ScenarioSummary


@dataclass(frozen=True, slots=True)
class Answers:
    """The measured trials of one subject in one cell, or in several that a report puts together.

    Example:
        >>> answers = Answers(Subject("my-model", "protocol"), "keys-3", {"keys": 3}, rows=[])
        >>> answers.n, answers.total("found")
        (0, 0)
    """

    subject: Subject
    scenario: str
    """The slug of the cell; of several, of the first."""
    params: Mapping[str, Any]
    """The parameters of the cell; of several, of the first."""
    rows: Sequence[Row]
    cells: Sequence[ScenarioSummary] = ()
    """The summaries of the cells, those without a measured trial included."""

    @property
    def n(self) -> int:
        return len(self.rows)

    def total(self, key: str) -> int:
        """Return the sum of a number in the traces."""
        return sum(row.trace.get(key, 0) for row in self.rows)

    def count(self, held: Callable[[Row], bool]) -> int:
        """Return how many trials this is true of."""
        return sum(map(held, self.rows))

    def rate(self, held: Callable[[Row], bool] | None = None, among: Callable[[Row], bool] = bool) -> Rate:
        """Return the rate of right answers, or that of trials of which `held` is true, with its interval.

        among: which trials are counted, by default all.
        """
        return rate_of(filter(among, self.rows), held)


def together(several: Sequence[Answers]) -> Answers:
    """Return all Answers of one subject as one."""
    first = several[0]
    rows = [row for answers in several for row in answers.rows]
    return Answers(first.subject, first.scenario, first.params, rows, [each for a in several for each in a.cells])


Key = tuple[object, ...]


def key_of(of: Row | ScenarioSummary | Answers, by: Sequence[str] = ()) -> Key:
    """Return what tells the Answers of a row or a cell from others. by: the parameters that do; by default its slug."""
    return (of.subject, *(of.params.get(name) for name in by)) if by else (of.subject, of.scenario)


def answers_of(scenarios: Sequence[ScenarioSummary], rows: Sequence[Row], by: Sequence[str] = ()) -> list[Answers]:
    """Return the Answers of a protocol, in the order of its cells. Those of unmeasured cells have no rows."""
    cells = grouped(scenarios, lambda cell: key_of(cell, by))
    measured = grouped(rows, lambda row: key_of(row, by))
    found = []
    for key in dict.fromkeys((*cells, *measured)):
        first = [*cells.get(key, ()), *measured.get(key, ())][0]
        of_key = (first.subject, first.scenario, first.params, measured.get(key, ()), cells.get(key, ()))
        found.append(Answers(*of_key))
    return found
