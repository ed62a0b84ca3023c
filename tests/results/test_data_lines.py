"""Data as lines for people."""

from __future__ import annotations

from typing import Any

from longctx.results.data_lines import MOST_DEPTH, data_lines


def test_entries_and_lines_of_texts() -> None:
    data = {"b": [1, "x", {"c": None}], "a": "one\ntwo", "e": {}, "t": True}
    assert [*data_lines(data)] == [
        "a:",
        "  one",
        "  two",
        "b:",
        "  - 1",
        "  - x",
        "  -",
        "    c: null",
        "e: {}",
        "t: true",
    ]


def test_credentials_of_requests_are_left_out_and_fields_of_cases_are_not() -> None:
    data = {"pass_key": "1234567", "text": f"sk-ant-{'a' * 20}"}
    assert [*data_lines(data)] == ["pass_key: [redacted]", "text: [redacted]"]
    assert [*data_lines(data, 100)] == ["pass_key: 1234567", "text: [redacted]"]


def test_a_long_text_of_a_case_is_folded() -> None:
    [label, head, rest] = data_lines({"text": "x" * 30 + "\ud800"}, 10)
    assert (label, head) == ("text:", "  " + "x" * 10)
    assert rest.startswith("  … 21 more characters, SHA-256 ")
    assert rest != [*data_lines({"text": "x" * 29 + "y\ud800"}, 10)][2]


def test_deep_nesting_ends_in_one_line() -> None:
    deep: Any = "end"
    for _ in range(200):
        deep = {"a": deep}
    assert len([*data_lines(deep)]) == MOST_DEPTH + 1
