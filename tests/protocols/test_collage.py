"""The collage: one needle, its place, the budget, examples from elsewhere."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.choices import choices_in
from longctx.protocols.collage import VARIANTS, CollageAxes
from longctx.protocols.collages import SEPARATOR, SEPARATOR_TOKENS, evidence
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.point import BuiltTrial
from longctx.vocabulary.text import fill
from tests.given import reply, words_of
from tests.protocols import Collage
from tests.protocols.bank import small_bank

BANK = small_bank()
WORDS = words_of(Collage)


def collage(
    depth: int = 50, variant: str = "none", budget: int = 280, bank: Bank = BANK, letters: str | None = None
) -> Collage:
    return Collage(budget, min(budget, 200), depth, variant, letters=letters, bank=lambda: bank)


def record(trial: BuiltTrial) -> str:
    [text] = re.findall(r"<Government Record>\n(.*)\n</Government Record>", trial.user, re.DOTALL)
    return str(text)


def sections(trial: BuiltTrial) -> list[str]:
    return record(trial).split(SEPARATOR)


def needle(trial: BuiltTrial) -> str:
    return BANK.needle(trial.identity.trial).text


@given(st.integers(60, 600), st.integers(0, 100), st.integers(0, 23), st.integers(0, 10**6))
def test_one_copy_of_the_needle_within_the_budget(budget: int, depth: int, index: int, seed: int) -> None:
    trial = collage(depth, budget=budget).build(WORDS, seed, index)
    shown = sections(trial)
    tokens = {section.text: section.tokens for section in BANK.sections.values()}
    assert shown.count(needle(trial)) == 1
    assert len(set(shown)) == len(shown)
    assert sum(tokens[text] + SEPARATOR_TOKENS for text in shown) - SEPARATOR_TOKENS <= budget
    assert shown.index(needle(trial)) == round(depth / 100 * (len(shown) - 1))


@pytest.mark.parametrize(("depth", "place"), [(0, 0), (50, 3), (100, 6)])
def test_beginning_middle_end(depth: int, place: int) -> None:
    shown = sections(collage(depth).build(WORDS, 0, 0))
    assert len(shown) == 7
    assert shown.index(BANK.sections["s0"].text) == place


def test_spread_cells_ask_different_questions_and_of_rounds_no_section_twice_before_all_were_asked() -> None:
    places = "variants = ['none', 'two']\ndepths = ['beginning', 'end']"
    grid = CollageAxes.model_validate(
        tomllib.loads(f"budgets = [280]\nlongest = 200\n{places}\nspread = true\ntrials = 3")
    )
    cells = list(grid.made_cells(lambda: replace(BANK, rounds=True)))
    asked = [index for cell in cells for index in cell.indices(3)]
    assert len({BANK.items[index].section for index in asked}) == len(asked) == len(BANK.sections)
    everything = sorted(index for cell in cells for index in cell.indices(1000))
    assert everything == list(range(len(BANK.items)))
    first = cells[0].build(WORDS, 0, asked[0])
    elsewhere = collage(0, letters="own").build(WORDS, 0, asked[0])
    assert first == elsewhere, "the question is what it is elsewhere"


def test_the_record_is_the_same_in_every_variant_and_but_for_the_needle_at_every_depth() -> None:
    records = {record(collage(50, variant).build(WORDS, 0, 3)) for variant in VARIANTS}
    assert len(records) == 1
    others = [[section for section in sections(trial) if section != needle(trial)] for trial in
              (collage(depth).build(WORDS, 0, 3) for depth in (0, 50, 100))]  # fmt: skip
    assert others[0] == others[1] == others[2]


def test_letters_are_the_same_in_every_cell_and_balanced() -> None:
    letters = [collage(0).build(WORDS, 0, index).expected for index in range(24)]
    assert letters == [collage(100, "five_scratchpad", 600).build(WORDS, 0, index).expected for index in range(24)]
    assert {letter: letters.count(letter) for letter in "ABCD"} == dict.fromkeys("ABCD", 6)


def letter_counts(cell: Collage, indices: Iterable[int]) -> dict[str, int]:
    expected = Counter(cell.build(WORDS, 0, index).expected for index in indices)
    return {letter: expected[letter] for letter in "ABCD"}


def test_own_letters_are_those_of_a_filter_that_kept_a_letter_no_longer() -> None:
    """A model that answers D in doubt keeps the questions whose answer is D in the control."""
    favourite = [index for index in range(24) if collage().build(WORDS, 0, index).expected == "D"]
    kept = small_bank(kept=frozenset(BANK.items[index].id for index in favourite))
    indices = collage(bank=kept, letters="own").indices(24)
    assert letter_counts(collage(bank=kept), indices) == {"A": 0, "B": 0, "C": 0, "D": 6}
    assert max(letter_counts(collage(bank=kept, letters="own"), indices).values()) <= 3


def test_own_letters_are_the_same_in_every_cell_and_balanced_among_questions_in_succession() -> None:
    cell = collage(letters="own")
    order = cell.indices(24)
    assert letter_counts(cell, order) == dict.fromkeys("ABCD", 6)
    assert letter_counts(cell, order[:4]) == dict.fromkeys("ABCD", 1)
    letters = [cell.build(WORDS, 0, index).expected for index in range(24)]
    elsewhere = collage(100, "five_scratchpad", 600, letters="own")
    assert letters == [elsewhere.build(WORDS, 0, index).expected for index in range(24)]
    assert letters != [cell.build(WORDS, 1, index).expected for index in range(24)]


def test_own_letters_of_a_bank_that_lives_are_drawn_question_by_question() -> None:
    bank = small_bank(version=2)
    fewer = replace(bank, items=BANK.items[::2])
    letters = [choices_in(bank, index, 0, "own") for index in range(0, 24, 2)]
    assert letters == [choices_in(fewer, index, 0, "own") for index in range(12)]
    assert letters != [choices_in(bank, index, 0) for index in range(0, 24, 2)]


def test_a_table_draws_own_letters_unless_it_names_those_of_the_control() -> None:
    table = {"budgets": [280], "longest": 200, "depths": ["middle"], "variants": ["none"], "trials": 3}
    own, control = (
        next(iter(CollageAxes.model_validate(table | letters).made_cells(lambda: BANK)))
        for letters in ({}, {"letters": "control"})
    )
    assert (own, control) == (collage(letters="own"), collage())
    assert own.slug == f"{control.slug}-letters-own"
    assert own.build(WORDS, 0, 5).user != control.build(WORDS, 0, 5).user
    assert record(own.build(WORDS, 0, 5)) == record(control.build(WORDS, 0, 5)), "only the letters differ"


@pytest.mark.parametrize(("variant", "count"), [("two", 2), ("five", 5), ("two_scratchpad", 2), ("five_scratchpad", 5)])
def test_examples_come_from_the_collage_and_never_from_the_needle(variant: str, count: int) -> None:
    trial = collage(variant=variant).build(WORDS, 0, 4)
    asked = re.findall(r"<Question>\nWhat is the \w+ of district (\d+)\?", trial.user)
    *examples, question = asked
    assert question == "2"
    assert len(examples) == count
    assert "2" not in examples
    assert all(BANK.sections[f"s{number}"].text in record(trial) for number in examples)


def test_too_few_examples_is_an_error() -> None:
    with pytest.raises(ValueError, match="has questions for 4 examples, not 5"):
        collage(variant="five", budget=120).build(WORDS, 0, 0)


def test_only_kept_questions_are_asked_in_an_order_that_mixes_sections() -> None:
    assert len(collage().indices(100)) == 24
    assert collage().indices(5) == collage().indices(24)[:5]
    assert collage().indices(24) != sorted(collage().indices(24))
    kept = small_bank(kept=frozenset({"s3-toll", "s5-hour"}))
    assert sorted(collage(bank=kept).indices(100)) == [6, 11]


def test_questions_about_long_sections_are_left_out() -> None:
    cell = Collage(280, 35, 0, "none", bank=lambda: BANK)
    assert len(cell.indices(100)) == 12
    assert all(BANK.sections[BANK.items[index].section].tokens <= 35 for index in cell.indices(100))


def test_identity_names_question_and_bank() -> None:
    identity = collage(50, "two").build(WORDS, 7, 3).identity
    assert str(identity) == (
        "collage.v1/budget-280-longest-200-depth-50-variant-two/s1-hour@0123456789ab/seed-7/trial-3/repeat-0"
    )


def test_slug_round_trip() -> None:
    slug = collage(100, "five_scratchpad").slug
    assert slug == "budget-280-longest-200-depth-100-variant-five_scratchpad"


def test_bad_parameters_are_sentences() -> None:
    with pytest.raises(ValueError, match="there is no variant 'six'"):
        collage(variant="six")
    with pytest.raises(ValueError, match="`depths`: 101 is not a percentage"):
        collage(depth=101)


def test_sections_longer_than_the_budget_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"`longest`.* `budgets`.* set `longest` to a number from 1 to 280"):
        Collage(280, 500, 0, "none", bank=lambda: BANK)


def test_filled_in_text_is_not_filled_again() -> None:
    assert fill("{record} {question} {other}", {"record": "{question}", "question": "Q"}) == "{question} Q {other}"


def test_depth_is_the_share_of_the_prompt_before_the_needle() -> None:
    trial = collage(50).build(WORDS, 0, 0)
    assert trial.depth == pytest.approx(trial.user.index(needle(trial)) / len(trial.user))


def test_quotes_are_traced_for_scratchpads() -> None:
    cell = collage(50, "none_scratchpad")
    trial = cell.build(WORDS, 0, 0)
    text = f"<scratchpad>{needle(trial)}</scratchpad><Answer>{trial.expected}</Answer>"
    outcome = trial.judge(reply(text))
    assert outcome.kind == "correct"
    assert outcome.trace == {"quotes": 1, "in_record": 1, "in_needle": 1}


@pytest.mark.parametrize(
    ("depth", "variant", "digest"),
    [
        (0, "none", "8774a188533e8e19"),
        (50, "five_scratchpad", "9b379afa5fc8ee6c"),
    ],
)
def test_golden(depth: int, variant: str, digest: str) -> None:
    """A changed digest means that the test builds other trials: raise its `version` and record anew."""
    assert hashlib.sha256(collage(depth, variant).build(WORDS, 0, 5).user.encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize(
    ("version", "variant", "digest"),
    [
        (1, "none", "f5f662ba23137ca2"),
        (1, "two", "2d9b4b537382257e"),
        (2, "none", "38cf33919403d0a7"),
        (2, "five_scratchpad", "30e27bd0041969a8"),
    ],
)
def test_golden_with_own_letters(version: int, variant: str, digest: str) -> None:
    cell = collage(50, variant, bank=small_bank(version=version), letters="own")
    assert hashlib.sha256(cell.build(WORDS, 0, 5).user.encode()).hexdigest()[:16] == digest


def test_the_answer_begins_as_the_prompt_set_says_but_never_where_a_scratchpad_comes_first() -> None:
    kinds = {"prefill": "On record:", "unrelated_prefill": "As above:", "examples_prefill": "So:"}
    words = {**WORDS, **kinds, "without_prefill": "Say {prefill}"}
    built = {variant: collage(variant=variant).build(words, 0, 0) for variant in VARIANTS}
    begun = {variant: (trial.prefill, trial.without_prefill) for variant, trial in built.items() if trial.prefill}
    assert begun == {
        "none": ("On record:", "Say On record:"),
        "unrelated": ("As above:", "Say As above:"),
        "two": ("So:", "Say So:"),
        "five": ("So:", "Say So:"),
    }
    seeds = {variant: collage(variant=variant).build(WORDS, 0, 0).prefill for variant in VARIANTS}
    assert [variant for variant, prefill in seeds.items() if prefill] == ["none"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_its_pieces_are_the_sections_of_the_record(variant: str) -> None:
    cell = collage(variant=variant, budget=600)
    trial = cell.build(WORDS, 0, 3)
    context = trial.pieces()
    assert [piece.text for piece in context.pieces] == sections(trial)
    assert context.needle is not None
    assert context.pieces[context.needle].text == needle(trial)
    assert context.opening.startswith("Please read the following government record closely")
    before, after = trial.user.split(record(trial))
    assert before == f"{context.opening}\n<Government Record>\n"
    assert after == f"\n</Government Record>\n{context.question}"


def test_a_cited_passage_can_hold_the_answer_only_if_the_needle_does() -> None:
    cell = collage()
    trial = cell.build(WORDS, 0, 3)
    right = choices_in(BANK, 3, 0).answer(trial.expected)
    assert trial.pieces().evidence == (right if right in needle(trial) else "")
    assert evidence("5 Crowns", "The fee is\n5 crowns.") == "5 Crowns"
    assert evidence("5 crowns", "nothing") == ""
