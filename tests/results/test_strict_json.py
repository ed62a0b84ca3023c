"""JSON is read strictly."""

from __future__ import annotations

import json

import pytest

from longctx.results import strict_json
from longctx.results.strict_json import loads


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


def test_more_values_than_the_memory_should_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "MOST_VALUES", 20)
    assert loads("[" + "1, " * 18 + "1]")
    with pytest.raises(ValueError, match="it has more than 20 values"):
        loads(f"[{'[],' * 20}[]]")
    text = json.dumps(['a, [b], {c} and "[[["' * 40, "\\"])
    assert loads(text)[0].startswith("a, [b]"), "what is in texts is no value"
    long = json.dumps(["a" * 20] * 100)
    assert len(loads(long)) == 100, "a longer text may have more"
