"""The evidence in each band of a family: the changes of its pairs, and how many pairs are missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from longctx.compare.pairs import TrialPairs
from longctx.gate.bands import EARLY_STOP, Clusters
from longctx.results.row import Row
from longctx.stats.paired import Paired


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

    @property
    def same_answers(self) -> bool:
        """Whether the run replayed the baseline's own answers and judged them the same, so that nothing has changed."""
        return self.asked > 0 and not self.missing and not self.other

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
    for trial in _only_before(pairs):
        if trial.band is not None and trial.measured:
            bands.setdefault(trial.band, Evidence())
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
    return (trial for key, trial in pairs.before.items() if key not in pairs.after)
