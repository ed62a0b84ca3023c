"""A bank says why it has no question to ask."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.vocabulary.bank import rank, ranks
from longctx.vocabulary.occurrence import occurs, plain
from tests.protocols.bank import small_bank


@pytest.mark.parametrize(
    ("kept", "asked", "filtered", "why"),
    [
        ((), 0, True, "none of the 4 questions is about a section of at most 9 tokens"),
        (("s0-toll",), 4, False, "none of the 4 questions is about a section of at most 9 tokens"),
        ((), 4, True, "the model's filter keeps none of its 4 questions"),
        (("s0-toll",), 4, True, "the model's filter keeps 1 of 4 questions, and none of these is about a section of at "
         "most 9 tokens"),
    ],
)  # fmt: skip
def test_why_there_is_no_question(kept: tuple[str, ...], asked: int, filtered: bool, why: str) -> None:
    bank = dataclasses.replace(small_bank(2, frozenset(kept)), asked=asked)
    assert bank.why_none(9, filtered) == why


@pytest.mark.parametrize("version", [1, 2])
def test_a_question_is_named_by_its_id_or_its_number(version: int) -> None:
    bank = small_bank(2, version=version)
    assert bank.items[bank.index_of("s1-toll")].id == "s1-toll"
    assert bank.index_of("3") == 3
    with pytest.raises(ValueError, match=r"no question 's1-tol': did you mean 's1-toll'\?"):
        bank.index_of("s1-tol")
    with pytest.raises(ValueError, match=r"no question 'zzz'$"):
        bank.index_of("zzz")
    with pytest.raises(ValueError, match="no question 4: use 0 to 3"):
        bank.index_of("4")


@given(st.text(), st.text())
def test_many_ranks_are_each_the_same_as_one(item: str, section: str) -> None:
    assert ranks("record", 7, item)(section) == rank("record", 7, item, section)


def test_an_answer_in_a_script_without_spaces_occurs_within_a_sentence() -> None:
    text = plain("締切は三月です。料金は百二十円である。")
    assert occurs("百二十円", text)
    assert not occurs("四月", text)
