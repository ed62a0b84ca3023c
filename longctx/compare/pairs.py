"""The trials that two runs have in common: the same item, whatever the treatment.

An item is what is asked about: a question, a drawn needle, a case. The model, the prompts and the documents are never
part of it. A family declares which of its parameters are treatments of the same item, too (`Scenario.treatments`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.vocabulary.protocol import Protocol

TrialKey = tuple[str, int, str, int, int]
"""Scenario, seed, item, trial and repeat: together they identify a trial within its family."""
ItemKey = tuple[str, int, str, int]
"""The same without the repeat: together they identify what is asked about."""
ScenarioParams = Mapping[str, int | float | str | None]
MISSING = object()


@dataclass(frozen=True, slots=True)
class Across:
    """Two scenarios, one of each run, that differ in a parameter."""

    before: str
    after: str
    parameter: str
    values: tuple[object, object]
    rows: tuple[Sequence[Row], Sequence[Row]]
    """The rows of each scenario."""
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


@dataclass(frozen=True, slots=True)
class TrialPairs:
    """The trials of one family, for one subject of each run.

    before, after: all trials of each.
    """

    before: Mapping[TrialKey, Row]
    after: Mapping[TrialKey, Row]
    common: Mapping[TrialKey, tuple[Row, Row]]
    """The trials about the same item in both, by the key in the run."""
    mismatched: int
    """How many share a key but ask different questions: they expect different answers, or different versions of the
    family built them."""
    across: tuple[Across, ...] = ()
    """The scenarios that are in one run only, and are compared with one of the other run all the same."""
    items: Mapping[ItemKey, tuple[Sequence[Row], Sequence[Row]]] = field(default_factory=dict)
    """All answers of both runs about the same item, by its key in the run: each may have been asked several times."""

    @property
    def unpaired(self) -> list[Across]:
        """Those of them whose items do not correspond."""
        return [scenarios for scenarios in self.across if not scenarios.paired]

    @property
    def alone(self) -> tuple[int, int]:
        """How many trials of each run are compared with nothing."""
        before, after = (
            self.mismatched
            + sum(len(answers[side]) for answers in self.items.values())
            + sum(len(scenarios.rows[side]) for scenarios in self.unpaired)
            for side in (0, 1)
        )
        return max(0, len(self.before) - before), max(0, len(self.after) - after)


@dataclass(frozen=True, slots=True)
class Treatments:
    """What a family's scenarios may differ in."""

    parameters: tuple[str, ...] | None = ()
    """The parameters that tell its scenarios apart; None for all that a row names."""
    same_item: Collection[str] | None = ()
    """Those that change how an item is asked, and not the item; None for all."""

    @classmethod
    def of(cls, family: Protocol | None) -> Treatments:
        """Return those of a family. family: None of a test that declares none.

        What such a test draws never depends on its parameters.
        """
        return cls(None, None) if family is None else cls(family.cell.identified_by, family.cell.treatments)

    def keeps_item(self, parameter: str) -> bool:
        return self.same_item is None or parameter in self.same_item


def pairs(before: Sequence[Row], after: Sequence[Row], treatments: Treatments | None = None) -> TrialPairs:
    """Pair the trials of two runs. before, after: rows of one family and subject each.

    treatments: those of the family, to compare scenarios that only one run has; None to leave them out.
    """
    ours, theirs = by_key(before), by_key(after)
    across = _across(before, after, treatments) if treatments else ()
    renamed = {scenarios.after: scenarios.before for scenarios in across if scenarios.paired}
    twins = {key: (renamed.get(key[0], key[0]), *key[1:]) for key in theirs}
    shared = {key: twin for key, twin in twins.items() if twin in ours}
    common = {key: (ours[twin], theirs[key]) for key, twin in shared.items() if _same_question(ours[twin], theirs[key])}
    items: dict[ItemKey, tuple[list[Row], list[Row]]] = {}
    for key in common:
        items.setdefault(key[:4], ([], []))
    earlier = grouped(ours.items(), lambda keyed: keyed[0][:4])
    for key, row in theirs.items():
        if key in common or (key not in shared and key[:4] in items):
            items[key[:4]][1].append(row)
    for item, (befores, afters) in items.items():
        of_item = earlier[(renamed.get(item[0], item[0]), *item[1:])]
        befores += [row for _, row in of_item if _same_question(row, afters[0])]
    return TrialPairs(ours, theirs, common, len(shared) - len(common), across, items)


def by_key(rows: Sequence[Row]) -> dict[TrialKey, Row]:
    return {(row.scenario, row.seed, row.item or "", row.trial, row.repeat): row for row in rows}


def params_of(rows: Sequence[Row], names: Collection[str] | None = None) -> dict[str, ScenarioParams]:
    """Return the parameters of each scenario: those with these names, or all that have one value there."""
    found: dict[str, ScenarioParams] = {}
    for scenario, group in grouped(rows, lambda row: row.scenario).items():
        first = group[0].params
        shared = [name for name in first if all(row.params.get(name, MISSING) == first[name] for row in group)]
        found[scenario] = {name: first.get(name) for name in (shared if names is None else names)}
    return found


def _across(before: Sequence[Row], after: Sequence[Row], treatments: Treatments) -> tuple[Across, ...]:
    """Return pairs of scenarios that only one run has each, and that differ in one parameter.

    Each scenario is in one pair at most. Of several that differ in the same parameter, the nearest are compared.
    """
    ours, theirs = params_of(before, treatments.parameters), params_of(after, treatments.parameters)
    left = {name: params for name, params in ours.items() if name not in theirs}
    found: list[Across] = []
    rows = grouped(before, lambda row: row.scenario), grouped(after, lambda row: row.scenario)
    for name in (name for name in theirs if name not in ours):
        near = [(other, parameter) for other in left if (parameter := _differs(left[other], theirs[name]))]
        if not near:
            continue
        other, parameter = min(near, key=lambda pair: _distance(left[pair[0]][pair[1]], theirs[name][pair[1]]))
        values = left.pop(other)[parameter], theirs[name][parameter]
        paired = treatments.keeps_item(parameter)
        found.append(Across(other, name, parameter, values, (rows[0][other], rows[1][name]), paired))
    return tuple(found)


def _differs(before: ScenarioParams, after: ScenarioParams) -> str | None:
    """Return the only parameter in which two scenarios differ; None if there is none, or if there are several."""
    names = dict.fromkeys((*before, *after))
    differing = [name for name in names if before.get(name, MISSING) != after.get(name, MISSING)]
    return differing[0] if len(differing) == 1 and differing[0] in before and differing[0] in after else None


def _distance(before: object, after: object) -> float:
    numbers = [value for value in (before, after) if isinstance(value, int | float)]
    return abs(numbers[0] - numbers[1]) if len(numbers) == 2 else 0.0


def _same_question(before: Row, after: Row) -> bool:
    """Compare versions and expected answers. Runs kept without text have no expected answers: the key must do."""
    if before.version != after.version:
        return False
    return None in (before.expected, after.expected) or before.expected == after.expected
