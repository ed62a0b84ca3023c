"""Validity: whether enough was measured for a verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from longctx.compare.pairs import pairs
from longctx.gate.evidence import by_band
from longctx.gate.validity import unmeasured
from tests.rows import joined, run

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
