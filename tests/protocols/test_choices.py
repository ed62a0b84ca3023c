"""Letters of multiple-choice questions."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.choices import LETTERS, Choices, balanced_letters, choices, judge_answer
from longctx.vocabulary.bank import Item
from tests.given import reply

FOUR = Choices("Which?", ("one", "two", "three", "four"), "B")


@given(st.integers(0, 500), st.integers(0, 2**32 - 1))
def test_letters_are_balanced(count: int, seed: int) -> None:
    letters = Counter(balanced_letters(count, np.random.RandomState(seed)))
    assert sum(letters.values()) == count
    assert max(letters.values(), default=0) - min((letters[letter] for letter in LETTERS), default=0) <= 1


@given(st.sampled_from(LETTERS), st.integers(0, 2**32 - 1))
def test_the_right_answer_is_under_its_letter(letter: str, seed: int) -> None:
    item = Item("q", "s", "?", "yes", ("no", "never", "hardly"))
    drawn = choices(item, letter, np.random.RandomState(seed))
    assert drawn.answers[LETTERS.index(letter)] == "yes"
    assert sorted(drawn.answers) == ["hardly", "never", "no", "yes"]
    assert f"{letter}. yes" in str(drawn).splitlines()


@pytest.mark.parametrize(
    ("text", "kind", "returned"),
    [
        ("<Answer>B. two</Answer>", "correct", "B"),
        ("Let me see.\n<Answer>\n B\n</Answer>", "correct", "B"),
        ("<Answer>B. two", "correct", "B"),
        ("<answer >b</answer>", "correct", "B"),
        ("<Answer>B</Answer> and again <Answer>B. two</Answer>", "correct", "B"),
        ("<Answer>C</Answer>", "wrong", "C"),
        ("<Answer>B</Answer> or <Answer>C</Answer>", "unparseable", "B/C"),
        ("<Answer>E</Answer>", "unparseable", "E"),
        ("<Answer></Answer>", "unparseable", None),
        ("The answer is B.", "unparseable", None),
        ("", "unparseable", None),
    ],
)
def test_judge(text: str, kind: str, returned: str | None) -> None:
    outcome = judge_answer(reply(text), FOUR)
    assert (outcome.kind, outcome.returned) == (kind, returned)


def test_cut_off_before_an_answer_is_truncated() -> None:
    assert judge_answer(reply("<scratchpad>a long quo", "max_tokens"), FOUR).kind == "truncated"
    assert judge_answer(reply("<Answer>B", "max_tokens"), FOUR).kind == "correct"


def test_refusal() -> None:
    assert judge_answer(reply("<Answer>B</Answer>", "refusal"), FOUR).kind == "refusal"
