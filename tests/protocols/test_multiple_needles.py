"""Multiple needles: what a seed builds, how large it is, and which numbers a reply gives."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.haystack import spare
from longctx.vocabulary.point import BuiltTrial
from tests.given import words_of
from tests.protocols import MultipleNeedles
from tests.protocols.tokens import TOKENS_OF, built, count, everything, fitted, judged, taken

WORDS = words_of(MultipleNeedles)
TOKENS = TOKENS_OF[MultipleNeedles]


@st.composite
def cells(draw: st.DrawFn) -> Any:
    keys, values = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    queries = draw(st.integers(1 if values > 1 else 2, max(keys, 2)))
    return MultipleNeedles(draw(st.integers(2500, 6000)), max(keys, queries), values, queries)


def needles(trial: BuiltTrial) -> list[tuple[str, str]]:
    return re.findall(r"^One of the special magic numbers for ([a-z-]+) is: (\d{7})\.$", trial.user, re.MULTILINE)


def test_a_complete_prompt() -> None:
    trial = MultipleNeedles(440, 2, 1, 2).fit(TOKENS).build(WORDS, 0, 0)
    first, second = needles(trial)
    lines = trial.user.split("\n")
    assert lines[0] == (
        "Some special magic numbers are hidden within the following text. Make sure to memorize it. I will quiz you "
        "about the numbers afterwards."
    )
    assert lines[1:-1].count(WORDS["filler"]) == len(lines) - 4 == trial.recorded["fillers"]
    keys = [key for key, number in sorted((first, second), key=lambda pair: trial.expected.index(pair[1]))]
    asked = f"{keys[0]}, and {keys[1]}"
    assert lines[-1] == f"What are all the special magic numbers for {asked} mentioned in the provided text?"
    assert trial.prefill == f"The special magic numbers for {asked} mentioned in the provided text are"


@given(cells(), st.integers(0, 10**6), st.integers(0, 100))
def test_exactly_the_expected_numbers_are_those_of_the_asked_keys(cell: Any, seed: int, index: int) -> None:
    trial = built(cell, seed, index)
    placed = needles(trial)
    assert len(placed) == len({number for _, number in placed}) == cell.keys * cell.values
    assert len({key for key, _ in placed}) == cell.keys
    asked = re.split(", and |, ", re.findall(r"numbers for (.*) mentioned", trial.user)[0])
    assert len(asked) == cell.queries
    assert {number for key, number in placed if key in asked} == set(trial.expected.split())
    assert len(trial.expected.split()) == cell.queries * cell.values


@given(cells(), st.integers(0, 10**6))
def test_what_is_known_of_places_is_so(cell: Any, seed: int) -> None:
    trial = built(cell, seed)
    asked = [f"numbers for {key} is: {number}." for key, number in needles(trial) if number in trial.expected]
    first = min(map(trial.user.index, asked))
    assert trial.depth == trial.user.rindex("One", 0, first) / len(trial.user)
    *marks, question = judged(fitted(cell), trial, everything(trial)).marks
    assert trial.user[question.start :].startswith("What are all the special")
    shown = [(mark.name, trial.user[mark.start : mark.end]) for mark in marks]
    in_order = [line.rpartition(" is: ")[2].rstrip(".") for name, line in shown if name == "needle"]
    assert in_order == trial.expected.split()
    assert sorted(line for _, line in shown) == sorted(
        re.findall(r"^One of the special .* is: \d+\.$", trial.user, re.M)
    )


@given(cells(), st.integers(0, 10**6))
def test_a_prompt_fills_its_window_and_never_exceeds_it(cell: Any, seed: int) -> None:
    kept = spare([2] * (cell.keys * cell.values + cell.queries))
    assert cell.window - count(WORDS["filler"]) - 2 * kept < taken(built(cell, seed)) <= cell.window


def test_needles_are_in_any_order() -> None:
    cell = fitted(MultipleNeedles(2500, 4, 1, 4))
    orders = set()
    for index in range(20):
        trial = cell.build(WORDS, 0, index)
        orders.add(tuple(trial.expected.split().index(number) for _, number in needles(trial)))
    assert len(orders) > 10


def test_another_tokenizer_gets_the_same_keys_and_numbers_in_the_same_order() -> None:
    cell = MultipleNeedles(2500, 4, 2, 2)
    ours, theirs = (cell.fit(tokens).build(WORDS, 0, 0) for tokens in (TOKENS, TOKENS | {"filler": 20.0}))
    assert ours.user != theirs.user
    assert needles(ours) == needles(theirs)


@pytest.mark.parametrize(
    ("keys", "values", "queries", "why"),
    [
        (0, 1, 0, "0 of 0 keys with 1 values each are not possible"),
        (2, 2, 3, "3 of 2 keys with 2 values each are not possible: use at least 1 of each, and no more queries"),
        (4, 1, 1, "one value of one key is a single needle: use at least 2 values, or 2 queries"),
    ],
)
def test_what_cannot_be_asked_is_refused(keys: int, values: int, queries: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        MultipleNeedles(4096, keys, values, queries)


def test_more_keys_than_there_are_words_for_are_refused() -> None:
    words = {**WORDS, "adjectives": "old new", "nouns": "boat hill"}
    with pytest.raises(
        ValueError, match="3 keys are more than half of the 4 that adjectives and nouns make: add words"
    ):
        MultipleNeedles(4096, 3, 1, 3).fit(TOKENS).build(words, 0, 0)


def test_words_of_keys_are_listed_once() -> None:
    for name in ("adjectives", "nouns"):
        listed = WORDS[name].split()
        assert len(set(listed)) == len(listed) > 80


def test_measures_that_cannot_be_right_are_refused() -> None:
    with pytest.raises(ValueError, match="filler would take 0 tokens"):
        MultipleNeedles.declared.counts.values(dict.fromkeys(MultipleNeedles.declared.counts.probes(WORDS), 100))


SOME = fitted(MultipleNeedles(1500, 3, 1, 2))
TRIAL = SOME.build(WORDS, 0, 0)
A, B = TRIAL.expected.split()
OTHER = next(number for _, number in needles(TRIAL) if number not in TRIAL.expected)


@pytest.mark.parametrize(
    ("text", "kind", "returned"),
    [
        (f"{A} {B}", "correct", [A, B]),
        (f"{B}, {A}", "correct", [B, A]),
        (f"{B},{A}", "correct", [B, A]),
        (f"1. {int(A):,}\n2. {int(B):,}.", "correct", [A, B]),
        (f"There are 2 numbers: **{A}** and **{B}**.", "correct", [A, B]),
        (f"{A}", "wrong", [A]),
        (f"{A} {B} {OTHER}", "wrong", [A, B, OTHER]),
        (f"{A} {B}7", "wrong", [A, f"{B}7"]),
        (f"{A} 99999", "wrong", [A, "99999"]),
        ("There are 2.", "unparseable", []),
    ],
)
def test_which_numbers_a_reply_names(text: str, kind: str, returned: list[str]) -> None:
    outcome = judged(SOME, TRIAL, text)
    assert (outcome.kind, (outcome.returned or "").split()) == (kind, returned)


def test_a_number_of_another_key_is_distinguished_from_one_that_was_made_up() -> None:
    trace = judged(SOME, TRIAL, f"{A} {OTHER} 99999").trace
    assert (trace["of_another_key"], trace["nowhere_in_the_text"], trace["matched"]) == (1, 1, 1)
    assert [key for key in trace if key.startswith(("named", "missed"))] == ["named_1", "missed_2"]
