"""The boundaries of planned looks, against published constants and simulated paths."""

from __future__ import annotations

import itertools
from statistics import NormalDist

import numpy as np
import pytest

from longctx.stats.group_sequential import ONCE, Looks, planned
from longctx.stats.paired import score
from longctx.vocabulary.looks import PLANS, LooksPlan

EQUAL, FEW, EARLY = (planned(plan, 5000, 5000, 0.05, 0.05) for plan in ("equal", "few", "early"))  # type: ignore[arg-type]


def test_what_the_name_of_a_plan_means_never_changes() -> None:
    """Recorded gates are judged by the plan that they were asked by: add a plan, and leave these as they are."""
    assert {name: planned(name, 5000, 5000, 0.05, 0.05) for name in PLANS} == {
        "once": Looks((1.0,)),
        "equal": Looks((0.2, 0.4, 0.6, 0.8, 1.0), 0.25),
        "few": Looks((0.35, 0.6, 1.0), 0.25),
        "early": Looks((0.2, 0.3, 0.45, 0.67, 1.0), 0.5),
    }


@pytest.mark.parametrize(
    ("shape", "published"),
    [(0.25, {2: 2.038, 3: 2.083, 4: 2.113, 5: 2.136}), (0.5, {2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413})],
)
def test_the_boundary_is_that_of_wang_and_tsiatis(shape: float, published: dict[int, float]) -> None:
    """Jennison and Turnbull, "Group Sequential Methods" (2000), tables 2.9 and 2.1: two-sided 5%."""
    for number, constant in published.items():
        looks = Looks(tuple(look / number for look in range(1, number + 1)), shape)
        assert NormalDist().inv_cdf(1 - looks.level(0.025, number)) == pytest.approx(constant, abs=0.002)


@pytest.mark.parametrize("looks", [EQUAL, FEW, EARLY])
@pytest.mark.parametrize("alpha", [0.05, 0.025, 0.05 / 7])
def test_all_looks_together_keep_the_level(looks: Looks, alpha: float) -> None:
    parts = np.diff([0, *looks.shares])
    draws = (np.random.RandomState(7).standard_normal((400_000, looks.number)) * np.sqrt(parts)).cumsum(axis=1)
    levels = [looks.level(alpha, look) for look in range(1, looks.number + 1)]
    boundaries = [NormalDist().inv_cdf(1 - level) for level in levels]
    crossed = (draws / np.sqrt(looks.shares) > boundaries).any(axis=1).mean()
    assert crossed == pytest.approx(alpha, abs=4 * (alpha / 400_000) ** 0.5)


def test_one_look_is_the_test_itself() -> None:
    assert (ONCE.level(0.05, 1), ONCE.repeated_p_value(0.3, 1)) == (0.05, 0.3)


@pytest.mark.parametrize("looks", [EQUAL, FEW, EARLY])
def test_a_repeated_p_value_is_the_level_at_which_its_look_is_crossed(looks: Looks) -> None:
    for look in range(1, looks.number + 1):
        for alpha in (0.1, 0.05, 0.001):
            assert looks.repeated_p_value(looks.level(alpha, look), look) == pytest.approx(alpha, rel=0.01)
    assert looks.repeated_p_value(0.7, 2) == 1


def test_early_looks_are_harder_but_by_pocock() -> None:
    for looks in (EQUAL, FEW):
        levels = [looks.level(0.05, look) for look in range(1, looks.number + 1)]
        assert levels == sorted(levels)
        assert levels[-1] < 0.05
    assert EARLY.level(0.05, 1) == pytest.approx(EARLY.level(0.05, 5))


def test_few_trials_are_looked_at_less_often() -> None:
    def number(plan: LooksPlan, units: int, each: int = 1, margin: float = 0.05) -> int:
        return planned(plan, units, units * each, margin, 0.05).number

    assert [number("equal", units) for units in (0, 39, 40, 84, 100, 5000)] == [1, 1, 2, 4, 5, 5]
    assert [number("few", units) for units in (0, 100, 130, 400)] == [1, 1, 2, 3]
    assert [number("early", units) for units in (0, 60, 160, 432)] == [1, 1, 2, 5]
    assert [number("few", units, margin=0.2) for units in (0, 30, 40, 80)] == [1, 1, 2, 3]
    assert [number("few", clusters, 4) for clusters in (24, 33, 34, 80)] == [1, 1, 2, 3]


@pytest.mark.parametrize("plan", ["few", "early", "once"])
@pytest.mark.parametrize("margin", [0.05, 0.1])
def test_every_number_of_identical_answers_that_can_pass_at_once_can_pass(plan: LooksPlan, margin: float) -> None:
    passing = [
        any(
            score(0, 0, end, -margin) > -NormalDist().inv_cdf(looks.level(0.05, look))
            for look, end in enumerate(looks.ends(n), start=1)
        )
        for n in range(1, 400)
        for looks in [planned(plan, n, n, margin, 0.05)]
    ]
    least = 52 if margin == 0.05 else 25
    assert passing == [*itertools.repeat(False, least - 1), *itertools.repeat(True, 400 - least)]
