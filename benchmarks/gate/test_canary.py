"""The simulated canary changes as often as it says, and gives alarm where the library does."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate.canary import DROP, WEEK, alarms, nights, noticed
from longctx.stats.power import CanaryNight, watch


@pytest.mark.parametrize("generator", ["latent", "mean-shift"])
def test_pairs_change_as_often_as_said(generator: str) -> None:
    lost, gained = nights(generator, 0.9, 0.1, 50, 2 * WEEK, WEEK, 200)
    quiet, fallen = ((each[:, :WEEK].mean() / 50, each[:, WEEK:].mean() / 50) for each in (lost, gained))
    assert quiet[0] == pytest.approx(0.05, abs=0.005)
    assert fallen[0] == pytest.approx(0.05, abs=0.005)
    assert quiet[1] - fallen[1] == pytest.approx(DROP, abs=0.01)


def test_alarms_are_those_of_the_library() -> None:
    lost, gained = nights("latent", 0.9, 0.1, 30, 3 * WEEK, WEEK, 20)
    found = [
        [
            each.alarm
            for each in watch(
                [
                    CanaryNight(int(fell), int(rose), {number % WEEK})
                    for number, (fell, rose) in enumerate(zip(*of_run, strict=True))
                ]
            )
        ]
        for of_run in zip(lost, gained, strict=True)
    ]
    assert np.array_equal(alarms(lost, gained), found)


def test_a_drop_is_noticed_and_an_unchanged_model_is_not(small: bool) -> None:
    runs = 20 if small else 200
    (years, _), first = noticed("latent", 0.9, 0.05, 56, runs)
    assert years <= 0.1 * runs
    assert (first <= WEEK).mean() > 0.8
