"""A nested pytest, in which tests are asked: why a file could not be collected."""

from __future__ import annotations

import pytest

from longctx.plugin.nested import Nested


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "toy.toml has entries that cannot be used:\nwindow: no number",
            "toy.toml has entries that cannot be used: window: no number",
        ),
        ("one sentence\nand more", "one sentence"),
        ("in the file\nE   TypeError: wrong\nE   as it was", "TypeError: wrong"),
    ],
)
def test_a_sentence_that_goes_on_in_the_next_line_is_whole(text: str, why: str) -> None:
    nested = Nested()
    nested.pytest_collectreport(pytest.CollectReport("test_a.py", "failed", text, None))
    assert nested.uncollected == {"test_a.py": why}
