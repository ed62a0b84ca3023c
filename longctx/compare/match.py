"""Which subject of one run is compared with which of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from longctx.errors import UserError
from longctx.results.grouping import by_family, by_subject, grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.vocabulary.shapes import TEXT

SubjectPairs = list[tuple[Subject, Subject]]
Unmatched = Mapping[tuple[str, Subject], Sequence[Row]]
"""The rows of each (family, subject) that has no counterpart in the other run."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A subject of one run and its counterpart in another, in one family."""

    family: str
    before: Subject
    after: Subject
    rows: tuple[Sequence[Row], Sequence[Row]]
    """The rows of `before`, and of `after`."""


def match_runs(
    before: Sequence[Row], after: Sequence[Row], between: str | None = None
) -> tuple[list[Matched], tuple[Unmatched, Unmatched]]:
    """Match the subjects of two runs in each family; return the matches, and the subjects that only one run measured.

    between: see match. Raises UserError as match does.
    """
    first, second = by_family(before), by_family(after)
    matches: list[Matched] = []
    unmatched: tuple[dict[tuple[str, Subject], list[Row]], dict[tuple[str, Subject], list[Row]]] = ({}, {})
    for family in dict.fromkeys((*first, *second)):
        ours, theirs = first.get(family, {}), second.get(family, {})
        for old, new in match(family, tuple(ours), tuple(theirs), between):
            matches.append(Matched(family, old, new, (ours.pop(old), theirs.pop(new))))
        for of_one, rest in zip(unmatched, (ours, theirs), strict=True):
            of_one.update({(family, subject): rows for subject, rows in rest.items()})
    return matches, unmatched


def match(family: str, before: Sequence[Subject], after: Sequence[Subject], between: str | None = None) -> SubjectPairs:
    """Pair the subjects of one family, in the order of `before`. Subjects without a counterpart are left out.

    Subjects with the same name are paired first; then those with the same name but for what changed; then, if each run
    has one subject left, those two. between: what changed: `model`, `prompts`, `shape` or the name of a label. By
    default it is the one of them in which all remaining subjects differ. Raises UserError if there is none, or several.
    """
    pairs = _same(before, after, lambda subject: subject)
    if between is not None:
        pairs += _same(*_left(before, after, pairs), lambda subject: _without(subject, between))
    ours, theirs = _left(before, after, pairs)
    if len(ours) == len(theirs) == 1:
        pairs.append((ours[0], theirs[0]))
    elif len(ways := [way for name in _names_of(ours + theirs) if (way := _all_but(ours, theirs, name))]) == 1:
        pairs += ways[0]
    elif ours and theirs:
        raise UserError(
            "unclear-comparison",
            f"{family}: it is not clear which subjects to compare. Only the first run measured {_names(ours)}; only "
            f"the second measured {_names(theirs)}. Compare runs that differ in one thing, or tell "
            "`longctx compare` what changed: --between model, prompts, shape or a label's name.",
        )
    return sorted(pairs, key=lambda pair: before.index(pair[0]))


def parts_of(rows: Sequence[Row], between: str) -> dict[str, list[Row]]:
    """Group rows by model, prompt set, shape or value of a label ("" without that label), in the order of the rows."""
    return grouped(rows, lambda row: value_of(row.subject, between))


def value_of(subject: Subject, between: str) -> str:
    """Return a subject's model, prompt set, shape, or value of a label; empty without that label."""
    own = {"model": subject.model, "prompts": subject.prompt_set, "shape": subject.shape}
    return own.get(between, dict(subject.labels).get(between, ""))


def _same(before: Sequence[Subject], after: Sequence[Subject], name: Callable[[Subject], Subject]) -> SubjectPairs:
    """Pair the subjects with the same name, if no other subject of their run shares it."""
    pairs = []
    for first in before:
        partners = [second for second in after if name(second) == name(first)]
        if len(partners) == 1 and sum(name(other) == name(first) for other in before) == 1:
            pairs.append((first, partners[0]))
    return pairs


def _all_but(before: Sequence[Subject], after: Sequence[Subject], between: str) -> SubjectPairs:
    """Pair the subjects with the same name but for `between`; return none unless all are paired."""
    pairs = _same(before, after, lambda subject: _without(subject, between))
    return pairs if len(pairs) == len(before) == len(after) else []


def _names_of(subjects: Sequence[Subject]) -> list[str]:
    """Return what subjects can differ in: the model, the prompts, the shape, and their labels."""
    return ["model", "prompts", "shape", *dict.fromkeys(name for subject in subjects for name, _ in subject.labels)]


def what_differs(rows: Sequence[Row]) -> list[str]:
    """Return which of `model`, `prompts`, `shape` and the labels have several values in these rows."""
    names = _names_of(list(by_subject(rows)))
    return [name for name in names if len(parts_of(rows, name)) > 1]


def _left(
    before: Sequence[Subject], after: Sequence[Subject], pairs: SubjectPairs
) -> tuple[list[Subject], list[Subject]]:
    before_paired, after_paired = {subject for subject, _ in pairs}, {subject for _, subject in pairs}
    return [subject for subject in before if subject not in before_paired], [
        subject for subject in after if subject not in after_paired
    ]


def _without(subject: Subject, between: str) -> Subject:
    """Return the subject without what changed."""
    match between:
        case "model":
            return replace(subject, model="")
        case "prompts":
            return replace(subject, prompt_set="")
        case "shape":
            return replace(subject, shape=TEXT)
        case _:
            return replace(subject, labels=tuple(pair for pair in subject.labels if pair[0] != between))


def _names(subjects: Sequence[Subject]) -> str:
    return " and ".join(f"({subject})" for subject in subjects)
