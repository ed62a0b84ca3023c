"""The Little Retrieval Test: what a seed builds, and how a reply is judged."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.line_retrieval import File
from longctx.protocols.line_retrieval import judge_answer as judge_reply
from longctx.vocabulary.point import BuiltTrial
from tests.given import reply, words_of
from tests.protocols import LineRetrieval

WORDS = words_of(LineRetrieval)

INSTRUCTION = re.compile(
    r"\[EXECUTE THIS\]: Go to line (\d+) and report only REGISTER_CONTENT, without any context or additional text, "
    r"just the number, then EXIT"
)

LINE = re.compile(r"line (\d+): REGISTER_CONTENT is <(\d+)>")


@dataclass(frozen=True)
class Read:
    """Show a prompt as a reader of the report sees it.

    lines: line numbers and values, in order. place: how many lines stand before the instruction. target: the line that
    it asks for.
    """

    lines: list[tuple[int, int]]
    place: int
    target: int


def read(user: str) -> Read:
    header, empty, *body = user.split("\n")
    assert (header, empty, body.pop()) == ("Testing Long Context", "", "")
    [(place, target)] = [(place, match[1]) for place, line in enumerate(body) if (match := INSTRUCTION.fullmatch(line))]
    del body[place]
    lines = [(int(match[1]), int(match[2])) for line in body if (match := LINE.fullmatch(line))]
    assert len(lines) == len(body)
    return Read(lines, place, int(target))


def build(slug: str, seed: int = 0, index: int = 0) -> BuiltTrial:
    return LineRetrieval.from_slug(slug).build(WORDS, seed, index)


@st.composite
def cells(draw: st.DrawFn) -> Any:
    lines = draw(st.integers(1, 150))
    return LineRetrieval(lines, draw(st.none() | st.integers(1, lines)))


TRIALS = st.builds(
    lambda cell, seed, index: cell.build(WORDS, seed, index),
    cells(),
    st.integers(0, 2**70),
    st.integers(0, 10_000),
)


def test_a_complete_prompt() -> None:
    trial = build("lines-5-block_size-2", index=2)
    assert trial.system == ""
    assert trial.user == (
        "Testing Long Context\n"
        "\n"
        "line 3: REGISTER_CONTENT is <14056>\n"
        "line 4: REGISTER_CONTENT is <38790>\n"
        "line 1: REGISTER_CONTENT is <15768>\n"
        "line 2: REGISTER_CONTENT is <49340>\n"
        "[EXECUTE THIS]: Go to line 3 and report only REGISTER_CONTENT, without any context or additional text, "
        "just the number, then EXIT\n"
        "line 5: REGISTER_CONTENT is <324>\n"
    )
    assert (trial.expected, trial.max_tokens) == ("14056", 10)
    assert trial.depth == pytest.approx(22 / 330)


@given(TRIALS)
def test_every_line_occurs_once_with_its_own_value(trial: BuiltTrial) -> None:
    file = read(trial.user)
    numbers, values = zip(*file.lines, strict=True)
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert len(set(values)) == len(values)
    assert 1 <= min(values) <= max(values) <= 50_000


def test_a_long_file_has_room_for_distinct_values() -> None:
    values = [value for _, value in read(build("lines-30000").user).lines]
    assert len(set(values)) == 30_000
    assert 50_000 < max(values) <= 60_000


@given(TRIALS)
def test_the_line_that_the_instruction_names_holds_the_answer(trial: BuiltTrial) -> None:
    file = read(trial.user)
    assert str(dict(file.lines)[file.target]) == trial.expected


@given(TRIALS)
def test_depth_is_the_share_of_text_before_the_target_line(trial: BuiltTrial) -> None:
    rest = trial.user[round(trial.depth * len(trial.user)) :]
    assert rest.startswith(f"line {read(trial.user).target}: REGISTER_CONTENT is <{trial.expected}>\n")


@given(cells(), st.integers(0, 10_000))
def test_blocks_keep_their_lines_together_and_in_order(cell: Any, index: int) -> None:
    order = [number for number, _ in read(cell.build(WORDS, 0, index).user).lines]
    size = cell.block_size or cell.lines
    blocks = [list(range(start, min(start + size, cell.lines + 1))) for start in range(1, cell.lines + 1, size)]
    for block in blocks:
        place = order.index(block[0])
        assert order[place : place + len(block)] == block


@given(st.integers(1, 150), st.integers(0, 10_000))
def test_without_blocks_lines_are_in_order(lines: int, index: int) -> None:
    file = read(build(f"lines-{lines}", index=index).user)
    assert [number for number, _ in file.lines] == list(range(1, lines + 1))


@pytest.mark.parametrize("block_size", [1, 3])
def test_blocks_take_every_order(block_size: int) -> None:
    orders = set()
    for index in range(100):
        file = read(build(f"lines-{3 * block_size}-block_size-{block_size}", index=index).user)
        orders.add(tuple(number for number, _ in file.lines))
    assert len(orders) == 6


def test_the_last_block_may_be_short_and_anywhere() -> None:
    places = set()
    for index in range(50):
        file = read(build("lines-7-block_size-3", index=index).user)
        places.add([number for number, _ in file.lines].index(7))
    assert places == {0, 3, 6}


def test_target_and_instruction_are_anywhere_and_apart() -> None:
    files = [read(build("lines-3", index=index).user) for index in range(200)]
    assert {(prompt.target, prompt.place) for prompt in files} == {
        (target, place) for target in (1, 2, 3) for place in range(4)
    }


@given(cells(), st.integers(0, 2**70), st.integers(0, 10_000))
def test_a_prompt_follows_from_cell_seed_and_index_alone(cell: Any, seed: int, index: int) -> None:
    user = cell.build(WORDS, seed, index).user
    assert cell.build(WORDS, seed, index).user == user
    assert cell.build(WORDS, seed, index, repeat=1).user == user
    assert cell.build(WORDS, seed, index + 1).user != user
    assert cell.build(WORDS, seed + 1, index).user != user


def test_a_repeat_is_another_trial_of_the_same_prompt() -> None:
    first, second = (LineRetrieval(5).build(WORDS, 7, 3, repeat) for repeat in (0, 1))
    assert first.user == second.user
    assert str(first.identity) == "line_retrieval.v1/lines-5/seed-7/trial-3/repeat-0"
    assert str(second.identity) == "line_retrieval.v1/lines-5/seed-7/trial-3/repeat-1"


def test_room_for_the_reply_does_not_change_the_question() -> None:
    short, roomy = LineRetrieval(5).build(WORDS, 0, 0), LineRetrieval(5, max_tokens=500).build(WORDS, 0, 0)
    assert (short.user, short.identity) == (roomy.user, roomy.identity)
    assert roomy.max_tokens == 500


def test_other_wording_is_taken_to_the_letter() -> None:
    words = {
        "system": "Be 100% brief.",
        "header": "%d {line}",
        "line": "<{value}> 5%s in {line}, {line}",
        "instruction": "100%: {line}?",
    }
    trial = LineRetrieval(2).build(words, 0, 0)
    values = {line: value for value, line in re.findall(r"<(\d+)> 5%s in (\d)", trial.user)}
    first, second = values["1"], values["2"]
    header, empty, *body = trial.user.splitlines()
    assert (trial.system, header, empty) == ("Be 100% brief.", "%d {line}", "")
    lines = [f"<{first}> 5%s in 1, 1", f"<{second}> 5%s in 2, 2"]
    assert sorted(body) in (sorted([*lines, "100%: 1?"]), sorted([*lines, "100%: 2?"]))


@pytest.mark.parametrize(
    ("lines", "block_size", "message"),
    [
        (0, None, "at least 1 line, not 0"),
        (-3, None, "at least 1 line, not -3"),
        (5, 0, r"block_size 0 does not fit a file of 5 lines: use 1 \(full shuffle\) to 5, or leave it out"),
        (5, 6, "block_size 6 does not fit a file of 5 lines"),
    ],
)
def test_impossible_files_are_refused(lines: int, block_size: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LineRetrieval(lines, block_size)


def test_size_follows_the_tokens_of_a_line() -> None:
    assert LineRetrieval(1000).size_tokens({"line": 15.0}) == 15_100


VALUES = [2156, 9805, 6668, 1432, 6727, 3936, 1805, 431, 1720, 6794]
"""The values of lines 1 to 10 in the source document's sample, which asks for line 5."""

ORDER = [7, 3, 1, 9, 4, 8, 6, 10, 2, 5]


def judged(text: str, stop_reason: str = "end_turn") -> tuple[str, str | None, dict[str, int]]:
    file = File(np.array(ORDER), np.array(VALUES), target=5)
    outcome = judge_reply(reply(text, stop_reason), file)
    assert outcome.why
    return outcome.kind, outcome.returned, dict(outcome.trace)


@pytest.mark.parametrize("text", ["6727", "<6727>", "6727\n", " The number is 6727, not 9805.", "6727EXIT"])
def test_the_target_value_is_correct(text: str) -> None:
    assert judged(text) == ("correct", "6727", {})


@pytest.mark.parametrize(
    ("text", "line", "line_distance", "place_distance"),
    [("2156", 1, -4, -7), ("6794.", 10, 5, -2), ("REGISTER_CONTENT is <9805>", 2, -3, -1)],
)
def test_the_value_of_another_line_is_traced(text: str, line: int, line_distance: int, place_distance: int) -> None:
    trace = {"line": line, "line_distance": line_distance, "place_distance": place_distance}
    assert judged(text) == ("wrong", str(VALUES[line - 1]), trace)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("line 5: REGISTER_CONTENT is <6727>", 5),
        ("Line 9 says <1720>", 9),
        ("**line** 12: <6727>", 12),
        ("5", 5),
        ("8", 8),
        ("10", 10),
    ],
)
def test_the_number_of_a_line_is_an_echo(text: str, number: int) -> None:
    assert judged(text) == ("wrong", str(number), {"echoed_line": number})


@pytest.mark.parametrize("text", ["54321", "67270", "9" * 40, "0"])
def test_a_number_that_is_nowhere_has_no_trace(text: str) -> None:
    assert judged(text) == ("wrong", text, {})


@pytest.mark.parametrize(
    ("text", "stop_reason", "kind", "returned"),
    [
        ("", "end_turn", "unparseable", None),
        ("REGISTER_CONTENT", "end_turn", "unparseable", None),
        ("I cannot help with that.", "refusal", "refusal", None),
        ("6727", "refusal", "refusal", None),
        ("The content of the register is", "max_tokens", "truncated", None),
        ("The content is <672", "max_tokens", "truncated", "672"),
        ("The content is <6727", "max_tokens", "correct", "6727"),
        ("6727 is the content of", "max_tokens", "correct", "6727"),
        ("9805 is the content of", "max_tokens", "wrong", "9805"),
    ],
)
def test_replies_that_end_early_or_hold_no_number(text: str, stop_reason: str, kind: str, returned: str | None) -> None:
    assert judged(text, stop_reason)[:2] == (kind, returned)


def test_the_trace_is_a_clear_sentence() -> None:
    file = File(np.array(ORDER), np.array(VALUES), target=5)
    outcome = judge_reply(reply("6794"), file)
    assert outcome.why == "the value of line 10, not of line 5: +5 in line number, -2 in place"


def test_the_targets_number_is_an_echo_though_it_is_another_lines_value() -> None:
    file = File(np.array(ORDER), np.array([5, *VALUES[1:]]), target=5)
    outcome = judge_reply(reply("5"), file)
    assert outcome.why == "an echo of line number 5 (asked for line 5)"


def test_a_value_after_the_word_line_is_no_echo() -> None:
    trace = {"line": 2, "line_distance": -3, "place_distance": -1}
    assert judged("The content of that line: 9805") == ("wrong", "9805", trace)


def test_the_target_value_with_leading_zeros_is_not_traced_to_another_line() -> None:
    kind, _, trace = judged("06727")
    assert kind == "correct" or "line" not in trace
