"""The simulated documents have the rates that are stated, and the test of their pairs is the gate's."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from benchmarks.gate.clusters import shown
from benchmarks.gate.few import HIT, PAIRED, PARTS, TRIALS, UNPAIRED, found
from longctx.gate.bands import drop_p_value
from longctx.stats.averaged import Averaged


@pytest.mark.parametrize("name", [*PAIRED, *HIT, *UNPAIRED])
@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.9, 0.6)])
def test_a_rate_falls_as_far_as_stated(name: str, rates: tuple[float, float]) -> None:
    before, after = (PAIRED | HIT | UNPAIRED)[name](10, rates, 1000, np.random.default_rng(1))
    assert before.shape == after.shape == (1000, 10, TRIALS)
    assert (before.mean(), after.mean()) == pytest.approx(rates, abs=0.02)


@pytest.mark.parametrize("documents", [5, 8, 15])
def test_its_test_is_the_gates(documents: int) -> None:
    for rates in ((0.2, 0.2), (0.9, 0.6)):
        sides = PAIRED["documents, hard"](documents, rates, 60, np.random.default_rng(2))
        gates = (sides[1].astype(int) - sides[0]).tolist()
        by_gate = [drop_p_value(Averaged.of_changes(changes)) <= 0.05 for changes in gates]
        assert by_gate == [shown([sum(cluster) for cluster in changes], documents * TRIALS, 0.05) for changes in gates]
        assert sum(by_gate) == found(sides, paired=True)


@pytest.mark.parametrize(("title", "part"), PARTS)
def test_it_gives_tables(title: str, part) -> None:  # type: ignore[no-untyped-def]
    rows = part(1).splitlines()
    assert all(one.count("|") == other.count("|") for one, other in pairwise(rows)), title
