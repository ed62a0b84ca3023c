"""The README's picture shows today's page: `python -m tools.pictures` takes it again."""

from __future__ import annotations

import pytest

from tests.browser import MISSING, installed
from tools.pictures import GATE, take, words_of


@pytest.mark.skipif(installed() is None, reason=MISSING)
def test_the_picture_of_a_gate_shows_the_words_of_todays_page() -> None:
    shown = words_of(GATE.read_bytes())
    assert "regression" in shown
    assert words_of(take()) == shown
