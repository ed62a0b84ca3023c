"""The upper bound of a drop."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from benchmarks.gate.clusters import drawn
from benchmarks.gate.draws import HARD
from longctx.gate.bands import LEAST_CLUSTERS
from longctx.stats.averaged import Averaged
from longctx.stats.bound import UNSEEN, over_clusters, trials_to_settle
from longctx.stats.paired import tango
from longctx.stats.rates import design_effect
from tests.stats.examples import alone

CHANGES = st.integers(-1, 1)
Z95_ONE_SIDED = 1.6448536269514722


def drop_bound(clusters: Sequence[Sequence[float]]) -> float:
    return Averaged.of_changes(clusters).drop_bound()


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 100))
def test_without_clusters_it_is_tangos(gained: int, lost: int, same: int) -> None:
    n = gained + lost + same
    expected = -tango(gained, lost, n, Z95_ONE_SIDED)[0] if n else 1.0
    assert drop_bound(alone(gained, lost, n)) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "bound"), [(50, 0.0513), (100, 0.0263)])
def test_it_stays_honest_where_nothing_changed(n: int, bound: float) -> None:
    assert drop_bound(alone(0, 0, n)) == pytest.approx(bound, abs=1e-4)


@given(st.lists(st.lists(CHANGES, min_size=1, max_size=8), min_size=1, max_size=12))
def test_it_is_above_the_drop_that_was_seen(clusters: list[list[int]]) -> None:
    changes = [change for cluster in clusters for change in cluster]
    assert -sum(changes) / len(changes) - 1e-9 <= drop_bound(clusters) <= 1


@given(st.lists(CHANGES, min_size=1, max_size=30), st.integers(2, 8))
def test_repeating_a_trial_tells_nothing_more(changes: list[int], times: int) -> None:
    once = drop_bound([[change] for change in changes])
    assert drop_bound([[change] * times for change in changes]) >= once - 1e-9


def test_the_design_effect() -> None:
    assert design_effect([]) == design_effect([[1], [0], [-1]]) == 1.0
    assert design_effect([[0] * 8] * 10) == 8
    assert design_effect([[1, 1, 1, 1]]) == 4
    assert design_effect([[1] * 5, [-1] * 5] * 10) == pytest.approx(5 * 20 / 19)
    assert design_effect([[1, -1]] * 10) == 1.0


@pytest.mark.parametrize(("margin", "discordance"), [(0.05, 0.2), (0.05, 0.0), (0.1, 0.5)])
def test_trials_to_settle_are_the_fewest_that_do(margin: float, discordance: float) -> None:
    def bound(n: float) -> float:
        return -tango(discordance * n / 2, discordance * n / 2, n, Z95_ONE_SIDED)[0]

    n = trials_to_settle(discordance, margin, power=0.5)
    assert bound(n) < margin <= bound(n - 1)
    assert trials_to_settle(discordance, margin, deff=3.0, power=0.5) == pytest.approx(3 * n, abs=3)


@pytest.mark.parametrize(("margin", "discordance"), [(0.05, 0.1), (0.05, 0.3), (0.1, 0.4)])
def test_with_trials_to_settle_nine_unchanged_runs_in_ten_pass(margin: float, discordance: float) -> None:
    n = trials_to_settle(discordance, margin)
    changed = np.random.RandomState(0).binomial(n, discordance, 400)
    lost = np.random.RandomState(1).binomial(changed, 0.5)
    passed = [
        -tango(int(all_) - int(losses), int(losses), n, Z95_ONE_SIDED)[0] < margin
        for all_, losses in zip(changed, lost, strict=True)
    ]
    assert 0.86 < np.mean(passed) < 0.94


def test_a_cluster_not_seen_may_have_lost_much() -> None:
    still = [[0] * 23 + [1]] * 15
    assert drop_bound(still) == pytest.approx(UNSEEN * (1 - 0.05 ** (1 / 16)), abs=0.05)
    one_collapsed = [[0] * 24] * 85 + [[-1] * 24]
    effect = design_effect(one_collapsed)
    of_tango = -tango(0, 24 / effect, 86 * 24 / effect, Z95_ONE_SIDED)[0]
    # Of 86 clusters that lost all or nothing, one did: the exact bound of such a share.
    assert of_tango < drop_bound(one_collapsed) == pytest.approx(beta(2, 85).ppf(0.95), abs=0.002)


def test_a_drop_of_the_margin_passes_in_at_most_one_gate_of_twenty(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the fewest clusters that may show anything, where a change overturns whole sections. The share that a
    cluster not seen may have lost is the smallest tenth that keeps this."""
    falls = drawn((5,) * LEAST_CLUSTERS, 5, [(0.9, 0.8), (0.99, 0.89)], HARD, 1000, np.random.default_rng(1))

    def passed(unseen: float) -> float:
        monkeypatch.setattr("longctx.stats.bound.UNSEEN", unseen)
        return max(float(np.mean([drop_bound(drawn.clusters) < 0.1 for drawn in fall])) for fall in falls)

    assert passed(UNSEEN) <= 0.05
    assert passed(UNSEEN - 0.1) > 0.06


def test_the_bound_over_clusters_takes_them_as_they_are() -> None:
    falling = [[-1] * 24] * 30
    assert drop_bound(falling) == 1
    uneven = [[-1] * 5, [0] * 2, [1, -1, 0]] * 20
    assert drop_bound(uneven) == drop_bound(uneven[::-1])
    assert drop_bound([*uneven, []]) == drop_bound(uneven)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_many_clusters_that_lost_as_much_are_weighted_together(monkeypatch: pytest.MonkeyPatch, alpha: float) -> None:
    sums = [-1, 1, *[0] * 18, 2, -3] * 60
    together = over_clusters(sums, 3000, alpha)
    monkeypatch.setattr("longctx.stats.bound.MOST_WEIGHTED", len(sums))
    assert together == pytest.approx(over_clusters(sums, 3000, alpha), rel=0.03)


def test_a_bound_over_many_clusters_takes_little_memory() -> None:
    tracemalloc.start()
    over_clusters([-1, *[0] * 99] * 100, 20_000, 0.05)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
