"""The simulation of `gate-truth` has its bands, and draws what it says."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.gate.truth import ABSENT, ANSWERS, BANDS, DESIGN, PRESENT, draw, run
from longctx.config.profiles import load_profile
from longctx.engine.loads import planned
from longctx.engine.run_plan import Plan
from longctx.engine.settings import Settings
from longctx.stats.group_sequential import planned as looks
from longctx.workspace import Workspace

HERE = Workspace(Path(__file__).parents[2])


def test_it_has_the_bands_of_the_shipped_profile_and_the_check() -> None:
    loads = planned(Plan(Settings(profile="gate-truth", models=("claude-haiku-5-5",)), HERE))
    assert {str(band): (load.trials, load.clusters) for (_, band), load in loads.items()} == {
        band: (DESIGN.trials, DESIGN.trials) for band in BANDS if band != ANSWERS
    }
    assert (
        load_profile(HERE, "gate-truth").margin,
        looks("early", DESIGN.trials, DESIGN.trials, DESIGN.margin, 0.05),
    ) == (DESIGN.margin, DESIGN.looks)


@pytest.mark.parametrize(("rate", "differ"), [(0.9, 0.1), (0.7, 0.2)])
def test_it_draws_the_rates_and_changes_that_it_says(rate: float, differ: float) -> None:
    random = np.random.default_rng(0)
    before, after = np.concatenate([draw(rate, ANSWERS, 0.1, random) for _ in range(60)], axis=2)
    answers, present, absent = (BANDS.index(band) for band in (ANSWERS, PRESENT, ABSENT))
    assert before.mean(axis=1)[[present, absent, answers]] == pytest.approx([rate, rate, (1 + rate) / 2], abs=0.01)
    assert after.mean(axis=1)[answers] == pytest.approx((1 + rate) / 2 - 0.1, abs=0.01)
    assert (before != after)[absent].mean() == pytest.approx(differ, abs=0.01)
    assert not (after[present] & ~after[answers]).any(), "what is refused is not right"


def test_every_part_gives_a_table() -> None:
    _, *parts = run(3)
    for part in parts:
        _, _, *lines = part.splitlines()
        assert all(one.count("|") == other.count("|") for one, other in pairwise(lines))
