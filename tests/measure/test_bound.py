"""How large a drop may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.measure.bound import design_effect, drop_bound, trials_to_settle
from longctx.measure.paired import tango

CHANGES = st.integers(-1, 1)
Z95_ONE_SIDED = 1.6448536269514722


def alone(gained: int, lost: int, n: int) -> list[list[int]]:
    return [[1]] * gained + [[-1]] * lost + [[0]] * (n - gained - lost)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 100))
def test_without_clusters_it_is_tangos(gained: int, lost: int, same: int) -> None:
    n = gained + lost + same
    expected = -tango(gained, lost, n, Z95_ONE_SIDED)[0] if n else 1.0
    assert drop_bound(alone(gained, lost, n)) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "bound"), [(50, 0.0513), (100, 0.0263)])
def test_it_stays_honest_where_nothing_changed(n: int, bound: float) -> None:
    assert drop_bound(alone(0, 0, n)) == pytest.approx(bound, abs=1e-4)


@given(st.lists(st.lists(CHANGES, min_size=1, max_size=8), min_size=1, max_size=12))
def test_it_lies_above_the_drop_that_was_seen(clusters: list[list[int]]) -> None:
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

    n = trials_to_settle(discordance, margin)
    assert bound(n) < margin <= bound(n - 1)
    assert trials_to_settle(discordance, margin, shrink=3.0) == pytest.approx(3 * n, abs=3)
