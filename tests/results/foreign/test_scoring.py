"""Scores of raw answers."""

from __future__ import annotations

import pytest

from longctx.results.foreign.scoring import score


@pytest.mark.parametrize("name", ["contains", "share", "exact"])
@pytest.mark.parametrize("expected", ["12345", "12 345", "12\u202f345", "12,345"])
def test_a_number_is_right_however_its_thousands_are_grouped(name: str, expected: str) -> None:
    assert score(name, "12345", expected) == score(name, "12,345", [expected]) == 1.0
    assert score(name, "12346", expected) == 0.0
