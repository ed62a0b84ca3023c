"""The controls: right section alone, a wrong one, none."""

from __future__ import annotations

import statistics

import pytest

from longctx.corpus.documents import reference_tokens
from longctx.corpus.question_bank import load_bank
from longctx.protocols.control import RECORDS
from longctx.vocabulary.bank import Bank
from tests.given import words_of
from tests.here import HERE
from tests.protocols import Collage, Control
from tests.protocols.bank import small_bank

BANK = small_bank()
WORDS = words_of(Control)


def control(record: str, bank: Bank = BANK, longest: int = 100) -> Control:
    return Control(longest, record, bank=lambda: bank)


def records(record: str, longest: int = 100) -> list[tuple[str, str]]:
    """Return the text of its own section and the prompt of every question."""
    cell = control(record, longest=longest)
    return [(BANK.needle(index).text, cell.build(WORDS, 0, index).user) for index in cell.indices(100)]


def test_right_section_alone() -> None:
    assert all(f"<Government Record>\n{own}\n</Government Record>" in prompt for own, prompt in records("right"))


def test_a_wrong_section_is_never_the_right_one() -> None:
    shown = records("wrong")
    assert all(own not in prompt for own, prompt in shown)
    assert all(sum(section.text in prompt for section in BANK.sections.values()) == 1 for _, prompt in shown)


def test_a_wrong_section_fits_too() -> None:
    long = [section.text for section in BANK.sections.values() if section.tokens > 35]
    assert not any(text in prompt for _, prompt in records("wrong", longest=35) for text in long)


def test_no_record() -> None:
    assert not any(section.text in prompt for _, prompt in records("none") for section in BANK.sections.values())


def test_letters_are_those_of_the_collage() -> None:
    collage = Collage(280, 200, 0, "none", bank=lambda: BANK)
    words = words_of(Collage)
    asked = [(control("right").build(WORDS, 3, index), collage.build(words, 3, index)) for index in range(24)]
    assert all(alone.expected == within.expected for alone, within in asked)
    assert all(alone.identity.item == within.identity.item for alone, within in asked)


def test_all_questions_are_asked_kept_or_not() -> None:
    assert len(control("right", small_bank(kept=frozenset())).indices(100)) == 24
    assert control("right").indices(7) == control("wrong").indices(7)


def test_bad_record() -> None:
    with pytest.raises(ValueError, match="there is no record 'left': choose from right, wrong, none"):
        control("left")


def test_only_the_right_section_is_gated_and_a_section_is_a_cluster() -> None:
    assert [control(record).gated for record in ("right", "wrong", "none")] == [True, False, False]
    assert [control("right").cluster(index) for index in (0, 1, 2)] == ["s0", "s0", "s1"]


def test_without_a_record_the_answer_begins_in_words_of_its_own() -> None:
    words = {**WORDS, "prefill": "By the record:", "no_record_prefill": "I guess:", "without_prefill": "Say {prefill}"}
    built = {record: control(record).build(words, 0, 0) for record in ("right", "none")}
    assert [(trial.prefill, trial.without_prefill) for trial in built.values()] == [
        ("By the record:", "Say By the record:"),
        ("I guess:", "Say I guess:"),
    ]


@pytest.mark.parametrize("name", ["register", "register-gate"])
@pytest.mark.parametrize("record", ["right", "wrong", "none"])
def test_its_estimate_is_that_of_the_prompts_that_are_asked(name: str, record: str) -> None:
    bank = load_bank(HERE, None, None, "toy", name)
    cell = Control(5000, record, bank=lambda: bank)
    tokens = [reference_tokens(cell.build(WORDS, 0, index).user) for index in cell.indices(60)]
    assert cell.size_tokens({"reference": 1.0}) == pytest.approx(statistics.fmean(tokens), rel=0.1)
    assert cell.longest_tokens({"reference": 1.0}) >= max(tokens)


def test_the_lexical_baseline_is_that_of_the_right_section() -> None:
    bank = small_bank()
    words = words_of(Control)
    answers = {}
    for record in RECORDS:
        control = Control(60, record, bank=lambda: bank)
        answers[record] = control.build(words, 0, 0).lexical()
    assert answers == {"right": answers["right"], "wrong": None, "none": None}
    assert isinstance(answers["right"], bool)
