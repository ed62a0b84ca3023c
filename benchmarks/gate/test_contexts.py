"""The simulation of shared contexts draws what it says, and its gates are the gate."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate import contexts
from benchmarks.gate.contexts import PR, Gate, Gated, changes, correlation, first, price, prices, simulate
from longctx.gate.bands import AtLook, Band, Looks, judge_in_looks
from longctx.stats.looks import planned


@pytest.mark.parametrize("discordance", [0.05, 0.1])
def test_pairs_change_as_often_as_said_and_correlate_in_contexts(discordance: float) -> None:
    drawn = changes(Gated("", 80_000, 4), discordance, 0.0, np.random.default_rng(0))
    assert (drawn != 0).mean() == pytest.approx(discordance, rel=0.05)
    assert drawn.mean() == pytest.approx(0, abs=0.003)
    assert changes(Gated("", 80_000), discordance, 0.1, np.random.default_rng(0)).mean() == pytest.approx(
        -0.1, abs=0.005
    )
    assert correlation(discordance, contexts=40_000) == pytest.approx(0.05, abs=0.015)


def test_its_gates_are_the_gate() -> None:
    gate = Gate("", 0.1, (Gated("a", 200, 4), Gated("b", 120)))
    seen = set()
    for drop in (0.0, 0.05, 0.1, 0.3):
        for seed in range(4):
            counted = simulate(gate, 0.2, (drop,), 1, seed)
            random = np.random.default_rng(seed)
            bands = {}
            for band, lost in zip(gate.bands, (drop, 0.0), strict=True):
                drawn, looks = changes(band, 0.2, lost, random).tolist(), planned(band.contexts)
                at = [drawn[: len(drawn) * look // looks] for look in range(1, looks + 1)]
                bands[Band("family", band.name)] = Looks(looks, [AtLook(each, each) for each in at])
            given = [verdict for verdict, _ in judge_in_looks(bands, gate.margin, 0.05)]
            seen |= {band.verdict for band in given}
            assert counted.found == any(band.verdict == "regression" for band in given)
            assert counted.passed == all(band.verdict == "pass" for band in given)
            of_bands = zip(counted.asked, given, gate.bands, strict=True)
            assert all(asked == pytest.approx(one.n / band.trials) for asked, one, band in of_bands)
    assert seen == {"pass", "regression", "inconclusive"}


def test_its_bands_are_those_of_the_shipped_profile_and_priced() -> None:
    assert set(prices(PR.name, "claude-haiku-5-5")) == {band.name for band in PR.bands}
    assert first(PR, PR.bands[-1].name).bands[0] == PR.bands[-1]
    cost = price(PR, "claude-haiku-5-5", simulate(PR, 0.05, (), 1))
    assert cost.count("$") == 2


def test_it_gives_tables() -> None:
    assert contexts.margins(1).count("| gate |") == 2
