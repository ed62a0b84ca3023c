"""The sign-flip test of a drop."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from longctx.stats.averaged import sign_flip_p_value

ROOT = Path(__file__).parents[2]


@given(st.integers(0, 60), st.integers(0, 60))
def test_without_clusters_it_is_mcnemars_exact_test(gained: int, lost: int) -> None:
    expected = binomtest(lost, gained + lost, 0.5, alternative="greater").pvalue if gained + lost else 1.0
    assert sign_flip_p_value([1] * gained + [-1] * lost) == pytest.approx(expected)


@given(st.lists(st.integers(-5, 5), max_size=10))
def test_it_counts_all_signs(sums: list[int]) -> None:
    signs = list(itertools.product((1, -1), repeat=len(sums)))
    totals = [sum(sign * total for sign, total in zip(chosen, sums, strict=True)) for chosen in signs]
    expected = sum(total <= sum(sums) for total in totals) / len(totals)
    assert sign_flip_p_value(sums) == pytest.approx(expected)


def test_nothing_that_changed_shows_nothing() -> None:
    assert sign_flip_p_value([]) == sign_flip_p_value([0, 0, 0]) == 1.0


def test_trials_that_fall_together_show_less_than_as_many_apart() -> None:
    assert sign_flip_p_value([-8] * 3) == pytest.approx(1 / 8)
    assert sign_flip_p_value([-1] * 24) < 1e-6


@pytest.mark.parametrize("clusters", [1, 7, 40, 300, 2_000])
@pytest.mark.parametrize("most", [1, 2, 9, 40])
def test_it_is_what_one_cluster_after_another_gives(clusters: int, most: int) -> None:
    """Equal clusters are binomial, and the sizes are added as sums of partial credit are, by Fourier transforms."""
    sums = np.random.RandomState(clusters + most).randint(-most, most + 1, clusters).tolist()
    expected = one_after_another(sums)
    assert sign_flip_p_value(sums) == pytest.approx(expected.of_all, rel=0, abs=1e-12)
    assert sign_flip_p_value(sums, mid=True) == pytest.approx(expected.mid, rel=0, abs=1e-12)


class PValues(NamedTuple):
    """The p-value, and the mid-p-value."""

    of_all: float
    mid: float


def one_after_another(sums: list[int]) -> PValues:
    """Return what adding the clusters one after another gives."""
    chance = np.ones(1)
    steps = [abs(total) for total in sums if total]
    for step in steps:
        chance = (np.append(chance, np.zeros(step)) + np.append(np.zeros(step), chance)) / 2
    if not steps:
        return PValues(1.0, 1.0)
    observed = (sum(sums) + sum(steps)) // 2
    of_all = float(chance[: observed + 1].sum())
    return PValues(of_all, of_all - float(chance[observed]) / 2)


def test_many_trials_are_no_burden() -> None:
    assert sign_flip_p_value([-1] * 1500 + [1] * 1300) < 0.001


@pytest.mark.parametrize(("gained", "lost"), [(0, 4), (3, 9), (12, 51)])
def test_the_mid_p_value_counts_half_of_what_was_observed(gained: int, lost: int) -> None:
    changes = [1] * gained + [-1] * lost
    fewer = sign_flip_p_value([1] * (gained - 1) + [-1] * (lost + 1)) if gained else 0.0
    assert sign_flip_p_value(changes, mid=True) == pytest.approx((sign_flip_p_value(changes) + fewer) / 2)
    assert sign_flip_p_value([0, 0], mid=True) == 1.0


def test_the_guide_states_the_mid_p_value() -> None:
    """Of 12 gained and 51 lost, as docs/gate.md has it."""
    changes = [1] * 12 + [-1] * 51
    assert sign_flip_p_value(changes) == pytest.approx(3.7e-7, rel=0.01)
    assert f"{sign_flip_p_value(changes, mid=True):.2g}" == "2.3e-07"
    text = re.sub(r"\s+", " ", (ROOT / "docs/gate.md").read_text(encoding="utf-8"))
    assert "51 were lost and 12 gained: McNemar's mid-p-value is 2.3e-07" in text
    assert not re.search(r"p-value|mid-p|in ten million", (ROOT / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("n", "alpha"), [(40, 0.05), (84, 0.025), (432, 0.05 / 7)])
def test_mid_p_values_keep_their_level_over_all_numbers_of_changes(n: int, alpha: float) -> None:
    """Summed exactly, for shares of pairs that change up to a half."""
    errs = []
    for changed in range(n + 1):
        lost = np.arange(changed + 1)
        chance = binom.pmf(lost, changed, 0.5)
        p_values = chance[::-1].cumsum()[::-1] - chance / 2
        errs.append(chance[p_values <= alpha].sum())
    for discordance in np.linspace(0.01, 0.5, 50):
        assert binom.pmf(np.arange(n + 1), n, discordance) @ np.array(errs) <= 1.02 * alpha
