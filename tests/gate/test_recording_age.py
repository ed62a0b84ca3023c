"""The age of recordings: a changed model needs live answers or young recordings."""

from __future__ import annotations

from typing import Any

import pytest

from longctx.gate.recording_age import AgeLimit
from tests.rows import joined, run

NOW = "2026-11-22T00:00:00+00:00"


def proof(before: dict[str, Any], after: dict[str, Any], days: float = 7) -> str:
    return AgeLimit(NOW, days).too_old(joined(run("correct", **before)), joined(run("correct", **after)))


def test_recordings_speak_for_the_model_they_are_of() -> None:
    assert proof({"model_returned": "m-1"}, {"model_returned": "m-1", "recorded_at": "2020-01-01T00:00:00"}) == ""


@pytest.mark.parametrize("change", [{"model": "new"}, {"model_returned": "m-2"}], ids=["another model", "moved alias"])
def test_a_changed_model_needs_live_answers_or_young_recordings(change: dict[str, Any]) -> None:
    old = {"recorded_at": "2026-11-12T00:00:00+00:00", "source": "replayed", **change}
    assert "1 of 1 answers are recordings of up to 10 days ago, where 7 are allowed (max_age)" in proof({}, old)
    assert proof({}, old, days=11) == ""
    assert "where 0 are allowed" in proof({}, old | {"recorded_at": NOW}, days=0)  # in the same second, too
    assert proof({}, old | {"source": "live"}) == ""


def test_what_a_baseline_heard_from_several_models_is_no_change() -> None:
    before = {"model_returned": "m-1, m-2"}
    after = joined(run("correct", model_returned="m-1"), run("correct", seed=3, model_returned="m-2"))
    assert AgeLimit(NOW).too_old(joined(run("correct", **before)), after) == ""
