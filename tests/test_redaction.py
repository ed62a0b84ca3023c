"""Text without the values of keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from longctx import redaction
from longctx.redaction import keep_out, redact_files, redacted, redacted_json

KEY = 'sk-planted/"key"+0'


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    kept = [*redaction._sources]
    monkeypatch.setenv("OWN_KEY", KEY)
    monkeypatch.setenv("SHORT_KEY", "any")
    monkeypatch.setenv("MORE_HEADERS", "x-gateway-token: of-a-header\nx-team: evaluation-team")
    keep_out(lambda: ["OWN_KEY", "SHORT_KEY", "MORE_HEADERS", "UNSET_KEY"])
    yield
    redaction._sources[:] = kept


@pytest.mark.parametrize("said", [KEY, json.dumps(KEY)[1:-1], "sk-planted%2F%22key%22%2B0", "of-a-header"])
def test_a_key_is_not_shown_however_it_is_spelled(said: str) -> None:
    assert redacted(f"the server said {said}!") == "the server said [redacted]!"


def test_short_values_and_other_headers_are_words() -> None:
    assert redacted("any evaluation-team") == "any evaluation-team"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://h/v1?key=abc123&n=1", "http://h/v1?key=[redacted]&n=1"),
        ("http://h/?n=1&amp;access_token=abc", "http://h/?n=1&amp;access_token=[redacted]"),
        ("http://h/?page=2&monkeys=3", "http://h/?page=2&monkeys=[redacted]"),
        ("is it a key=value pair?", "is it a key=value pair?"),
    ],
)
def test_addresses_show_no_key(address: str, shown: str) -> None:
    assert redacted(address) == shown


def test_json_stays_json() -> None:
    line = json.dumps({"why": f"got {KEY}", "trace": {"a": 1}, "labels": [KEY, None]})
    assert json.loads(redacted_json(line)) == {
        "why": "got [redacted]",
        "trace": {"a": 1},
        "labels": ["[redacted]", None],
    }
    same = '{"why": "nothing"}'
    assert redacted_json(same) is same or redacted_json(same) == same


def test_a_key_that_is_the_name_of_a_field_leaves_files_readable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OWN_KEY", "messages")
    tmp_path.joinpath("run.json").write_text(json.dumps({"messages": 1, "why": "messages"}))
    redact_files(tmp_path)
    assert json.loads(tmp_path.joinpath("run.json").read_text()) == {"messages": 1, "why": "[redacted]"}
