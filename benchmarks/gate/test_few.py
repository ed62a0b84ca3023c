"""The simulated documents have the rates that are stated, and a few of them show a drop."""

from __future__ import annotations

from itertools import chain, pairwise

import numpy as np
import pytest

from benchmarks.gate.few import PAIRED, PARTS, TRIALS
from longctx.stats.averaged import Averaged


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.9, 0.6)])
def test_a_rate_falls_as_far_as_stated(name: str, rates: tuple[float, float]) -> None:
    changes: list[float] = []
    for pairs in PAIRED[name](10, rates, 400, np.random.default_rng(1)):
        assert isinstance(pairs, Averaged)
        assert (len(pairs.answers), pairs.n) == (10, 10 * TRIALS)
        changes += chain.from_iterable(pairs.changes)
    assert np.mean(changes) == pytest.approx(rates[1] - rates[0], abs=0.02)


@pytest.mark.parametrize(("title", "part"), PARTS)
def test_it_gives_tables(title: str, part) -> None:  # type: ignore[no-untyped-def]
    rows = part(1).splitlines()
    assert all(one.count("|") == other.count("|") for one, other in pairwise(rows)), title
