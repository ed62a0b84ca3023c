"""The trials that two runs have in common: the same item, whatever the treatment.

An item is what is asked about: a question, a drawn needle, a case. The model, the prompts and the documents are never
part of it. A test declares which of its parameters are treatments of the same item, too (`Declaration.treatments`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, cast

from longctx.compare.columns import ItemColumns, ItemRows, credits_of
from longctx.errors import UserError
from longctx.results import judged_by
from longctx.results.grouping import by_subject, by_test, grouped
from longctx.results.row import Row, Subject
from longctx.stats.averaged import Averaged, difference
from longctx.stats.clustered import ByCluster
from longctx.stats.paired import Paired
from longctx.stats.unpaired import Unpaired
from longctx.vocabulary.both import Both
from longctx.vocabulary.shapes import TEXT

if TYPE_CHECKING:
    from longctx.vocabulary.declaration import Protocol

TrialKey = tuple[str, int, str, int, int]
"""Cell, seed, item, trial and repeat: together they identify a trial within its test."""
ItemKey = tuple[str, int, str, int]
"""Cell, seed, item and trial: together they identify what is asked about."""
CellParams = Mapping[str, int | float | str | None]
MISSING = object()


@dataclass(frozen=True, slots=True)
class Across:
    """Two cells, one of each run, that differ in a parameter."""

    before: str
    after: str
    parameter: str
    values: Both[object]
    rows: Both[Sequence[Row]]
    """The rows of each cell."""
    paired: bool
    """Whether they ask about the same items, so that their trials are paired."""

    @property
    def change(self) -> str:
        was, now = (
            f"{value:,}" if isinstance(value, int) else "none" if value is None else value for value in self.values
        )
        return f"{was} → {now}"

    def __str__(self) -> str:
        """Return what differs, such as `lines 5 → 3`."""
        return f"{self.parameter} {self.change}"


@dataclass(frozen=True)
class TrialPairs:
    """The trials of one test, for one subject of each run.

    before, after: all trials of each.
    """

    before: Mapping[TrialKey, Row]
    after: Mapping[TrialKey, Row]
    common: Mapping[TrialKey, Both[Row]]
    """The trials about the same item in both, by the key in the run."""
    mismatched: int
    """How many share a key but ask different questions: they expect different answers, or different versions of the
    test built them."""
    across: tuple[Across, ...] = ()
    """The cells that are in one run only, and are compared with one of the other run all the same."""
    items: Mapping[ItemKey, ItemRows] = field(default_factory=dict)
    """All answers of both runs about the same item, by its key in the run: each may have been asked several times."""

    @cached_property
    def columns(self) -> ItemColumns:
        """What the items show, in their order."""
        return ItemColumns.of(self.items.values())

    @property
    def unpaired(self) -> list[Across]:
        """The compared cells whose items do not correspond."""
        return [cells for cells in self.across if not cells.paired]

    @property
    def alone(self) -> Both[int]:
        """How many trials of each run are compared with nothing."""
        compared = [*self.items.values(), *(cells.rows for cells in self.unpaired)]
        before, after = (self.mismatched + sum(map(len, map(itemgetter(side), compared))) for side in (0, 1))
        return Both(max(0, len(self.before) - before), max(0, len(self.after) - after))


@dataclass(frozen=True, slots=True)
class Treatments:
    """What a test's cells may differ in."""

    parameters: tuple[str, ...] | None = ()
    """The parameters that distinguish its cells; None for all that a row names."""
    same_item: Collection[str] | None = ()
    """The parameters that change how an item is presented, and not the item; None for all."""

    @classmethod
    def of(cls, test: Protocol | None) -> Treatments:
        """Return the treatments of a test. test: None if it declares none.

        What such a test draws never depends on its parameters.
        """
        return cls(None, None) if test is None else cls(test.parameters, test.treatments)

    def keeps_item(self, parameter: str) -> bool:
        return self.same_item is None or parameter in self.same_item


def pairs(before: Sequence[Row], after: Sequence[Row], treatments: Treatments | None = None) -> TrialPairs:
    """Pair the trials of two runs. before, after: rows of one test and subject each.

    treatments: those of the test, to compare cells that only one run has; None to leave them out.
    """
    ours, theirs = by_key(before), by_key(after)
    across = _across(before, after, treatments) if treatments else ()
    renamed = {cells.after: cells.before for cells in across if cells.paired}
    twins = [(renamed[key[0]], *key[1:]) if key[0] in renamed else key for key in theirs] if renamed else theirs
    earlier = map(ours.get, twins)
    shared = {key: Both(was, now) for was, (key, now) in zip(earlier, theirs.items(), strict=True) if was is not None}
    common = {key: rows for key, rows in shared.items() if _same_question(*rows)}
    if any(key[4] for key in chain(ours, theirs)):
        items = _items(ours, theirs, shared, common, renamed)
    else:
        items = {key[:4]: Both([was], [now]) for key, (was, now) in common.items()}
    return TrialPairs(ours, theirs, common, len(shared) - len(common), across, items)


def _items(
    ours: Mapping[TrialKey, Row],
    theirs: Mapping[TrialKey, Row],
    shared: Mapping[TrialKey, Both[Row]],
    common: Mapping[TrialKey, Both[Row]],
    renamed: Mapping[str, str],
) -> dict[ItemKey, ItemRows]:
    """Return all answers to each item in common, of which some have several.

    shared: the trials of both runs by the key in the later one. common: those that ask the same question. renamed: the
    earlier run's cells by those of the later run.
    """
    items: dict[ItemKey, Both[list[Row]]] = {key[:4]: Both([], []) for key in common}
    earlier = grouped(ours.values(), item_key)
    for key, row in theirs.items():
        if key in common or (key not in shared and key[:4] in items):
            items[key[:4]].after.append(row)
    for (cell, *item), (befores, afters) in items.items():
        of_item = earlier[(renamed.get(cell, cell), *item)]  # type: ignore[index]
        befores += [row for row in of_item if _same_question(row, afters[0])]
    return cast(dict[ItemKey, ItemRows], items)  # a copy of as many pairs would take its time


def by_item(before: Iterable[Row], after: Iterable[Row], item: Callable[[Row], Hashable]) -> list[ItemRows]:
    """Return the answers to each item that rows of both conditions are about. item: what a row is about."""
    ours, theirs = grouped(before, item), grouped(after, item)
    return [Both(rows, theirs[key]) for key, rows in ours.items() if key in theirs]


def paired(items: Iterable[ItemRows], *, clustered: bool = True) -> Paired | Averaged:
    """Return the difference between two conditions over the items that were measured under both.

    An item counts once, by the mean of its answers under each condition, whatever the number of repeats. clustered:
    whether other clusters are meant, too; if not, only these, whose items are independent within each.
    """
    trials = ByCluster()
    for item in items:
        if credits := credits_of(item):
            trials.add(item.after[0].cluster_or_item if clustered else len(trials.names), credits)
    return difference(trials.clusters)


def by_key(rows: Sequence[Row]) -> dict[TrialKey, Row]:
    return {(row.cell, row.seed, row.item or "", row.trial, row.repeat): row for row in rows}


def item_key(row: Row) -> ItemKey:
    return row.cell, row.seed, row.item or "", row.trial


def params_of(rows: Sequence[Row], names: Collection[str] | None = None) -> dict[str, CellParams]:
    """Return the parameters of each cell: those with these names, or all that have one value there."""
    found: dict[str, CellParams] = {}
    for cell, group in grouped(rows, attrgetter("cell")).items():
        first = group[0].params
        shared = [name for name in first if all(row.params.get(name, MISSING) == first[name] for row in group)]
        found[cell] = {name: first.get(name) for name in (shared if names is None else names)}
    return found


def _across(before: Sequence[Row], after: Sequence[Row], treatments: Treatments) -> tuple[Across, ...]:
    """Return pairs of cells that only one run has each, and that differ in one parameter.

    Each cell is in one pair at most. Of several that differ in the same parameter, the nearest are compared.
    """
    rows = Both(before, after).map(lambda of_run: grouped(of_run, attrgetter("cell")))
    alone = Both(rows.before.keys() - rows.after.keys(), rows.after.keys() - rows.before.keys())
    if not all(alone):
        return ()
    ours, theirs = params_of(before, treatments.parameters), params_of(after, treatments.parameters)
    left = {name: params for name, params in ours.items() if name in alone.before}
    found: list[Across] = []
    for name in (name for name in theirs if name in alone.after):
        near = [(other, parameter) for other in left if (parameter := _differs(left[other], theirs[name]))]
        if not near:
            continue
        other, parameter = min(near, key=lambda cell: _distance(left[cell[0]][cell[1]], theirs[name][cell[1]]))
        values = Both[object](left.pop(other)[parameter], theirs[name][parameter])
        paired = treatments.keeps_item(parameter)
        found.append(Across(other, name, parameter, values, Both(rows.before[other], rows.after[name]), paired))
    return tuple(found)


def _differs(before: CellParams, after: CellParams) -> str | None:
    """Return the only parameter in which two cells differ; None if there is none, or if there are several."""
    names = dict.fromkeys((*before, *after))
    differing = [name for name in names if before.get(name, MISSING) != after.get(name, MISSING)]
    return differing[0] if len(differing) == 1 and differing[0] in before and differing[0] in after else None


def _distance(before: object, after: object) -> float:
    numbers = [value for value in (before, after) if isinstance(value, int | float)]
    return abs(numbers[0] - numbers[1]) if len(numbers) == 2 else 0.0


def unmeasured_if_rejudged(before: Sequence[Row], after: Sequence[Row]) -> list[Row]:
    """Return the later rows, those as not measured that something else judges than the earlier rows of their trial."""
    if not any(row.judged_by or row.expected is not None for row in after):  # nothing is known of what judges them
        return [*after]
    earlier = grouped(before, item_key)
    return [_unmeasured_if_rejudged(row, earlier.get(item_key(row), ())) for row in after]


def _unmeasured_if_rejudged(row: Row, earlier: Sequence[Row]) -> Row:
    if not row.measured:
        return row
    for each in earlier:
        if each.version == row.version and each.measured and (error := judged_by.changed(each, row)):
            return replace(row, outcome="not_asked", error=error, trace={})
    return row


def _same_question(before: Row, after: Row) -> bool:
    """Return whether the same version of a test asks both, and the same judges both if they are measured."""
    if before.version != after.version:
        return False
    return not (judged_by.changed(before, after) and before.measured and after.measured)


SubjectPairs = list[Both[Subject]]
Unmatched = Mapping[tuple[str, Subject], Sequence[Row]]
"""The rows of each (test, subject) that has no counterpart in the other run."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A subject of one run and its counterpart in another, in one test."""

    test: str
    before: Subject
    after: Subject
    rows: Both[Sequence[Row]]
    """The rows of `before`, and of `after`."""

    @property
    def is_gated(self) -> bool:
        """Whether the gate judges any of the later rows: a profile may leave tables out."""
        return any(row.band is not None for row in self.rows.after)


def match_runs(
    before: Sequence[Row], after: Sequence[Row], between: str | None = None
) -> tuple[list[Matched], Both[Unmatched]]:
    """Match the subjects of two runs in each test; return the matches, and the subjects that only one run measured.

    between: see match. Raises UserError as match does.
    """
    first, second = by_test(before), by_test(after)
    matches: list[Matched] = []
    unmatched: Both[dict[tuple[str, Subject], Sequence[Row]]] = Both({}, {})
    for test in dict.fromkeys((*first, *second)):
        ours, theirs = first.get(test, {}), second.get(test, {})
        for old, new in match(test, tuple(ours), tuple(theirs), between):
            matches.append(Matched(test, old, new, Both(ours.pop(old), theirs.pop(new))))
        for left, rest in zip(unmatched, (ours, theirs), strict=True):
            left.update({(test, subject): rows for subject, rows in rest.items()})
    return matches, Both(*unmatched)


def match(test: str, before: Sequence[Subject], after: Sequence[Subject], between: str | None = None) -> SubjectPairs:
    """Pair the subjects of one test, in the order of `before`. Subjects without a counterpart are left out.

    Subjects with the same name are paired first; then those with the same name but for what changed; then, if each run
    has one subject left, those two. between: what changed: `model`, `prompts`, `shape`, `server` or the name of a
    label. By default it is the one of them in which all remaining subjects differ. Raises UserError if there is none,
    or several.
    """
    pairs = _same(before, after, lambda subject: subject)
    if between is not None:
        pairs += _same(*_left(before, after, pairs), lambda subject: _without(subject, between))
    ours, theirs = _left(before, after, pairs)
    if len(ours) == len(theirs) == 1:
        pairs.append(Both(ours[0], theirs[0]))
    elif len(ways := [way for name in _names_of(ours + theirs) if (way := _all_but(ours, theirs, name))]) == 1:
        pairs += ways[0]
    elif ours and theirs:
        raise UserError(
            "unclear-comparison",
            f"{test}: it is not clear which subjects to compare. Only the first run measured {_names(ours)}; only "
            f"the second measured {_names(theirs)}. Compare runs that differ in one thing, or name what changed for "
            "`longctx compare`: --between model, prompts, shape, server or a label's name.",
        )
    return sorted(pairs, key=lambda pair: before.index(pair.before))


def rows_by_treatment(rows: Sequence[Row], between: str) -> dict[str, list[Row]]:
    """Group rows by model, prompt set, shape, server or value of a label ("" without it), in the order of the rows."""
    return grouped(rows, lambda row: value_of(row.subject, between))


def value_of(subject: Subject, between: str) -> str:
    """Return a subject's model, prompt set, shape, server, or value of a label; empty without it."""
    own = {"model": subject.model, "prompts": subject.prompt_set, "shape": subject.shape, "server": subject.server}
    return own.get(between) or dict(subject.labels).get(between, "")


def _same(before: Sequence[Subject], after: Sequence[Subject], name: Callable[[Subject], Subject]) -> SubjectPairs:
    """Pair the subjects with the same name, if no other subject of their run shares it."""
    pairs = []
    for first in before:
        partners = [second for second in after if name(second) == name(first)]
        if len(partners) == 1 and sum(name(other) == name(first) for other in before) == 1:
            pairs.append(Both(first, partners[0]))
    return pairs


def _all_but(before: Sequence[Subject], after: Sequence[Subject], between: str) -> SubjectPairs:
    """Pair the subjects with the same name but for `between`; return none unless all are paired."""
    pairs = _same(before, after, lambda subject: _without(subject, between))
    return pairs if len(pairs) == len(before) == len(after) else []


def _names_of(subjects: Sequence[Subject]) -> list[str]:
    """Return what subjects can differ in: the model, the prompts, the shape, the server, and their labels."""
    labels = (name for subject in subjects for name, _ in subject.labels)
    return list(dict.fromkeys(["model", "prompts", "shape", "server", *labels]))


def what_differs(rows: Sequence[Row]) -> list[str]:
    """Return which of `model`, `prompts`, `shape`, `server` and the labels have several values in these rows."""
    names = _names_of(list(by_subject(rows)))
    return [name for name in names if len(rows_by_treatment(rows, name)) > 1]


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
            labels = tuple((name, value) for name, value in subject.labels if name != between)
            return replace(subject, labels=labels, server="" if between == "server" else subject.server)


def _names(subjects: Sequence[Subject]) -> str:
    return " and ".join(f"({subject})" for subject in subjects)


def by_cell(pairs: TrialPairs) -> dict[str, Paired | Averaged]:
    """Return the paired difference of each cell, over the trials that both runs measured."""
    columns, cells = pairs.columns, dict[str, ByCluster]()
    for name, after, credits in zip(columns.cells, columns.after, columns.credits, strict=True):
        trials = cells.get(name) or cells.setdefault(name, ByCluster())
        if credits:
            trials.add(after[0].cluster_or_item, credits)
    return {name: difference(trials.clusters) for name, trials in cells.items() if trials.names}


def unpaired(before: Sequence[Row], after: Sequence[Row]) -> Unpaired:
    """Return measured rows as two samples."""
    return Unpaired.of(
        *Both(before, after).map(
            lambda rows: [[row.credit for row in of] for of in grouped(rows, lambda row: row.cluster_key).values()]
        )
    )
