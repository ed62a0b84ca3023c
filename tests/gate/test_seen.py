"""What two earlier runs say of a band."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pandas as pd
import pytest

from longctx.gate.seen import Seen, same_recordings, seen, seen_of
from longctx.results.store import as_frame
from longctx.results.subject import Subject
from tests.summary.test_summary import row

TOY = Subject("some-model", "seed")
SHORT = ("line_retrieval", "short")
LATER = "2026-11-22T00:00:00+00:00"


def rows(*outcomes: str, **fields: Any) -> list[dict[str, Any]]:
    given = {"expected": "7", "band": "short"} | fields
    return [asdict(row(outcome, trial=trial, **given)) for trial, outcome in enumerate(outcomes)]


def frame(*parts: list[dict[str, Any]]) -> pd.DataFrame:
    return as_frame([one for part in parts for one in part])


def test_pairs_that_change_and_rates_have_one_more_of_each_kind() -> None:
    before = frame(rows("correct", "correct", "wrong", "correct"))
    after = frame(rows("correct", "wrong", "correct", "infra_error"))
    found = seen(before, after)[TOY, SHORT]
    assert (found.n, found.discordance, found.rate) == (3, 3 / 5, 5 / 8)
    assert found.together is None


def test_nothing_seen_is_not_nothing_assumed() -> None:
    found = seen(frame(rows(*["correct"] * 8)), frame(rows(*["correct"] * 8)))[TOY, SHORT]
    assert found.discordance == 0.1
    assert found.rate == 17 / 18


@pytest.mark.parametrize(
    ("changes", "together"),
    [([[1, 1], [-1, -1]] * 20, 1.0), ([[1, -1]] * 40, 0.0), ([[0, 0]] * 40, 1.0), ([[1], [0]], None)],
)
def test_how_clusters_hang_together(changes: list[list[int]], together: float | None) -> None:
    assert Seen(changes, right=0).together == (together if together is None else pytest.approx(together, abs=0.03))


def test_a_band_that_one_run_lacks_is_not_seen() -> None:
    both = frame(rows("correct"), rows("correct", scenario="lines-9", band="long"))
    one = frame(rows("correct"), rows("infra_error", scenario="lines-9", band="long"))
    assert list(seen(both, one)) == [(TOY, SHORT)]
    assert seen(both, frame(rows("correct", seed=3))) == {}


def test_another_subject_is_asked_where_there_is_not_the_same() -> None:
    a, b = Seen([[1], [0]], 2), Seen([[-1]], 1)
    found = {(TOY, SHORT): a, (Subject("other", "seed"), SHORT): b}
    assert seen_of(found, TOY, SHORT) == (a, True)
    joined, own = seen_of(found, Subject("new", "seed"), SHORT)
    assert not own
    assert joined == Seen([[1], [0], [-1]], 3)
    assert seen_of(found, TOY, ("passkey", "short")) == (None, False)


def test_recordings_that_both_runs_replay_are_known() -> None:
    before = frame(rows("correct", "wrong"), rows("infra_error"), rows("correct", family="passkey"))
    after = frame(rows("correct", "wrong", recorded_at=LATER), rows("correct", family="passkey"))
    assert same_recordings(before, after).tolist() == [False, False, False, True]
    assert same_recordings(before, frame(rows("correct", model="other"))).tolist() == [False] * 4
