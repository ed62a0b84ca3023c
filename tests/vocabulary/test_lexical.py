"""The lexical baseline: what matching words answers, and its twin that is written another way."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.corpus.question_bank import load_bank
from longctx.protocols.choices import choices_in
from longctx.protocols.collage import answered_by_words
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.lexical import lexical_baseline, lexically_right, most_alike
from tests.here import HERE
from tests.protocols import Collage

WORDS = st.lists(st.sampled_from("fee gate ship crown dog night".split()), min_size=1, max_size=6).map(" ".join)
SECTIONS = st.lists(WORDS, min_size=1, max_size=6)


def test_a_rare_word_outweighs_several_common_ones() -> None:
    sections = ["The ship sails at night.", "The ship sails by day.", "The ship and the dredger sail by day."]
    assert lexical_baseline(sections, "When does the ship sail by day with the dredger?").section == 2


def test_of_equals_the_first_counts() -> None:
    assert lexical_baseline(["a fee", "a fee"], "fee?", ["x", "y"]) == lexical_baseline(["a fee"], "fee?", ["x", "y"])


def test_the_longest_verbatim_option_is_the_answer_and_connecting_words_do_not_count() -> None:
    section = "It was closed because the gate of the lock had broken."
    assert lexical_baseline([section], "Why?", ["The gate", "Because the gate of the lock had broken"]).option == 1


def test_without_a_verbatim_option_the_one_with_most_words_in_the_section_is() -> None:
    assert (
        lexical_baseline(["The gate of the lock broke."], "Why?", ["A dog bit the keeper", "The lock broke"]).option
        == 1
    )


def test_a_free_answer_is_found_if_the_section_holds_it() -> None:
    sections = ["The fee is 5 crowns.", "Dogs cost 9 crowns."]
    assert lexically_right(sections, "What do dogs cost?", "9 crowns")
    assert not lexically_right(sections, "What is the fee?", "9 crowns")


def test_it_needs_a_section() -> None:
    with pytest.raises(ValueError, match="at least one section"):
        lexical_baseline([], "What?")


@given(SECTIONS, WORDS)
def test_a_section_more_that_shares_no_word_changes_nothing(sections: list[str], question: str) -> None:
    longer = lexical_baseline([*sections, "unrelated prose"], question, ["x"])
    picked = longer.section
    assert picked < len(sections) or not any(set(question.split()) & set(text.split()) for text in sections)


@given(SECTIONS, WORDS)
def test_the_most_alike_section_is_the_one_that_the_baseline_picks(sections: list[str], like: str) -> None:
    ranked = most_alike(sections, like)
    assert sorted(ranked) == list(range(len(sections)))
    assert ranked[0] == lexical_baseline(sections, like).section


def test_a_distractor_does_not_hold_the_answer() -> None:
    sections = ["The fee of dogs is 9 crowns.", "The fee of cats is 7 crowns."]
    assert most_alike(sections, "What is the fee of dogs?", ["9 crowns"]) == [1]


COMMON = set("a an and any are as at be been but by did do does for from had has have he his if in into is it its no "
             "not of on or she so than that the their them there these they this those to up was were what when where "
             "which while who will with".split())  # fmt: skip


def twin(texts: list[str], question: str, options: tuple[str, ...]) -> str:
    """Answer as the lexical baseline does, by counting products of shares instead of adding logarithms."""

    def tokens(text: str) -> list[str]:
        text = text.lower().replace("’", "'").replace("–", "-")
        text = re.sub(r"'s\b|(?<=\d)[.,](?=\d{3}\b)", "", text)
        return re.findall(r"\d+(?:[.,]\d+)+|[^\W_]+(?:['-][^\W_]+)*", text)

    held = [set(tokens(text)) for text in texts]
    asked = set(tokens(question)) - COMMON

    def rarity(words: set[str]) -> Fraction:
        product = Fraction(1)
        for word in asked & words:
            product *= Fraction(len(texts), sum(word in other for other in held))
        return product

    best = max(range(len(texts)), key=lambda place: rarity(held[place]))
    line = " ".join(tokens(texts[best]))

    def stripped(option: str) -> str:
        words = tokens(option)
        while words and words[0] in {"because", "that", "if", "it", "the", "a", "an", "to", "of", "by", "in"}:
            words.pop(0)
        return " ".join(words)

    verbatim = [option for option in options if re.search(rf"(?<!\S){re.escape(stripped(option))}(?!\S)", line)]
    if verbatim:
        return max(verbatim, key=lambda option: len(stripped(option)))

    def share(option: str) -> Fraction:
        own = set(tokens(option)) - COMMON
        return Fraction(len(own & held[best]), len(own)) if own else Fraction(0)

    return max(options, key=share)


@pytest.mark.parametrize(("name", "budget"), [("register", 70_000), ("register-gate", 30_000)])
def test_the_twin_answers_the_shipped_banks_alike(name: str, budget: int) -> None:
    """Matching words alone answers nearly everything that these banks ask, at protocol lengths."""
    bank: Bank = load_bank(HERE, None, None, "", name)
    collage = Collage(budget, 5000, 50, "none", bank=lambda: bank)
    right = []
    for index in collage.indices(12):
        choices = choices_in(bank, index, 0)
        texts = [piece.text for piece in collage.build(WORDING, 0, index).pieces().pieces]
        right.append(twin(texts, choices.question, choices.answers) == choices.answer(choices.right))
        assert right[-1] == answered_by_words(collage, index)
    assert sum(right) >= 11


WORDING = dict.fromkeys(Collage.declared.templates, "{record}{question}{answers}") | {"system": "", "prefill": ""}
