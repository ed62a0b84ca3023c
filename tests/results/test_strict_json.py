"""JSON is read strictly."""

from __future__ import annotations

import pytest

from longctx.results.strict_json import first_value, loads


def test_json_is_read() -> None:
    assert loads('{"a": [{"b": 1}, {"b": 2}]}') == {"a": [{"b": 1}, {"b": 2}]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": {"b\\u001b": 1, "b\\u001b": 1}}', "twice"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "digits"),
        ("{", "Expecting"),
        ("{} {}", "Extra data"),
    ],
)
def test_what_json_leaves_open_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as found:
        loads(text)
    assert "\x1b" not in str(found.value)


def test_the_first_value_of_several() -> None:
    assert first_value('\n {"a": 1}\n{"b": 2}') == ({"a": 1}, 10)
