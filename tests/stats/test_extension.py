"""Trials that were seen count: what they lost takes more, what they gained takes fewer, and the sum decides."""

from __future__ import annotations

import math

import pytest

from longctx.stats.averaged import Averaged
from longctx.stats.bound import trials_to_settle
from longctx.stats.extension import trials_to_rule_out, trials_to_show

MARGIN, LEVEL = 0.05, 0.005


def seen(gained: int, lost: int, n: int) -> Averaged:
    return Averaged.of_changes([[1]] * gained + [[-1]] * lost + [[0]] * (n - gained - lost))


def test_what_was_lost_takes_more_trials_and_what_was_gained_fewer() -> None:
    fewer, even, more = (trials_to_rule_out(seen(*of, 100), MARGIN, LEVEL, 0.9) for of in ((8, 2), (5, 5), (2, 8)))
    assert fewer is not None
    assert even is not None
    assert more is not None
    assert 100 < fewer < even < more


def test_few_trials_that_were_seen_are_planned_as_if_none_had_been() -> None:
    assert trials_to_rule_out(seen(1, 1, 20), MARGIN, LEVEL, 0.9) == pytest.approx(
        trials_to_settle(3 / 22, MARGIN, LEVEL), rel=0.02
    )


def test_the_bound_of_all_rules_the_margin_out_if_the_further_ones_are_as_unlucky_as_planned() -> None:
    n = trials_to_rule_out(seen(10, 14, 200), MARGIN, LEVEL, 0.9)
    assert n is not None
    changed = 25 / 202 * (n - 200)
    lost = round((changed + 1.2816 * math.sqrt(changed)) / 2)
    all_ = seen(10 + round(changed) - lost, 14 + lost, n)
    assert all_.drop_bound(LEVEL) == pytest.approx(MARGIN, abs=0.002)


@pytest.mark.parametrize("lost", [3, 12])
def test_a_drop_that_goes_on_is_shown(lost: int) -> None:
    n = trials_to_show(seen(0, lost, lost), LEVEL, 0.9)
    assert n is not None
    assert seen(0, n, n).drop_p_value(mid=True) <= LEVEL < seen(0, n - 2, n - 2).drop_p_value(mid=True) or n == lost + 1


def test_clusters_take_more_trials() -> None:
    alone, together = seen(4, 4, 80), Averaged.of_changes([[1, 1], [-1, -1], [1, 1], [-1, -1], *[[0, 0]] * 36])
    counts = [trials_to_rule_out(of, MARGIN, LEVEL, 0.9) for of in (alone, together)]
    assert None not in counts
    assert (counts[0] or 0) < (counts[1] or 0)
    shows = [trials_to_show(Averaged([*of.answers, [((1,), (0,))]]), LEVEL, 0.9) for of in (alone, together)]
    assert (shows[0] or 0) < (shows[1] or 0)


def test_a_later_answer_to_the_same_trial_is_not_taken_for_a_steadier_one() -> None:
    """The mean of two answers varies less than the single answer of a trial that is new."""
    answers = [((1,), (1, 0))] * 6 + [((0,), (0, 1))] * 6 + [((1,), (1, 1))] * 18
    twice, once = Averaged([[trial] for trial in answers]), seen(3, 3, 30)
    counts = [trials_to_rule_out(of, MARGIN, LEVEL, 0.9) for of in (twice, once)]
    assert (counts[0] or 0) > 0.9 * (counts[1] or 0)
