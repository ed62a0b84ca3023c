"""Collages with sections that resemble the needle in words and do not answer."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from pydantic import ValidationError

from longctx.corpus.question_bank import load_bank
from longctx.protocols.collage import CollageAxes
from longctx.vocabulary.lexical import most_alike
from longctx.vocabulary.occurrence import occurs, plain
from tests.given import words_of
from tests.here import HERE
from tests.protocols import Collage
from tests.protocols.bank import small_bank

WORDS = words_of(Collage)
GATE = load_bank(HERE, None, None, "", "register-gate")


def collage(number: int | None, budget: int = 40_000) -> Collage:
    return Collage(budget, 2_000, 50, "none", bank=lambda: GATE, distractors=number)


def sections(cell: Collage, index: int) -> list[str]:
    return [piece.text for piece in cell.build(WORDS, 0, index).pieces().pieces]


@pytest.fixture(scope="module", name="index")
def of_item() -> int:
    return collage(16).indices(1)[0]


@pytest.mark.parametrize("number", [0, 1, 4, 16])
def test_a_collage_holds_so_many_of_the_sections_most_like_its_needle(number: int, index: int) -> None:
    item, needle = GATE.items[index], GATE.needle(index).text
    others = [each.text for each in GATE.sections.values() if each.text != needle and each.tokens <= 2_000]
    alike = [others[place] for place in most_alike(others, item.question, [item.right])[:16]]
    held = sections(collage(number), index)
    assert [text in held for text in alike] == [True] * number + [False] * (16 - number)
    assert held.count(needle) == 1
    assert not any(occurs(item.right, plain(text)) for text in alike)


def test_another_number_of_distractors_changes_little_else(index: int) -> None:
    without, four = set(sections(collage(0), index)), set(sections(collage(4), index))
    assert len(four - without) <= 6
    assert len(without & four) > 20


def test_a_collage_of_distractors_stays_within_its_budget(index: int) -> None:
    tokens = {each.text: each.tokens for each in GATE.sections.values()}
    assert 38_000 < sum(tokens[text] + 4 for text in sections(collage(16), index)) - 4 <= 40_000


def test_a_question_whose_distractors_do_not_fit_is_not_asked() -> None:
    bank = small_bank(version=2)
    small = Collage(100, 60, 50, "none", bank=lambda: bank, distractors=16)
    assert not small.indices(10)
    assert "contains 16 distractors" in small.items.why_empty
    assert replace(small, distractors=1).indices(10)


def test_distractors_are_in_the_name_only_where_they_are_given() -> None:
    assert collage(None).slug == "budget-40000-longest-2000-depth-50-variant-none"
    assert collage(0).slug == "budget-40000-longest-2000-depth-50-variant-none-distractors-0"
    assert Collage.from_slug(collage(4).slug, bank=lambda: GATE) == collage(4)


GOLDEN = {0: "21bd053e1626227e", 4: "c395b3e0c3aa25ea", 16: "2f0447db2858f2dd"}


@pytest.mark.parametrize("number", GOLDEN)
def test_prompts_with_distractors_are_frozen(number: int, index: int) -> None:
    built = collage(number).build(WORDS, 0, index)
    assert hashlib.sha256(built.user.encode()).hexdigest()[:16] == GOLDEN[number]


def test_distractors_come_from_any_bank_and_a_small_one_may_have_too_few() -> None:
    bank = small_bank(version=2)
    few = Collage(400, 60, 50, "none", bank=lambda: bank, distractors=3)
    assert few.indices(5)
    assert not replace(few, distractors=16).indices(5)


@pytest.mark.parametrize(("given", "read"), [(4, (4,)), ([0, 1, 4, 16], (0, 1, 4, 16))])
def test_a_table_gives_one_number_or_several(given: object, read: tuple[int, ...]) -> None:
    assert CollageAxes(budgets=(3000,), trials=1, distractors=given).distractors == read  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [17, -1, [], True, [2, "3"]])
def test_other_numbers_are_refused(given: object) -> None:
    with pytest.raises(ValidationError):
        CollageAxes(budgets=(3000,), trials=1, distractors=given)  # type: ignore[arg-type]


def test_several_questions_about_one_collage_have_no_distractors() -> None:
    with pytest.raises(ValueError, match="remove `questions`"):
        replace(collage(4), questions=2)
