"""Prompts that a server cut, by the tokens that it counted; and counts that look like that and are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from longctx.config.models import ModelProfile
from longctx.recording.cut_prompts import CutPrompts, cut_prompts_sentence, prompt_text

MODEL = ModelProfile(model="toy")
OTHER = ModelProfile(model="other")
WORDS = "The ferry leaves the harbour at noon, and comes back late. "
"""13 tokens of the reference vocabulary, in 59 characters."""


def body(text: str, **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}], **more}


def cut(*requests: tuple[str, int], model: ModelProfile = MODEL, **more: Any) -> list[int]:
    """Return the numbers of the requests, each a text and its count, that were cut."""
    prompts = CutPrompts()
    for number, (text, counted) in enumerate(requests):
        prompts.add(str(number), model, body(text, **more), counted)
    return sorted(map(int, prompts.found()))


def test_a_count_below_half_of_the_estimate_is_a_cut_prompt() -> None:
    assert cut((WORDS * 460, 2048), (WORDS * 460, 6500)) == [0]


@pytest.mark.parametrize("tokens", [3500, 6000, 9000])
def test_other_tokenizers_count_otherwise(tokens: int) -> None:
    assert cut((WORDS * 460, tokens)) == []


def test_three_equal_counts_of_unequal_prompts_are_a_limit() -> None:
    assert cut((WORDS * 160, 2048), (WORDS * 200, 2048), (WORDS * 250, 2048), (WORDS * 100, 1300)) == [0, 1, 2]
    assert cut((WORDS * 160, 2048), (WORDS * 250, 2048)) == []


def test_equal_counts_of_prompts_that_fill_a_window_are_none() -> None:
    assert cut(*[(WORDS * (157 + number), 2048) for number in range(12)]) == []


def test_equal_counts_below_the_largest_are_chance() -> None:
    assert cut((WORDS * 80, 1000), (WORDS * 85, 1000), (WORDS * 70, 1000), (WORDS * 100, 1100)) == []


def test_other_languages_are_longer_by_one_of_two_measures() -> None:
    """1,000 tokens are 4,500 characters of English, and 1,500 of Chinese."""
    chinese = "渡轮中午离开港口晚上很晚才回来。"
    assert cut((WORDS * 77, 1000), (chinese * 90, 1000), (chinese * 92, 1000), (WORDS * 78, 1000)) == []


def test_each_model_has_its_own_limit() -> None:
    prompts = CutPrompts()
    for number, model in enumerate([MODEL, OTHER, MODEL]):
        prompts.add(str(number), model, body(WORDS * (160 + 45 * number)), 2048)
    assert prompts.found() == {}


@pytest.mark.parametrize(
    ("text", "counted", "more"),
    [
        (WORDS, 3, {}),  # short
        (WORDS * 460, 0, {}),  # not counted
        (WORDS * 460, 900, {"context_management": {"edits": []}}),  # cleared by the server itself
    ],
)
def test_what_cannot_be_told(text: str, counted: int, more: dict[str, Any]) -> None:
    assert cut((text, counted), (text * 2, counted), (text * 3, counted), **more) == []


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        [{"type": "document", "source": {"type": "text", "data": "a"}}, {"type": "text", "text": "b"}],
        [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "a\nb"}]}],
        [
            {"type": "thinking", "thinking": "long", "text": "x"},
            {"type": "image", "source": {"type": "base64", "data": "A" * 99}},
            {"type": "text", "text": "a\nb"},
        ],
    ],
)
def test_images_and_thoughts_are_no_text(content: Sequence[dict[str, Any]]) -> None:
    text = prompt_text({"system": "s", "messages": [{"role": "user", "content": content}]})
    assert "".join(text.split()) == "sab"


def test_the_sentence_names_both_sizes() -> None:
    prompts = CutPrompts()
    prompts.add("0", MODEL, body(WORDS * 460), 2048)
    said = cut_prompts_sentence("toy", prompts.found(), 6)
    assert "1 of 6 trials" in said
    assert "2,048 input tokens for prompts of up to about" in said
