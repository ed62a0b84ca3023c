"""Abstention: what a seed builds, an independent reading of the prompts, and what replies are."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.protocols.abstention import SECTIONS, AbstentionAxes, five_choices, judge_answer
from longctx.protocols.collages import SEPARATOR
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.point import BuiltTrial, Outcome
from longctx.vocabulary.shapes import as_text
from tests.given import reply, words_of
from tests.protocols import Abstention
from tests.protocols.bank import small_bank

BANK = small_bank(version=2)
WORDS = words_of(Abstention)
TOKENS = {"reference": 1.0}
NOT_THERE_TEXT = "The record does not say."


def cell(section: str, budget: int = 280, depth: int = 50, bank: Bank = BANK) -> Abstention:
    return Abstention(budget, 100, depth, section, bank=lambda: bank)


def answers(trial: BuiltTrial) -> dict[str, str]:
    """Read the answers of a prompt by their letters."""
    listed = re.findall(r"<Answers>\n(.*)\n</Answers>", trial.user, re.DOTALL)
    return dict(re.findall(r"^([A-E])\. (.+)$", listed[-1], re.MULTILINE))


def sections(trial: BuiltTrial) -> list[str]:
    [record] = re.findall(r"<Record>\n(.*)\n</Record>", trial.user, re.DOTALL)
    return str(record).split(SEPARATOR)


def answer(trial: BuiltTrial) -> str:
    """Answer a prompt by reading it: the notice of the district that is asked about is in the record, or is not."""
    record = SEPARATOR.join(sections(trial))
    [kind, district] = re.findall(r"What is the (\w+) of district (\d+)\?", trial.user)[-1]
    there = f"The harbour office of district {district} " in record
    wanted = f"right {kind} {district}" if there else NOT_THERE_TEXT
    return next(letter for letter, text in answers(trial).items() if text == wanted)


def test_a_seed_builds_the_same_prompt_for_ever() -> None:
    built = [cell(section, depth=depth).build(WORDS, 7, 5).user for section in SECTIONS for depth in (0, 100)]
    assert [hashlib.sha256(user.encode()).hexdigest()[:32] for user in built] == GOLDEN


# A changed digest means other trials than those on record: raise Abstention.version.
GOLDEN = [
    "2b659ecba4e99dd2e5b99152926b915e",
    "47b27d107a39b57c059214b232591168",
    "1eed2c1f1882870fa440e95726bbe972",
    "b9a503e5eb13f25a226a3201dd4b46dc",
]


@settings(max_examples=30)
@given(st.sampled_from(SECTIONS), st.integers(120, 500), st.integers(0, 100), st.integers(0, 10**6), st.integers(0, 23))
def test_an_independent_reading_gives_the_expected_answer(
    section: str, budget: int, depth: int, seed: int, index: int
) -> None:
    trial = cell(section, budget, depth).build(WORDS, seed, index)
    assert answer(trial) == trial.expected
    assert len(answers(trial)) == 5
    assert (answers(trial)[trial.expected] == NOT_THERE_TEXT) == (section == "absent")
    held = [each for each in BANK.sections.values() if each.text in trial.user]
    assert sum(each.tokens for each in held) <= budget
    assert len(held) == trial.recorded["sections"]
    assert 0 <= trial.depth <= 1


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(0, 23), st.integers(0, 100))
def test_without_its_section_a_record_is_the_same_but_for_what_fills_its_place(
    seed: int, index: int, depth: int
) -> None:
    there, not_there = (cell(section, depth=depth).build(WORDS, seed, index) for section in SECTIONS)
    needle = BANK.needle(index).text
    others = [each for each in sections(there) if each != needle]
    assert [each for each in sections(not_there) if each in others] == others
    assert needle not in sections(not_there)
    assert answers(there) == answers(not_there)
    assert there.identity.item == not_there.identity.item


def test_letters_are_balanced_for_both_answers() -> None:
    for section in SECTIONS:
        letters = [cell(section).build(WORDS, seed, index).expected for seed in range(10) for index in range(24)]
        shares = [letters.count(letter) / len(letters) for letter in "ABCDE"]
        assert all(0.1 < share < 0.3 for share in shares), shares


def test_its_letters_are_drawn_anew_unless_they_are_to_be_those_of_the_control() -> None:
    table = {"budgets": [280], "longest": 100, "sections": ["present"], "trials": 9}
    own, control = (
        next(AbstentionAxes.model_validate(table | letters).made_cells(lambda: BANK))
        for letters in ({}, {"letters": "control"})
    )
    assert own.slug == f"{control.slug}-letters-own"
    assert control == cell("present")
    expected = [[of.build(WORDS, 0, index).expected for index in range(24)] for of in (own, control)]
    assert sum(one == other for one, other in zip(*expected, strict=True)) < 12


THERE, NOT_THERE = (cell(section).build(WORDS, 0, 0) for section in SECTIONS)


def outcome_of(section: str, text: str, stop_reason: str = "end_turn") -> Outcome:
    choices, not_there = five_choices(BANK, 0, 0, NOT_THERE_TEXT, cell(section))
    return judge_answer(reply(text, stop_reason), choices, not_there, section == "present")


def test_inventions_and_needless_refusals_are_distinguished() -> None:
    right, says_not = THERE.expected, NOT_THERE.expected
    wrong = next(letter for letter in "ABCDE" if letter not in (right, says_not))
    assert [
        (outcome.kind, dict(outcome.trace), dict(outcome.checks))
        for outcome in (outcome_of("present", f"<Answer>{letter}</Answer>") for letter in (right, wrong, says_not))
    ] == [
        ("correct", {}, {"answers": True}),
        ("wrong", {}, {"answers": True}),
        ("wrong", {"not_there": 1, "needless_refusal": 1}, {"answers": False}),
    ]
    assert [
        (outcome.kind, dict(outcome.trace), dict(outcome.checks))
        for outcome in (outcome_of("absent", f"<Answer>{letter}</Answer>") for letter in (right, wrong, says_not))
    ] == [("wrong", {"invented": 1}, {}), ("wrong", {"invented": 1}, {}), ("correct", {"not_there": 1}, {})]


def test_a_model_that_refuses_refuses_needlessly_and_an_unreadable_reply_does_not() -> None:
    outcome = outcome_of("present", "", "refusal")
    assert (outcome.kind, outcome.checks) == ("refusal", {"answers": False})
    outcome = outcome_of("present", "I think it is 7 crowns.")
    assert (outcome.kind, outcome.checks) == ("unparseable", {"answers": True})
    assert outcome_of("absent", "<Answer>F</Answer>").kind == "unparseable"


def test_the_gate_judges_the_two_apart() -> None:
    grid = AbstentionAxes(budgets=(200, 400), longest=100, trials={"long": 3}, bands={"short": 200, "long": 400})
    cells = [(grid.gate_band(each), grid.trials_of(each)) for each in grid.made_cells(lambda: BANK)]
    assert cells == [("short present", 0), ("short absent", 0), ("long present", 3), ("long absent", 3)]


def test_matching_words_finds_the_answer_and_does_not_abstain() -> None:
    right = {
        section: sum(cell(section).build(WORDS, 0, index).lexical() for index in range(len(BANK.items)))
        for section in SECTIONS
    }
    assert right["absent"] <= 4
    assert right["present"] > right["absent"]


def test_pieces_are_the_sections_of_the_record() -> None:
    for section, trial in zip(SECTIONS, (THERE, NOT_THERE), strict=True):
        context = trial.pieces()
        assert [piece.text for piece in context.pieces] == sections(trial)
        assert (context.needle is None) == (section == "absent")
        listed = "\n".join(f"{letter}. {text}" for letter, text in answers(trial).items())
        assert listed in as_text(context)


def test_marks_show_the_section_where_it_is() -> None:
    for section, trial in zip(SECTIONS, (THERE, NOT_THERE), strict=True):
        outcome = trial.judge(reply(f"<Answer>{trial.expected}"))
        names = {mark.name for mark in outcome.marks}
        assert ("needle" in names) == (section == "present")
        assert {"question", "answers", "right answer"} <= names


def test_mistakes_are_refused_before_anything_is_asked() -> None:
    with pytest.raises(ValueError, match="`sections`: there is no 'gone': choose from present, absent"):
        cell("gone")
    with pytest.raises(ValueError, match="set `longest` to a number from 1 to 99"):
        cell("absent", budget=100)
    with pytest.raises(ValueError, match="`depths`: 101 is not a percentage"):
        cell("absent", depth=101)
    one = small_bank(1, version=2)
    with pytest.raises(ValueError, match="has no room for another section than s0"):
        cell("absent", bank=one).build(WORDS, 0, 0)
    assert cell("absent").size_tokens(TOKENS) == 280 + 600
