"""Which clusters lost or gained more together than chance explains."""

from __future__ import annotations

import numpy as np
import pytest

from longctx.stats.concentrated import Changed, together


def trials(*lost_of: int, right: int = 4, gained_of: tuple[int, ...] = ()) -> list[Changed]:
    """Return clusters of four trials that were right, of which these numbers were lost, and of four that were wrong."""
    lost = [
        Changed(place, "band", 1.0, -1.0 * (trial < lost)) for place, lost in enumerate(lost_of) for trial in range(4)
    ]
    start = len(lost_of)
    return lost + [
        Changed(start + place, "band", 0.0, 1.0 * (trial < gained))
        for place, gained in enumerate(gained_of)
        for trial in range(4)
    ]


def test_a_document_that_lost_all_is_named_and_those_that_lost_one_each_are_not() -> None:
    assert together(trials(4, *[0] * 49)) == ([0], [])
    assert together(trials(*[1] * 25, *[0] * 25)) == ([], [])


def test_what_was_gained_together_is_named_beside_it() -> None:
    assert together(trials(*[0] * 20, gained_of=(4, *[0] * 29))) == ([], [20])


def test_many_documents_that_lost_all_do_not_hide_each_other() -> None:
    lost, gained = together(trials(*[4] * 5, *[0] * 45, gained_of=(1, 1, 0, 0)))
    assert (lost, gained) == ([0, 1, 2, 3, 4], [])


def test_two_losses_of_a_document_are_chance_where_many_trials_change() -> None:
    lost = [2, 2, *[1] * 12, *[0] * 36]
    assert together(trials(*lost, gained_of=(2, *[1] * 12, *[0] * 10))) == ([], [])


@pytest.mark.parametrize("tests", [1, 7])
def test_tests_share_the_chance(tests: int) -> None:
    assert together(trials(4, *[0] * 99), tests)[0] == [0]
    assert together([], tests) == ([], [])


def test_the_order_of_trials_does_not_matter() -> None:
    given = trials(4, 2, 1, 1, 3, *[0] * 45, gained_of=(1, 1, 2, 0))
    order = np.random.default_rng(0).permutation(len(given))
    assert sorted(together([given[place] for place in order])[0]) == sorted(together(given)[0])


def test_means_of_several_answers_change_in_parts() -> None:
    half = [Changed(0, "band", 1.0, -0.5) for _ in range(6)]
    assert together([*half, *(Changed(1 + place // 6, "band", 1.0, 0.0) for place in range(240))])[0] == [0]
