"""Losses at several values of a parameter: what is ruled out, what is lost, and how many more items would tell."""

from __future__ import annotations

import numpy as np
import pytest

from longctx.stats.averaged import AnswerPair, Averaged, difference
from longctx.stats.losses import MARGIN, Losses, accuracy_of_best, behind, probes_needed
from longctx.stats.paired import Paired


def changes(n: int, lost: int, gained: int = 0) -> Paired:
    return Paired(gained, lost, n)


def test_a_loss_is_ruled_out_up_to_the_first_value_that_fails() -> None:
    said = Losses.of(8, {32: changes(100, 30), 16: changes(100, 1), 64: changes(100, 1), 128: changes(100, 6)})
    assert [each.value for each in said.each] == [16, 32, 64, 128]
    assert [each.value for each in said.ruled_out] == [16], "64 comes after a value that failed"
    assert [each.value for each in said.lost] == [32]
    assert [each.value for each in said.open] == [64, 128]
    [loss] = said.lost
    low, high = loss.interval
    assert loss.loss == pytest.approx(0.3)
    assert 0.15 < low < 0.3 < high < 0.5


def test_few_items_tell_nothing_and_how_many_more_would() -> None:
    [loss] = Losses.of(8, {16: changes(20, 1, 1)}).open
    more = loss.more()
    assert more is not None
    assert more % 10 == 0
    assert Losses.of(8, {16: changes(20 + more, (20 + more) // 20, (20 + more) // 20)}).ruled_out
    [loss] = Losses.of(8, {16: changes(20, 3)}).open
    assert loss.more() is not None


def test_no_item_in_common() -> None:
    [loss] = Losses.of(8, {16: Paired(0, 0, 0)}).open
    assert (loss.n, loss.bound, loss.interval) == (0, 1.0, (-1.0, 1.0))


def test_items_that_change_together_tell_less() -> None:
    apart = Losses.of(8, {16: changes(100, 8)}).each[0]
    together = Losses.of(8, {16: Averaged.of_changes([[-1] * 4, [-1] * 4, *[[0] * 4] * 23])}).each[0]
    assert together.bound > apart.bound
    assert together.interval[0] < apart.interval[0]


def test_the_items_that_a_question_takes() -> None:
    assert probes_needed(0.05, MARGIN) < probes_needed(0.1, MARGIN) < probes_needed(0.1, MARGIN / 2)


@pytest.mark.parametrize("repeats", [1, 3, 5])
def test_repeats_hide_no_loss(repeats: int) -> None:
    """A quarter of what was right is lost, spread over 60 items: never ruled out at a margin of 10 points."""
    random = np.random.default_rng(repeats)
    losses = []
    for _ in range(50):
        before, after = (random.random((60, repeats)) < rate for rate in (0.95, 0.7))
        sides = (map(tuple, side.astype(int).tolist()) for side in (before, after))
        trials: list[AnswerPair] = list(zip(*sides, strict=True))
        losses += Losses.of(8, {16: difference([trial] for trial in trials)}).each
    assert not any(loss.bound < MARGIN for loss in losses)
    assert sum(loss.significant for loss in losses) > 40


def test_items_of_few_sessions_take_more() -> None:
    """Ten sessions of 12 probes, of which nothing was lost: more probes of as many sessions do not help."""
    [loss] = Losses.of(8, {16: Averaged.of_changes([[0] * 12] * 10)}).each
    assert loss.bound > MARGIN
    more = loss.more()
    assert more is not None
    sessions = (120 + more) // 12
    assert sessions > 20
    assert Losses.of(8, {16: Averaged.of_changes([[0] * 12] * sessions)}).ruled_out


def test_how_far_each_is_behind_whichever_is_the_best() -> None:
    pairs = {(1, 4): changes(100, 0, 30), (1, 16): changes(100, 0, 31), (4, 16): changes(100, 1, 2)}
    found = behind((1, 4, 16), pairs)
    assert [each.beaten for each in found.values()] == [True, False, False]
    assert found[1].most > 0.3
    assert 0.01 < found[16].most < found[4].most < MARGIN
    alone = behind((1, 4), {(1, 4): changes(100, 0, 30)})
    assert (alone[4].most, alone[4].beaten) == (0.0, False), "it is the best"
    assert behind((1, 4), {(1, 4): changes(0, 0)})[1].most == 1.0


def test_the_accuracy_of_the_best_is_not_raised_by_its_choice() -> None:
    """Five values of the same accuracy: the best of them seems better."""
    random = np.random.default_rng(1)
    raw, corrected = [], []
    for _ in range(100):
        answers = (random.random((40, 5)) < 0.8).astype(float)
        raw.append(answers.mean(axis=0).max())
        corrected.append(accuracy_of_best(answers.tolist()))
    assert np.mean(raw) > 0.85
    assert np.mean(corrected) == pytest.approx(0.8, abs=0.02)
    assert accuracy_of_best([[1.0, 0.0]]) == 1.0
