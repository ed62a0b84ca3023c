"""The evidence in each band of a family: the changes of its pairs, and how many pairs are missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from longctx.compare.pairs import TrialPairs
from longctx.compare.runs import unpaired
from longctx.gate.bands import EARLY_STOP, AtLook, Clusters
from longctx.gate.looks import Unit, looks_of_rows
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.stats.paired import Paired
from longctx.stats.unpaired import Unpaired

MOST_MISSING = {"family": 0.01, "band": 0.05}
"""The shares of pairs that a run may leave unmeasured."""


@dataclass(slots=True)
class Evidence:
    """The evidence in one band.

    changes: the changes of the pairs that both runs measured, by cluster. pessimistic_changes: the same with the pairs
    that only the baseline measured, counted as wrong. asked: the pairs that the baseline measured. missing: those of
    them that the run did not. other: the pairs that do not rest on the same recorded answer, or judge it differently.
    baseline: the baseline's rows of all pairs that it measured, those that an early stop left out included.
    """

    changes: dict[object, list[int]] = field(default_factory=lambda: defaultdict(list))
    pessimistic_changes: dict[object, list[int]] = field(default_factory=lambda: defaultdict(list))
    asked: int = 0
    missing: int = 0
    other: int = 0
    baseline: list[Row] = field(default_factory=list)
    pairs: list[tuple[Row, Row]] = field(default_factory=list)
    """The rows of the pairs that both runs measured."""
    run: list[Row] | None = None
    """The run's rows of a band whose items are not those of the baseline, so that nothing is paired; None elsewhere."""

    @property
    def same_answers(self) -> bool:
        """Whether the run replayed the baseline's own answers and judged them the same, so that nothing has changed."""
        return self.asked > 0 and not self.missing and not self.other

    @property
    def sides(self) -> tuple[list[Row], list[Row]]:
        """The rows of baseline and run that the band is judged by."""
        if self.run is not None:
            return self.baseline, [row for row in self.run if row.measured]
        return [row for row, _ in self.pairs], [row for _, row in self.pairs]

    @property
    def judged(self) -> Clusters | Unpaired:
        """What the band is judged by."""
        return self.clusters if self.run is None else unpaired(*self.sides)

    @property
    def at_worst(self) -> Clusters | Unpaired:
        """The same if all trials that the run did not measure were wrong."""
        return self.pessimistic if self.run is None else unpaired(self.baseline, self.run)

    @property
    def clusters(self) -> Clusters:
        return list(self.changes.values())

    @property
    def pessimistic(self) -> Clusters:
        return list(self.pessimistic_changes.values())

    def add(self, cluster: object, before: Row, after: Row) -> None:
        self.asked += 1
        change = int(after.correct) - int(before.correct)
        self.other += not same_answer(before, after)
        self.pessimistic_changes[cluster].append(change)
        if after.measured:
            self.changes[cluster].append(change)
            self.pairs.append((before, after))
        else:
            self.missing += 1

    def add_samples(self, before: Sequence[Row], after: Sequence[Row]) -> None:
        """Add the trials of two scenarios about different items. before: measured ones."""
        asked = [row for row in after if row.error != EARLY_STOP]
        self.asked += len(asked)
        self.other += len(asked)
        self.missing += sum(not row.measured for row in asked)
        self.baseline += before
        self.run = [*(self.run or ()), *asked]


def by_band(pairs: TrialPairs) -> dict[str, Evidence]:
    """Return the evidence in each band of the run. Bands of the baseline that the run lacks have no evidence.

    Trials that an early stop left out count neither as asked nor as missing.
    """
    bands: dict[str, Evidence] = {}
    for before, after in pairs.common.values():
        if before.measured and after.band is not None:
            evidence = bands.setdefault(after.band, Evidence())
            evidence.baseline.append(before)
            if after.error != EARLY_STOP:
                evidence.add(after.cluster_key, before, after)
    for scenarios in pairs.unpaired:
        for band, rows in grouped(scenarios.rows[1], lambda row: row.band).items():
            if band is not None:
                evidence = bands.setdefault(f"{band}, {scenarios}", Evidence(run=[]))
                evidence.add_samples([row for row in scenarios.rows[0] if row.measured], rows)
    for trial in _only_before(pairs):
        if trial.band is not None and trial.measured:
            bands.setdefault(trial.band, Evidence())
    return bands


@dataclass(slots=True)
class InLooks:
    """The evidence in one band at each planned look, which holds that of the looks before."""

    evidence: list[Evidence]
    complete: int
    """How many looks are complete: an early stop left no trial of them out."""

    def at(self, look: int | None) -> Evidence:
        """Return the evidence at a look, from 1; None for the last."""
        return self.evidence[-1 if look is None else max(0, look - 1)]

    @property
    def at_looks(self) -> list[AtLook]:
        return [
            AtLook(
                at.judged,
                at.at_worst,
                # Replayed answers of the baseline itself say nothing of those that are not looked at yet.
                can_settle=not at.same_answers and at.missing <= MOST_MISSING["family"] * at.asked,
            )
            for at in self.evidence[: self.complete]
        ]


def by_look(pairs: TrialPairs, most: int) -> dict[str, InLooks]:
    """Return the evidence in each band as `by_band` does, at each look. most: the most looks."""
    looks = looks_of_rows(pairs.after.values(), most)
    bands: dict[str, InLooks] = {}
    for before, after in pairs.common.values():
        if not before.measured or after.band is None:
            continue
        units = looks[after.band]
        planned = max(units.values())
        band = bands.setdefault(after.band, InLooks([Evidence() for _ in range(planned)], planned))
        look = units[Unit.of_row(after)]
        if after.error == EARLY_STOP:
            band.complete = min(band.complete, look - 1)
        for place, evidence in enumerate(band.evidence, start=1):
            evidence.baseline.append(before)
            if place >= look and after.error != EARLY_STOP:
                evidence.add(after.cluster_key, before, after)
    for name, evidence in by_band(pairs).items():
        if name not in bands:  # nothing is paired there, which is looked at once
            stopped = any(
                row.error == EARLY_STOP for row in pairs.after.values() if row.band == name.partition(", ")[0]
            )
            bands[name] = InLooks([evidence], 0 if stopped and evidence.run is not None else 1)
    return bands


def by_scenario(pairs: TrialPairs) -> dict[str, Paired]:
    """Return the paired difference of each scenario, over the trials that both runs measured."""
    outcomes: dict[str, Counter[tuple[bool, bool]]] = defaultdict(Counter)
    for before, after in pairs.common.values():
        if before.measured and after.measured:
            outcomes[after.scenario][before.correct, after.correct] += 1
    return {name: Paired(count[False, True], count[True, False], count.total()) for name, count in outcomes.items()}


def same_answer(before: Row, after: Row) -> bool:
    """Return whether both rows rest on the same recorded answer, and judge it the same."""
    return before.answers is not None and before.answers == after.answers and before.correct == after.correct


def is_gated(rows: Sequence[Row]) -> bool:
    """Return whether the gate judges any of a family's rows: a profile may leave tables out."""
    return any(row.band is not None for row in rows)


def _only_before(pairs: TrialPairs) -> Iterable[Row]:
    compared = {scenarios.before for scenarios in pairs.across}
    return (trial for key, trial in pairs.before.items() if key not in pairs.after and trial.scenario not in compared)
