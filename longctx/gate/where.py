"""Where in the context answers were lost, and why: the place and the cause that the changed pairs show.

Lost pairs are compared with gained ones (stats/sign_flips.py). Places and causes are looked at together. A document is
one piece of evidence, so that none is a place: those that lost together are listed by stats/concentrated.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from longctx.results.row import Row
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import is_check, length_of, name_of_test

LEAST_CHANGED = 20
"""With fewer changed pairs nothing is said."""
LEAST_OF_PLACE = 5
"""A place or a cause with fewer changed pairs is not looked at."""
THIRDS = "first", "middle", "last"
OUTCOMES = {
    "unparseable": "cannot be read",
    "refusal": "are refusals",
    "truncated": "are cut off",
}
"""What is said of lost answers by their outcome."""
TRACES = {
    "line_distance": "name another line's value",
    "of_another_quantity": "name the value of something else",
    "stale": "are stale",
    "updates_back": "are stale",
    "invented": "are invented",
    "lost": "say that it is not known",
    "example": "repeat an example",
}
"""What is said of them by the first of these numbers in their trace that is not 0."""
UNKNOWN = ""
"""Stands for the cause of an answer of which nothing but its outcome is kept, as in baselines."""
TOOL_CALL = "tool_use", "tool_calls"
"""The reasons for stopping of a reply that ends in a tool call."""


@dataclass(frozen=True, slots=True)
class PlaceOfChange:
    """A part of the pairs: those with one value of one property."""

    kind: str
    """`depth`, `length`, `question` or `check`."""
    value: str
    lost: int
    """How many of its answers were lost."""
    all_lost: int
    """All that were lost, wherever."""
    n: int
    """The pairs that it has."""
    of: int
    """All pairs."""

    def __str__(self) -> str:
        where = {
            "depth": f"the {self.value} third of the context",
            "length": self.value,
            "question": f"questions of the kind {self.value}",
            "check": f"the check {self.value}",
        }[self.kind]
        what = "lost checks are of" if self.kind == "check" else "lost answers are in"
        return f"{self.lost:,} of {self.all_lost:,} {what} {where}, with {self.n:,} of {self.of:,} pairs"


@dataclass(frozen=True, slots=True)
class Cause:
    """Why answers were lost."""

    what: str
    """What is said of them, such as `are invented`."""
    lost: int
    all_lost: int

    def __str__(self) -> str:
        return f"{self.lost:,} of {self.all_lost:,} lost answers {self.what}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """What the changed pairs of a run have in common."""

    place: PlaceOfChange | None = None
    cause: Cause | None = None
    looked_at: tuple[str, ...] = ()
    """The kinds of places that were looked at, as in PLACES; none if too few pairs changed."""


@dataclass(frozen=True, slots=True)
class _Looked:
    """A place or a cause that is looked at, and the weight of each changed pair in its sum."""

    found: PlaceOfChange | Cause
    weights: Sequence[float]


def pattern_of(pairs: Sequence[Both[Row]], alpha: float = 0.05) -> Pattern:
    """Return the place and the cause that the changed pairs of a run show. pairs: those that both runs measured."""
    changed = [pair for pair in pairs if pair.before.correct != pair.after.correct]
    trials = [pair for pair in changed if not is_check(pair.after.test)]
    if len(trials) < LEAST_CHANGED:
        return Pattern()
    looked = [*_places(pairs, changed), *_causes(changed)]
    if not looked:
        return Pattern()
    from longctx.stats.sign_flips import sums_of_changes

    signs = np.array([[1.0 if pair.before.correct else -1.0] for pair in changed])
    weights = np.array([each.weights for each in looked]).T
    clusters = [_cluster(pair.after) for pair in changed]
    tested = sums_of_changes(signs * weights, clusters, alpha)
    shown = [(test.size, each.found) for test, each in zip(tested, looked, strict=True) if test.shown]
    ordered = [found for _, found in sorted(shown, key=lambda entry: -entry[0])]
    return Pattern(
        next((found for found in ordered if isinstance(found, PlaceOfChange)), None),
        next((found for found in ordered if isinstance(found, Cause)), None),
        looked_at=tuple(dict.fromkeys(each.found.kind for each in looked if isinstance(each.found, PlaceOfChange))),
    )


def _cluster(row: Row) -> Hashable:
    """Return what changes together: a cluster, or a trial with its repeats and checks."""
    if row.cluster is not None:
        return row.cluster
    return name_of_test(row.test), row.subject, row.cell, row.seed, row.item, row.trial


def _places(pairs: Sequence[Both[Row]], changed: Sequence[Both[Row]]) -> Iterator[_Looked]:
    for kind, value_of in PLACES.items():
        numbers = Counter(value for pair in pairs if (value := value_of(pair.after)) is not None)
        values = [value_of(pair.after) for pair in changed]
        lost = Counter(value for value, pair in zip(values, changed, strict=True) if pair.before.correct)
        known, n = Counter(value for value in values if value is not None), numbers.total()
        all_lost = sum(number for value, number in lost.items() if value is not None)
        for value, number in known.items():
            if number >= LEAST_OF_PLACE and numbers[value] < n:
                within, outside = 1 / numbers[value], -1 / (n - numbers[value])
                weights = [0.0 if own is None else within if own == value else outside for own in values]
                yield _Looked(PlaceOfChange(kind, str(value), lost[value], all_lost, numbers[value], n), weights)


def _of_trial(value_of: Callable[[Row], str | None]) -> Callable[[Row], str | None]:
    return lambda row: None if is_check(row.test) else value_of(row)


def _third(row: Row) -> str | None:
    return None if row.depth is None else THIRDS[min(2, int(3 * row.depth))]


def _length(row: Row) -> str | None:
    name = length_of(row.params)
    value = row.params.get(name) if name else None
    return None if value is None else f"{name_of_test(row.test)}, {name} {value:,}"


def _check(row: Row) -> str | None:
    return row.test.partition(".")[2] if is_check(row.test) else None


PLACES: Mapping[str, Callable[[Row], str | None]] = {
    "depth": _of_trial(_third),
    "length": _of_trial(_length),
    "question": _of_trial(lambda row: row.probe),
    "check": _check,
}
"""The properties that make a place, and how a row has each; None without it."""


def _causes(changed: Sequence[Both[Row]]) -> Iterator[_Looked]:
    """Yield each cause of wrong answers: lost ones in the run, and gained ones in the baseline.

    A gained answer whose cause is not known counts against all of them.
    """
    causes = [_cause(pair.after if pair.before.correct else pair.before) for pair in changed]
    lost = [cause for cause, pair in zip(causes, changed, strict=True) if pair.before.correct]
    number, of = Counter(lost), sum(cause is not None for cause in lost)
    for what in dict.fromkeys(cause for cause in lost if cause):
        if number[what] >= LEAST_OF_PLACE:
            weights = [
                float(cause == what or (cause == UNKNOWN and not pair.before.correct))
                for cause, pair in zip(causes, changed, strict=True)
            ]
            yield _Looked(Cause(what, number[what], of), weights)


def _cause(row: Row) -> str | None:
    """Return what is wrong with an answer; UNKNOWN if that is not kept, None of a check."""
    if is_check(row.test):
        return None
    if row.outcome in OUTCOMES:
        return OUTCOMES[row.outcome]
    if row.stop_reason in TOOL_CALL:
        return "end in a tool call"
    if kind := next((said for name, said in TRACES.items() if row.trace.get(name)), None):
        return kind
    failed = (row.why or "").partition(FAILED)[2]
    return f"fail the check {failed.split(', ')[0]}" if failed else UNKNOWN


FAILED = "failed: "
"""How the reason begins of a trial whose checks fell."""
