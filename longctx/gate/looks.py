"""Which look at the evidence each trial belongs to: a function of the seed and the trial, and of no answer.

Every look has its share of each scenario. Trials of one cluster belong to one look, in all variants and positions.
"""

from __future__ import annotations

import bisect
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from longctx.results.row import Row
from longctx.stats.looks import Looks, planned
from longctx.vocabulary.looks import LooksPlan


@dataclass(frozen=True, slots=True)
class Unit:
    """What is never divided between looks: a cluster, or a trial with its repeats."""

    scenario: str
    """The slug of its scenario; empty for a cluster, which may extend over several."""
    seed: int
    name: str

    @classmethod
    def of_row(cls, row: Row) -> Unit:
        return cls.of(row.scenario, row.seed, row.cluster, row.trial, row.item)

    @classmethod
    def of(cls, scenario: str, seed: int, cluster: str | None, trial: int, item: str | None) -> Unit:
        return cls(scenario, seed, f"{item or ''}/{trial}") if cluster is None else cls("", seed, cluster)

    @property
    def clustered(self) -> bool:
        """Whether it is a cluster, which may have several trials."""
        return not self.scenario

    @property
    def lot(self) -> int:
        """The random number by which units are ordered."""
        name = "/".join(("looks", str(self.seed), self.scenario, self.name))
        return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])


@dataclass(frozen=True, slots=True)
class InLooks:
    """The looks at a band: the number, from 1, of the look that each unit belongs to."""

    looks: Looks
    of: Mapping[Unit, int]


def in_looks(units: Iterable[Unit], plan: LooksPlan, margin: float, alpha: float) -> InLooks:
    """Divide a band into looks. units: of each of its trials."""
    strata: dict[str, dict[Unit, int]] = defaultdict(dict)
    trials = 0
    for unit in units:
        trials += unit.clustered or unit not in strata[unit.scenario]
        if unit not in strata[unit.scenario]:
            strata[unit.scenario][unit] = unit.lot
    places = {
        unit: ((place + lots[unit] / 2**64) / len(lots), unit.scenario)
        for lots in strata.values()
        for place, unit in enumerate(sorted(lots, key=lots.__getitem__))
    }
    looks = planned(plan, len(places), trials, margin, alpha)
    ends = looks.ends(len(places))
    ordered = enumerate(sorted(places, key=places.__getitem__))
    return InLooks(looks, {unit: 1 + bisect.bisect_right(ends, place) for place, unit in ordered})


def looks_of_rows(rows: Iterable[Row], plan: LooksPlan, margin: float, alpha: float) -> dict[str, InLooks]:
    """Return the looks of each band. rows: all of one family and subject."""
    bands: dict[str, list[Unit]] = defaultdict(list)
    for row in rows:
        if row.band is not None:
            bands[row.band].append(Unit.of_row(row))
    return {band: in_looks(units, plan, margin, alpha) for band, units in bands.items()}
