"""Validity: whether enough was measured for a verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from longctx.compare.pairs import guessing_of, pairs
from longctx.gate.evidence import by_band
from longctx.gate.validity import AgeLimit, too_old, unmeasured
from longctx.registry import shipped
from tests.rows import joined, row, run

BAND: dict[str, Any] = {"band": "all"}


def reasons(right: int, missing: int = 0, error: str = "overloaded") -> list[str]:
    before = run(*["correct"] * (right + missing), **BAND)
    after = run(*["correct"] * right, *["infra_error"] * missing, **BAND)
    after = [replace(row, error=error if row.outcome == "infra_error" else None) for row in after]
    both = pairs(before, after)
    return list(unmeasured(both, by_band(both)))


def test_all_measured_is_enough() -> None:
    assert reasons(10) == []


def test_one_in_a_hundred_may_be_missing() -> None:
    assert reasons(99, 1) == []
    assert reasons(198, 2) == []


def test_more_is_too_much_and_the_cause_is_reported() -> None:
    assert reasons(98, 2) == ["2 of 100 trials were not measured (2 overloaded)"]
    assert reasons(197, 3) == ["3 of 200 trials were not measured (3 overloaded)"]


@pytest.mark.parametrize(("missing", "too_many"), [(5, False), (6, True)])
def test_one_in_twenty_of_a_band_may_be_missing(missing: int, too_many: bool) -> None:
    long: dict[str, Any] = {"band": "long", "cell": "lines-9"}
    before = joined(run(*["correct"] * 900, **BAND), run(*["correct"] * 100, **long))
    cut = [*["correct"] * (100 - missing), *["infra_error"] * missing]
    both = pairs(before, joined(run(*["correct"] * 900, **BAND), run(*cut, **long)))
    assert bool(list(unmeasured(both, by_band(both)))) == too_many


def test_a_band_with_too_many_missing_is_named() -> None:
    long: dict[str, Any] = {"band": "long", "cell": "lines-9"}
    before = joined(run(*["correct"] * 990, **BAND), run(*["correct"] * 10, **long))
    after = joined(run(*["correct"] * 990, **BAND), run(*["correct"] * 9, "infra_error", **long))
    both = pairs(before, after)
    assert list(unmeasured(both, by_band(both))) == ["1 of 10 trials of the band long were not measured"]


def test_one_stale_trial_is_too_much_and_says_how_to_record_it() -> None:
    [sentence] = reasons(199, 1, error="stale")
    assert sentence.endswith("record them with --ctx-record new_episodes")


NOW = "2026-11-22T00:00:00+00:00"


def proof(before: dict[str, Any], after: dict[str, Any], days: float = 7) -> str:
    return too_old(joined(run("correct", **before)), joined(run("correct", **after)), AgeLimit(NOW, days))


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
    assert too_old(joined(run("correct", **before)), after, AgeLimit(NOW)) == ""


def test_guessing_is_the_best_constant_answer_where_that_is_more_than_chance() -> None:
    collage = shipped()["collage"]
    letters = [row("correct", test="collage", expected=letter) for letter in "DDDDABCD"]
    assert guessing_of(collage, letters) == 0.625
    assert guessing_of(collage, [row("correct", test="collage", expected=letter) for letter in "ABCD" * 3]) == 0.25
    assert guessing_of(collage, [replace(each, expected=None) for each in letters], letters) == 0.625
    assert guessing_of(None, letters, stated=0.5) == 0.5
    assert guessing_of(None, [replace(each, trace={"choices": 4}) for each in letters], stated=0.5) == 0.625
