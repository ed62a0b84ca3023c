"""What judges an answer, as digests in its row."""

from __future__ import annotations

import pytest

from longctx.results.judged_by import OTHER_EXPECTED, OTHER_JUDGE, JudgedBy, changed, judge_digests, prompt_without
from tests.rows import row

JUDGED: dict[JudgedBy, list[object]] = {
    "case": [{"id": "a", "answer": "7"}],
    "judge": ["m"],
    "judge_prompt": ["Right?"],
}


def judged_by(**parts: list[object]) -> str | None:
    return judge_digests({**JUDGED, **parts})  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ({}, ""),
        ({"case": [{"id": "a", "answer": ""}]}, OTHER_EXPECTED),
        ({"judge": ["other"]}, OTHER_JUDGE),
        ({"judge_prompt": ["Kind?"]}, OTHER_JUDGE),
        ({"judge_prompt": [None]}, ""),
        ({"accepted": [["7"]]}, ""),
        ({"judge": [], "judge_prompt": []}, ""),
    ],
)
def test_what_is_known_of_both_is_compared(parts: dict[str, list[object]], error: str) -> None:
    """A trial that fails before it reaches its judge has no digest of it."""
    assert changed(row(judged_by=judged_by()), row(judged_by=judged_by(**parts))) == error


def test_rows_of_earlier_versions_have_none_and_have_not_changed() -> None:
    assert changed(row(), row(judged_by=judged_by())) == changed(row(judged_by=judged_by()), row()) == ""
    assert changed(row(expected="7"), row(expected="8")) == OTHER_EXPECTED


def test_each_of_several_probes_is_compared() -> None:
    before = row(judged_by=judge_digests({"accepted": [["a"], ["b"]]}))
    assert changed(before, row(judged_by=judge_digests({"accepted": [["a"]]}))) == ""
    assert changed(before, row(judged_by=judge_digests({"accepted": [["a"], ["c"]]}))) == OTHER_EXPECTED


def test_a_judges_prompt_is_known_without_the_answer_and_what_was_sent() -> None:
    said = ["Berth 4 is free.", "The fourth berth, said the harbour."]
    prompts = {
        prompt_without(f"Harbour\nIs it right?\n{answer}\nYN", [f" {answer}\n"], "Harbour\nx") for answer in said
    }
    assert prompts == {"Is it right?\n\0\nYN"}


@pytest.mark.parametrize("answer", ["", "4", "an answer that was cut"])
def test_a_prompt_without_the_answer_is_not_known(answer: str) -> None:
    assert prompt_without("Is it right? 4", [answer], "") is None
