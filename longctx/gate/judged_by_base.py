"""What the base branch's test code makes of a run's answers: a change does not choose what it is judged by.

The base's tests, conftest.py files and helpers run on the change's product, and are given the answers that the change's
own tests got. Of a trial that both have judged, the base's judgement counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.text import count
from longctx.vocabulary.point import is_check, name_of_test

MOST_SHOWN = 200
"""The most characters of a reason that are shown."""


@dataclass(frozen=True, slots=True)
class OtherRequests:
    """In how many trials of a test the base's test code sends other requests than those that were answered."""

    trials: int
    """The trials that it judges, or would."""
    differ: int = 0
    more: int = 0
    fewer: int = 0


@dataclass(frozen=True, slots=True)
class JudgedByBase:
    """What the base's test code makes of the answers of a run."""

    base: str
    """The base branch, as the user names it."""
    rows: Sequence[Row] = ()
    tests: frozenset[str] = frozenset()
    """The names of the tests that it judges."""
    new: Sequence[str] = ()
    """The names of the tests that the base lacks."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """Why it cannot judge tests that it has, by their names."""
    requests: Mapping[str, OtherRequests] = field(default_factory=dict)
    """By the names of the tests."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The file of each test on the base branch, as far as it has one."""
    margin: tuple[float | None, float | None] = (None, None)
    """The margin that this branch's hooks state, and the one that the base's state."""

    def judged(self, own: Sequence[Row]) -> list[Row]:
        """Return the rows that the verdict is on. own: those of this branch's test code.

        Trials that the base does not know, and those that were not measured, stay as they are.
        """
        there = grouped(self.rows, _trial)
        cells = {_cell(row) for row in self.rows}
        here = grouped(own, _trial)
        judged: list[Row] = []
        for trial, rows in here.items():
            row = next((each for each in rows if not is_check(each.test)), rows[0])
            if row.measured and _cell(row) in cells:
                judged += [_as_answered(each, row) for each in there.get(trial, ())]
            else:
                judged += rows
        skipped = (rows for trial, rows in there.items() if trial not in here)  # by this branch's test code
        return [*judged, *(row for rows in skipped for row in rows if row.measured)]

    @property
    def reasons(self) -> Iterator[str]:
        """Why the verdict is invalid, each a sentence without its full stop."""
        for test, why in self.broken.items():
            yield (
                f"{self.base}'s test code cannot judge {self._named(test)}: {why[:MOST_SHOWN].rstrip('. ')}. Merge the "
                "change of test code on its own first"
            )

    def sentences(self, own: Sequence[Row]) -> Iterator[str]:
        """Yield how both judgements and what they are on differ. own: the rows of this branch's test code."""
        both = grouped(self.judged(own), _test), grouped(own, _test)
        for test in dict.fromkeys((*both[1], *both[0])):
            by_base, by_own = (_accuracy(rows.get(test, ())) for rows in both)
            if name_of_test(test) in self.tests and by_base != by_own:
                yield f"{test}: by {self.base}'s test code {_shown(by_base)}, by this branch's {_shown(by_own)}"
        for test, requests in self.requests.items():
            yield from self._of_requests(self._named(test), requests)
        for test in self.new:
            yield f"{test} is not on {self.base}: only this branch's test code judges it."
        was, now = self.margin
        if was != now:
            yield f"The margin of this branch's hooks, {_stated(was)}, is not used: {self.base}'s is {_stated(now)}."

    def _of_requests(self, test: str, requests: OtherRequests) -> Iterator[str]:
        of = f"of {count(requests.trials, 'trial')}"
        if requests.more:
            yield f"{test}: {self.base}'s test code needs more or other requests in {requests.more:,} {of}."
        if requests.fewer:
            yield f"{test}: {self.base}'s test code needs fewer requests in {requests.fewer:,} {of}."
        if requests.differ:
            yield f"{test}: {self.base}'s test code would send another text in {requests.differ:,} {of}."

    def _named(self, test: str) -> str:
        return f"{test} ({self.files[test]})" if test in self.files else test


def _cell(row: Row) -> tuple[object, ...]:
    labels = tuple(sorted(row.labels.items()))
    return name_of_test(row.test), row.model, row.prompt_set, row.shape, labels, row.server, row.cell


def _trial(row: Row) -> tuple[object, ...]:
    return *_cell(row), row.seed, row.item, row.trial, row.repeat


def _test(row: Row) -> str:
    return row.test


def _as_answered(judged: Row, own: Row) -> Row:
    """Return a row of the base's judgement, with what this branch's row tells of the requests and the answer."""
    return replace(
        judged,
        run=own.run,
        prompt_sha256=own.prompt_sha256 if judged.prompt_sha256 else None,
        request_parts=own.request_parts if judged.prompt_sha256 else None,
        origin=own.origin,
        code=own.code,
        source=judged.source and own.source,
    )


def _accuracy(rows: Sequence[Row]) -> float | None:
    credits = [row.credit for row in rows if row.measured]
    return fmean(credits) if credits else None


def _shown(accuracy: float | None) -> str:
    return "none" if accuracy is None else f"{accuracy:.2f}"


def _stated(margin: float | None) -> str:
    return "none" if margin is None else f"{margin:g}"
