"""Discordance and correlation as two earlier runs show them."""

from __future__ import annotations

from typing import Any

import pytest

from longctx.gate.evidence import Seen, same_recordings, seen_by_band, seen_of
from longctx.results.row import Row, Subject
from tests.rows import joined, run

TOY = Subject("some-model", "protocol")
SHORT = ("line_retrieval", "short")
LATER = "2026-11-22T00:00:00+00:00"


def rows(*outcomes: str, **fields: Any) -> list[Row]:
    return run(*outcomes, **{"expected": "7", "band": "short"} | fields)


def test_pairs_that_change_and_rates_have_one_more_of_each_kind() -> None:
    before = joined(rows("correct", "correct", "wrong", "correct"))
    after = joined(rows("correct", "wrong", "correct", "infra_error"))
    band = seen_by_band(before, after)[TOY, SHORT]
    assert (band.n, band.discordance, band.rate) == (3, 3 / 5, 5 / 8)
    assert band.correlation is None


def test_nothing_seen_is_not_nothing_assumed() -> None:
    band = seen_by_band(joined(rows(*["correct"] * 8)), joined(rows(*["correct"] * 8)))[TOY, SHORT]
    assert band.discordance == 0.1
    assert band.rate == 17 / 18


@pytest.mark.parametrize(
    ("changes", "correlation"),
    [([[1, 1], [-1, -1]] * 20, 1.0), ([[1, -1]] * 40, 0.0), ([[0, 0]] * 40, 1.0), ([[1], [0]], None)],
)
def test_how_trials_of_a_cluster_correlate(changes: list[list[int]], correlation: float | None) -> None:
    assert Seen(changes, right=0).correlation == (
        correlation if correlation is None else pytest.approx(correlation, abs=0.03)
    )


def test_a_band_that_one_run_lacks_is_not_seen() -> None:
    both = joined(rows("correct"), rows("correct", cell="lines-9", band="long"))
    lacking = joined(rows("correct"), rows("infra_error", cell="lines-9", band="long"))
    assert list(seen_by_band(both, lacking)) == [(TOY, SHORT)]
    assert seen_by_band(both, joined(rows("correct", seed=3))) == {}


def test_another_subject_is_asked_where_there_is_not_the_same() -> None:
    a, b = Seen([[1], [0]], 2), Seen([[-1]], 1)
    known = {(TOY, SHORT): a, (Subject("other", "protocol"), SHORT): b}
    assert seen_of(known, TOY, SHORT) == (a, True)
    pooled, own = seen_of(known, Subject("new", "protocol"), SHORT)
    assert not own
    assert pooled == Seen([[1], [0], [-1]], 3)
    assert seen_of(known, TOY, ("passkey", "short")) == (None, False)


def test_recordings_that_both_runs_replay_are_known() -> None:
    before = joined(rows("correct", "wrong"), rows("infra_error"), rows("correct", test="passkey"))
    after = joined(rows("correct", "wrong", recorded_at=LATER), rows("correct", test="passkey"))
    assert same_recordings(before, after) == [False, False, False, True]
    assert same_recordings(before, joined(rows("correct", model="other"))) == [False] * 4
