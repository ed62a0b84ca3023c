"""Where the level of a track shifted, and which runs are compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from longctx.gate.verdict import Rules
from longctx.history.levels import LevelShift, level_shifts
from longctx.history.tracks import tracks
from longctx.registry import shipped
from longctx.results.baseline import Baseline
from longctx.results.row import Row
from tests.history.kept import kept, outcomes


def found(*runs: Baseline) -> list[LevelShift]:
    return level_shifts(tracks(runs, Rules(), shipped()), 0.05)


def test_a_shift_is_found_at_the_run_that_shows_it() -> None:
    rights = (90, 92, 91, 70, 68)
    [shift] = found(*(kept(day, outcomes(right)) for day, right in enumerate(rights, 1)))
    assert (shift.family, shift.band) == ("line_retrieval", "all")
    assert (shift.last.kept.name, shift.point.kept.name) == ("day3", "day4")
    assert (shift.before.correct, shift.before.n, shift.after.correct, shift.after.n) == (273, 300, 138, 200)
    assert found(*(kept(day, outcomes(90 + day % 2)) for day in range(1, 6))) == []


def test_answers_that_are_replayed_again_and_again_count_once() -> None:
    """85 and 82 of 100 are one level; nine runs of the same two recordings show no more."""
    first = [kept(day, outcomes(85), answers="first") for day in range(1, 10)]
    then = [kept(day, outcomes(82), answers="then") for day in range(10, 19)]
    assert found(*first, *then) == []
    assert found(*(kept(day, outcomes(85 if day < 10 else 78)) for day in range(1, 19)))


def test_the_same_answers_judged_otherwise_are_a_shift_too() -> None:
    """A new version of what judges the answers is a shift of its own."""
    assert found(kept(1, outcomes(90), answers="same"), kept(2, outcomes(60), answers="same"))


def test_moments_are_compared_on_the_trials_that_all_ask() -> None:
    """A harder scenario that joins a band is no shift of its level; nor are other trials, of another seed."""
    hard: dict[str, Any] = {"scenario": "lines-9", "params": {"lines": 9, "block_size": None}}
    assert found(kept(1, outcomes(90)), kept(2, outcomes(91), outcomes(20, **hard))) == []
    assert found(kept(1, outcomes(90)), kept(2, outcomes(20, seed=7))) == []
    assert found(kept(1, outcomes(90)), kept(2, outcomes(20, version=2))) == []
    [shift] = found(kept(1, outcomes(90)), kept(2, outcomes(60), outcomes(20, **hard)))
    assert shift.after.n == 100


@pytest.mark.parametrize(("clusters", "shifts"), [(100, 1), (10, 0)])
def test_a_cluster_is_one_trial(clusters: int, shifts: int) -> None:
    """Twenty answers are lost: of as many sections, or of two of ten."""

    def clustered(right: int) -> list[Row]:
        rows = outcomes(right)
        return [
            row
            for part in range(clusters)
            for row in _in(rows[part * 100 // clusters :][: 100 // clusters], f"section-{part}")
        ]

    assert len(found(kept(1, clustered(90)), kept(2, clustered(70)))) == shifts


def _in(rows: list[Row], cluster: str) -> list[Row]:
    return [replace(row, cluster=cluster) for row in rows]


def test_alpha_is_shared_by_all_bands_of_a_page() -> None:
    two = kept(1, outcomes(90)), kept(2, outcomes(83))
    assert found(*two)
    bands = [f"band-{number}" for number in range(20)]
    many = [
        kept(day, *(outcomes(right if band == "band-0" else 90, band=band, scenario=band) for band in bands))
        for day, right in ((1, 90), (2, 83))
    ]
    assert found(*many) == []


def test_three_points_lost_are_named_after_one_run() -> None:
    """The same trials are right: pooled counts of 540 and 522 of 600 would be one level."""
    [shift] = found(kept(1, outcomes(540, n=600)), kept(2, outcomes(522, n=600)))
    assert (shift.before.correct, shift.after.correct) == (540, 522)


def test_each_run_of_a_point_is_a_column_and_a_level_shifts_between_points() -> None:
    """Three runs at one point are no series of their own."""
    three = kept(1, *(outcomes(90 - 4 * repeat, repeat=repeat) for repeat in range(3)))
    assert found(three) == []
    [shift] = found(three, kept(2, outcomes(60)))
    assert (shift.last.kept.name, shift.point.kept.name) == ("day1", "day2")
    assert (shift.before.n, shift.after.n) == (300, 100)
