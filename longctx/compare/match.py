"""Which subject of one run is compared with which of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from longctx.errors import UserError
from longctx.results.grouping import by_family, by_subject, grouped
from longctx.results.row import Row
from longctx.results.subject import Subject

Pairs = list[tuple[Subject, Subject]]
Left = Mapping[tuple[str, Subject], Sequence[Row]]
"""(family, subject) -> its rows, of whom nobody is compared with."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A subject of each run in one family. rows: of the one, and of the other."""

    family: str
    before: Subject
    after: Subject
    rows: tuple[Sequence[Row], Sequence[Row]]


def match_runs(
    before: Sequence[Row], after: Sequence[Row], between: str | None = None
) -> tuple[list[Matched], tuple[Left, Left]]:
    """Who is compared with whom in each family of two runs, and whom only the one, only the other, measured.

    between: see match. Raises UserError as it does.
    """
    first, second = by_family(before), by_family(after)
    found: list[Matched] = []
    left: tuple[dict[tuple[str, Subject], list[Row]], dict[tuple[str, Subject], list[Row]]] = ({}, {})
    for family in dict.fromkeys((*first, *second)):
        ours, theirs = first.get(family, {}), second.get(family, {})
        for one, two in match(family, tuple(ours), tuple(theirs), between):
            found.append(Matched(family, one, two, (ours.pop(one), theirs.pop(two))))
        for alone, rest in zip(left, (ours, theirs), strict=True):
            alone.update({(family, one): rows for one, rows in rest.items()})
    return found, left


def match(family: str, before: Sequence[Subject], after: Sequence[Subject], between: str | None = None) -> Pairs:
    """Pairs of subjects of one family, in the order of `before`. Whom only one run measured, nobody is paired with.

    The same name first; then the same name but for what changed; then, if each run has one left, those two.
    between: `model`, `prompts` or the name of a label: what changed. Without it, the one of them in which all that are
    left differ. Raises UserError where there is none, or several.
    """
    pairs = _same(before, after, lambda one: one)
    if between is not None:
        pairs += _same(*_left(before, after, pairs), lambda one: _without(one, between))
    ours, theirs = _left(before, after, pairs)
    if len(ours) == len(theirs) == 1:
        pairs.append((ours[0], theirs[0]))
    elif len(found := [way for one in _names_of(ours + theirs) if (way := _all_but(ours, theirs, one))]) == 1:
        pairs += found[0]
    elif ours and theirs:
        raise UserError(
            "unclear-comparison",
            f"{family}: it is not clear what is compared with what. Only the first run measured {_names(ours)}; only "
            f"the second measured {_names(theirs)}. Compare runs that differ in one thing, or tell "
            "`longctx compare` what changed: --between model, prompts or a label's name.",
        )
    return sorted(pairs, key=lambda pair: before.index(pair[0]))


def parts_of(rows: Sequence[Row], between: str) -> dict[str, list[Row]]:
    """The rows of each model, prompt set or value of a label, in the order in which they come; "" without it."""
    return grouped(rows, lambda row: value_of(row.subject, between))


def value_of(one: Subject, between: str) -> str:
    """A subject's model, prompt set, or value of a label; empty without that label."""
    return {"model": one.model, "prompts": one.prompt_set}.get(between, dict(one.labels).get(between, ""))


def _same(before: Sequence[Subject], after: Sequence[Subject], name: Callable[[Subject], Subject]) -> Pairs:
    """Those that have the same name, and share it with no other of their run."""
    found = []
    for one in before:
        partners = [two for two in after if name(two) == name(one)]
        if len(partners) == 1 and sum(name(other) == name(one) for other in before) == 1:
            found.append((one, partners[0]))
    return found


def _all_but(before: Sequence[Subject], after: Sequence[Subject], between: str) -> Pairs:
    """Each with the one that has its name but for `between`; none unless that pairs all."""
    pairs = _same(before, after, lambda one: _without(one, between))
    return pairs if len(pairs) == len(before) == len(after) else []


def _names_of(subjects: Sequence[Subject]) -> list[str]:
    """What subjects can differ in."""
    return ["model", "prompts", *dict.fromkeys(name for subject in subjects for name, _ in subject.labels)]


def what_differs(rows: Sequence[Row]) -> list[str]:
    """`model`, `prompts` and labels of which these rows have several."""
    names = _names_of(list(by_subject(rows)))
    return [name for name in names if len(parts_of(rows, name)) > 1]


def _left(before: Sequence[Subject], after: Sequence[Subject], pairs: Pairs) -> tuple[list[Subject], list[Subject]]:
    ours, theirs = {one for one, _ in pairs}, {two for _, two in pairs}
    return [one for one in before if one not in ours], [two for two in after if two not in theirs]


def _without(one: Subject, between: str) -> Subject:
    """The subject without what changed."""
    match between:
        case "model":
            return Subject("", one.prompt_set, one.labels)
        case "prompts":
            return Subject(one.model, "", one.labels)
        case _:
            return Subject(one.model, one.prompt_set, tuple(pair for pair in one.labels if pair[0] != between))


def _names(found: Sequence[Subject]) -> str:
    return " and ".join(f"({one})" for one in found)
