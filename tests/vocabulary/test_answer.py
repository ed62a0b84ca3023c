"""The readers of an answer, and what they refuse to guess."""

from __future__ import annotations

import contextlib
import json
import pickle
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.recording.apis.messages import Receipt, to_answer
from longctx.vocabulary.answer import Answer, JudgeUnreadable, Unparseable


def said(text: str) -> Answer:
    return Answer(text, "end_turn", "toy", input_tokens=10)


def sent(*content: dict[str, Any], **more: Any) -> Answer:
    """Return the answer in a message with these blocks."""
    message = {"content": [*content], "model": "toy", "usage": {"input_tokens": 10, "output_tokens": 3}, **more}
    return to_answer(message, Receipt())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It is 12,345.", 12345),
        ("-7", -7),
        ("1,234,567 and 8", 1234567),
        ("no. 12", 12),
        ("12,34", 12),
        ("0012", 12),
        ("1,2345", 1),
    ],
)
def test_integer(text: str, value: int) -> None:
    assert said(text).integer() == value


@given(st.integers(-(10**15), 10**15))
def test_every_integer_is_read_with_and_without_commas(value: int) -> None:
    assert said(f"The answer is {value}.").integer() == said(f"{value:,}").integer() == value


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"),
        ("(C)", "C"),
        ("**D**", "D"),
        ("B) 1847", "B"),
        ("The answer is A.", "A"),
        ("The answer is C, not A.", "C"),
        ("The correct answer is option D", "D"),
        ("I choose C", "C"),
        ("Answer: D", "D"),
        ("Answer: b", "B"),
        ("answer = (c)", "C"),
        ("The answer is 'A'", "A"),
        ("## Answer\nC\nbecause A is wrong", "C"),
        ("**B**\n\nA is wrong", "B"),
        (r"Of A and C, $\boxed{\text{C}}$", "C"),
        ("A) is tempting, but the text says otherwise. So the answer is C.", "C"),
        ("Answer: A? No. Answer: C", "C"),
        ("Answer: A. No, wait.\nAnswer: B.", "B"),
        ("The answer is a bit unclear, B", "B"),
    ],
)
def test_choice(text: str, letter: str) -> None:
    assert said(text).choice() == letter


@pytest.mark.parametrize(
    "text",
    [
        *("", "none of them", "A or B", "Apples", "I'd say", "The answer is a mystery", "The answer is not A"),
        *("Answer: A or B", "The answer is A, B or C", "A\nB", "That is my answer. A dog barks, so C"),
        *("B) because A is wrong", "A careful reading shows that C is right.", "正确答案是C,因为A和B错误"),
    ],
)
def test_a_choice_is_not_guessed(text: str) -> None:
    with pytest.raises(Unparseable):
        said(text).choice()


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        *(("Y", "Y"), ("n", "N"), ("Yes.", "Y"), ("**No**", "N"), ("yes, indeed", "Y"), ("I would say no.", "N")),
        *(("The answer is no.", "N"), ("No, it is not. The answer is Yes", "Y"), ("It says no code, so Y", "Y")),
    ],
)
def test_yes_and_no_are_read_for_their_letters(text: str, letter: str) -> None:
    assert said(text).choice("YN") == letter


@pytest.mark.parametrize("text", ["It contains no such thing", "Yes and no", "Nope", "Not Y"])
def test_yes_and_no_are_not_guessed(text: str) -> None:
    with pytest.raises(Unparseable):
        said(text).choice("YN")
    with pytest.raises(Unparseable):
        said("No.").choice("AN")


@pytest.mark.parametrize("part", ["answer ", "answer: A or B ", "answer ([{<*_ ", "\n* \n", "A or ", "yes ", "(\\"])
def test_a_choice_is_searched_for_in_time_that_grows_with_the_text(part: str) -> None:
    with contextlib.suppress(Unparseable):
        said(part * 20_000).choice("ABCD")
    with contextlib.suppress(Unparseable):
        said(part * 20_000).choice("YN")


def test_tag() -> None:
    assert said("a <code>\n 12 </code> <code>13</code>").tag("code") == "12"
    with pytest.raises(Unparseable, match="no <code>"):
        said("<code>12").tag("code")


@dataclass
class Point:
    x: int
    y: int


def test_json() -> None:
    assert said('Here: {"x": 1}').json() == {"x": 1}
    assert said('```json\n{"x": 1, "y": 2}\n```').json(Point) == Point(1, 2)
    assert said("[1, 2] and {").json(list[int]) == [1, 2]
    with pytest.raises(Unparseable, match=r"x of the reply does not fit"):
        said('{"x": "a", "y": 2}').json(Point)
    with pytest.raises(Unparseable, match="no JSON"):
        said("none").json()


@pytest.mark.parametrize("text", ["[" * 5_000, '{"a":' * 5_000, "{" * 1000 + "[1]"])
def test_hostile_json_is_unparseable_or_read(text: str) -> None:
    try:
        assert said(text).json() == [1]
    except Unparseable:
        assert not text.endswith("]")


def test_a_tag_that_is_never_closed_is_searched_for_once() -> None:
    with pytest.raises(Unparseable, match="no <a>"):
        said("<a>" * 100_000).tag("a")


@pytest.mark.parametrize("text", ["[" * 100_000, "[1," * 30_000, '["a",' * 20_000, "[ " * 50_000])
def test_brackets_without_end_are_tried_a_hundred_times(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    decode = json.JSONDecoder.raw_decode

    def counted(decoder: json.JSONDecoder, text: str, start: int) -> Any:
        tried.append(start)
        return decode(decoder, text, start)

    monkeypatch.setattr(json.JSONDecoder, "raw_decode", counted)
    with pytest.raises(Unparseable, match="no JSON"):
        said(text).json()
    assert len(tried) <= 102


def test_numbers_without_end_are_unparseable() -> None:
    with pytest.raises(Unparseable):
        said("9" * 100_000).integer()


@given(st.text())
def test_no_text_raises_anything_but_unparseable(text: str) -> None:
    answer = said(text)
    for read in (answer.integer, answer.choice, answer.json, lambda: answer.tag("a")):
        try:
            read()
        except Unparseable as error:
            assert len(str(error)) < 300  # noqa: PT017


def test_a_judges_verdict_that_cannot_be_read_is_another_error() -> None:
    with pytest.raises(JudgeUnreadable):
        replace(said(""), told=str).choice("YN")
    assert not issubclass(JudgeUnreadable, Unparseable)


TOOL = {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 1, "b": 2}}


def test_tools_are_called_and_their_errors_are_results() -> None:
    def add(a: int, b: int) -> int:
        return a + b

    other = {**TOOL, "id": "t2", "name": "unknown"}
    wrong = {**TOOL, "id": "t3", "input": {"c": 1}}
    answer = sent({"type": "text", "text": "Let me add."}, TOOL, other, wrong)
    assert answer.text == "Let me add."
    first, second, third = answer.tool_results({"add": add})["content"]
    assert first == {"type": "tool_result", "tool_use_id": "t1", "content": "3"}
    assert second["is_error"]
    assert "There is no tool 'unknown'" in second["content"]
    assert third["is_error"]
    assert third["content"].startswith("TypeError")


@pytest.mark.parametrize("lacks", ["id", "name", "input"])
def test_a_tool_call_without_its_parts_is_unparseable(lacks: str) -> None:
    call = {name: value for name, value in TOOL.items() if name != lacks}
    with pytest.raises(Unparseable, match="a tool call without"):
        sent(call).tool_results({"add": max})


def test_content_citations_and_usage() -> None:
    cited = {"type": "char_location", "cited_text": "a"}
    block = {"type": "text", "text": "a", "citations": [cited]}
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    answer = sent(thinking, block, stop_reason="end_turn")
    assert answer.citations == [cited]
    assert answer.turn == {"role": "assistant", "content": [thinking, block]}
    assert (answer.stop_reason, answer.usage["output_tokens"]) == ("end_turn", 3)
    assert said("a").usage == {}


THINKING = '<think>Is it 7? <b>no</b> {"a": 1} A.</think>'


@pytest.mark.parametrize("thinking", [THINKING, f"\n{THINKING}", THINKING.removeprefix("<think>"), THINKING + THINKING])
def test_thinking_in_the_text_is_not_read_as_the_answer(thinking: str) -> None:
    assert said(f"{thinking} It is 12.").integer() == 12
    assert said(f"{thinking} B").choice("AB") == "B"
    assert said(f"{thinking}<b>yes</b>").tag("b") == "yes"
    assert said(f'{thinking}{{"a": 2}}').json() == {"a": 2}
    assert thinking in said(f"{thinking} It is 12.").text


def test_thinking_without_an_end_leaves_no_answer() -> None:
    with pytest.raises(Unparseable):
        said("<think>It may be 7").integer()


def test_numbers_of_other_scripts_and_widths_are_read() -> None:
    assert said("It is \uff11\uff12\u200b.").integer() == 12


def test_a_choice_tells_what_a_test_compares_it_with_and_is_a_plain_text_otherwise() -> None:
    told: list[tuple[str, str]] = []
    letter = replace(said("The answer is B"), compared=lambda *what: told.append(what)).choice("abc")
    assert not told
    assert letter == "B"
    assert letter != "C"
    assert told == [("ABC", "B"), ("ABC", "C")]
    assert {letter: 1}[str(letter)] == 1
    assert type(pickle.loads(pickle.dumps(letter))) is str
    assert json.dumps(letter) == '"B"'
