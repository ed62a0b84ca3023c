"""The simulation of creep draws what it says, and an anchor stops it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate.creep import GENERATORS, ONE, RATE, not_stopped


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS)
def test_pairs_change_as_often_as_said_and_each_release_loses_as_much(generator) -> None:  # type: ignore[no-untyped-def]
    rates = RATE - 0.03 * np.array([0, 0, 1, 2])
    drawn = generator(20, 5_000, 0.1, rates, np.random.default_rng(0))
    assert drawn.mean(axis=(1, 2)) == pytest.approx(rates, abs=0.004)
    assert (drawn[0] != drawn[1]).mean() == pytest.approx(0.1, abs=0.004)


def test_an_anchor_stops_what_creeps() -> None:
    alone, anchored = (
        not_stopped(ONE, GENERATORS["latent"], 0.05, 0.03, True, with_it, 40) for with_it in (False, True)
    )
    assert anchored[-1] < alone[-1] / 2
