"""A canary: its bet is fair without a change, whenever one looks, and no item counts twice."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from scipy.integrate import quad

from longctx.stats.power import ALARM, FALSE_ALARMS, CanaryNight, evidence, watch


@pytest.mark.parametrize(("lost", "gained"), [(0, 0), (5, 1), (20, 5), (3, 9)])
def test_the_evidence_is_the_mixture_over_all_shares_of_losses_above_a_half(lost: int, gained: int) -> None:
    mixture, _ = quad(lambda share: 2 * (2 * share) ** lost * (2 - 2 * share) ** gained, 0.5, 1)
    assert evidence(lost, gained) == pytest.approx(mixture)


@pytest.mark.parametrize("changes", [1, 2, 7, 30])
def test_the_bet_is_fair_without_a_change(changes: int) -> None:
    expected = sum(comb(changes, lost) * evidence(lost, changes - lost) for lost in range(changes + 1)) / 2**changes
    assert expected == pytest.approx(1)


def test_it_stays_fair_from_one_change_to_the_next() -> None:
    after = Fraction(evidence(5, 2) + evidence(4, 3)) / 2
    assert float(after) == pytest.approx(evidence(4, 2))


def night(lost: int, gained: int, number: int) -> CanaryNight:
    return CanaryNight(lost, gained, {(number, item) for item in range(50)})


def test_a_drop_is_noticed_and_since_when() -> None:
    quiet, falling = [night(2, 2, number) for number in range(3)], [night(9, 1, number) for number in (3, 4, 5)]
    found = watch([*quiet, *falling])
    assert [each.alarm for each in found] == [False] * 5 + [True]
    assert found[-1].since == 3
    assert found[-1].value == evidence(27, 3) > ALARM == 365 / FALSE_ALARMS


def test_an_item_that_returns_ends_a_bet() -> None:
    """A baseline that was lucky loses the same items every night."""
    assert not any(each.alarm for each in watch([night(9, 1, 0)] * 50))
    assert watch([night(9, 1, 0)] * 50)[-1].value == evidence(9, 1)


def test_gains_are_no_drop() -> None:
    assert watch([night(1, 20, number) for number in range(7)])[-1].value < 1.01
