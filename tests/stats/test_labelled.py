"""The interval of a difference by labels has that of all of them as its limit, and counts what a sample leaves open."""

from __future__ import annotations

import pytest

from longctx.stats.averaged import Averaged
from longctx.stats.labelled import Labelled, RightTwice


def changes(gained: int, lost: int, n: int) -> Averaged:
    return Averaged.of_changes([[1]] * gained + [[-1]] * lost + [[0]] * (n - gained - lost))


def test_without_answers_that_are_right_twice_it_is_the_interval_of_all() -> None:
    known = changes(4, 20, 100)
    labelled = Labelled(known, [])
    assert labelled.drop_bound() == pytest.approx(known.drop_bound())
    assert labelled.difference == known.difference
    p_value = labelled.drop_p_value()
    assert labelled.reversed().drop_bound(p_value) == pytest.approx(0, abs=1e-6)
    assert p_value == pytest.approx(known.drop_p_value(mid=True), abs=0.002)


def test_what_a_sample_shows_counts_for_all_that_are_right_twice() -> None:
    labelled = Labelled(changes(4, 4, 300), [RightTwice(160, changes(0, 8, 80))])
    assert labelled.difference == pytest.approx(-160 / 300 / 10)
    assert (labelled.gained, labelled.lost) == (4, 20)
    assert labelled.drop_bound() > changes(4, 20, 300).drop_bound()


def test_a_larger_sample_leaves_less_open() -> None:
    few, many, none = (
        Labelled(changes(4, 4, 300), [RightTwice(200, changes(0, 0, n))]).drop_bound() for n in (20, 80, 0)
    )
    assert changes(4, 4, 300).drop_bound() < many < few < none
    assert none > 0.6


def test_strata_with_samples_of_their_own_are_added() -> None:
    one = RightTwice(100, changes(0, 4, 40))
    both = Labelled(changes(0, 0, 300), [one, one])
    assert both.difference == pytest.approx(2 * 100 / 300 * -0.1)
    assert both.reversed().difference == -both.difference
    assert both.reversed().drop_p_value() == 1.0
    assert 0 < both.drop_p_value() < 0.01
