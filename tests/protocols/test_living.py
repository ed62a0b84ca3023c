"""Banks that change: another document or question changes only the trials whose prompts hold it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.protocols.collage import VARIANTS
from longctx.protocols.control import RECORDS
from longctx.vocabulary.bank import Bank, Item, Section
from longctx.vocabulary.point import BuiltTrial, Point
from tests.given import words_of
from tests.protocols import Collage, Control
from tests.protocols.bank import small_bank

Make = Callable[[Bank], Point]
PLAIN = [variant for variant in VARIANTS if variant.startswith(("none", "unrelated"))]


def collage(variant: str, budget: int = 320, depth: int = 50) -> Make:
    return lambda bank: Collage(budget, 60, depth, variant, bank=lambda: bank)


def control(record: str) -> Make:
    return lambda bank: Control(60, record, bank=lambda: bank)


CELLS = [*map(collage, VARIANTS), *map(control, RECORDS)]
BANK = small_bank(version=2)


def trials(make: Make, bank: Bank) -> dict[str, BuiltTrial]:
    """Return the trials of all questions by their identities."""
    cell = make(bank)
    built = (cell.build(words_of(type(cell)), seed=3, index=index) for index in cell.indices(1000))
    return {str(trial.identity): trial for trial in built}


def changed(bank: Bank, sections: Mapping[str, Section], items: tuple[Item, ...]) -> Bank:
    made = replace(bank, sections=sections, items=items, digest="another")
    return replace(made, kept=frozenset(map(made.item_name, range(len(items)))))


def with_document(bank: Bank, tokens: int, place: int) -> tuple[Bank, str]:
    """Return the bank with another document, and its text."""
    text = f"Notice of the new ferry, {tokens} words long, at place {place}."
    sections = list(bank.sections.items())
    sections.insert(place, (f"new-{place}", Section(f"new-{place}", text, tokens)))
    return changed(bank, dict(sections), bank.items), text


def with_question(bank: Bank, section: int, place: int) -> tuple[Bank, Item]:
    item = Item("new", f"s{section}", "What is new?", "this", ("that", "those", "these"))
    items = [*bank.items[:place], item, *bank.items[place:]]
    return changed(bank, bank.sections, tuple(items)), item


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CELLS), st.integers(1, 70), st.integers(0, 12))
def test_a_new_document_touches_only_the_trials_that_hold_it(make: Make, tokens: int, place: int) -> None:
    bank, text = with_document(BANK, tokens, place)
    before, after = trials(make, BANK), trials(make, bank)
    assert before.keys() == after.keys()
    for name, trial in after.items():
        assert (trial.user != before[name].user) == (text in trial.user)
        assert (trial.documents != before[name].documents) == (text in trial.user)
        assert trial.expected == before[name].expected


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CELLS), st.integers(0, 11), st.integers(1, 70))
def test_an_edited_document_touches_only_the_trials_that_held_or_hold_it(make: Make, place: int, tokens: int) -> None:
    old = BANK.sections[f"s{place}"]
    new = Section(old.id, "Notice of another office.", tokens)
    after = trials(make, changed(BANK, {**BANK.sections, old.id: new}, BANK.items))
    for name, trial in trials(make, BANK).items():
        if name not in after:
            assert tokens > 60  # a question about a section that is now too long
        elif trial.user != after[name].user:
            assert old.text in trial.user or new.text in after[name].user


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([*map(collage, PLAIN), *map(control, RECORDS)]), st.integers(0, 11), st.integers(0, 24))
def test_a_new_question_touches_no_other(make: Make, section: int, place: int) -> None:
    bank, _ = with_question(BANK, section, place)
    before, after = trials(make, BANK), trials(make, bank)
    assert len(after) == len(before) + 1
    assert {name: trial.user for name, trial in before.items()} == {name: after[name].user for name in before}


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(VARIANTS), st.integers(0, 11))
def test_as_an_example_a_new_question_touches_the_trials_that_hold_it(variant: str, section: int) -> None:
    make = collage(variant)
    bank, item = with_question(BANK, section, 0)
    before, after = trials(make, BANK), trials(make, bank)
    for name, trial in before.items():
        assert (trial.user != after[name].user) == (item.question in after[name].user)


@given(st.integers(0, 23))
def test_a_question_that_is_removed_takes_its_own_trial_with_it(place: int) -> None:
    make = collage("none")
    left = changed(BANK, BANK.sections, (*BANK.items[:place], *BANK.items[place + 1 :]))
    before, after = trials(make, BANK), trials(make, left)
    [gone] = before.keys() - after.keys()
    assert f"/{BANK.item_name(place)}/" in gone
    assert all(trial.user == before[name].user for name, trial in after.items())


def test_an_edited_question_is_another_item() -> None:
    first, *rest = BANK.items
    edited = changed(BANK, BANK.sections, (replace(first, question="What is the fee?"), *rest))
    assert BANK.item_name(0).partition("@")[0] == edited.item_name(0).partition("@")[0]
    assert BANK.item_name(0) != edited.item_name(0)


def test_of_fewer_trials_than_questions_a_new_one_replaces_one_at_most() -> None:
    bank, _ = with_question(BANK, 0, 5)
    cell, grown = (collage("none")(each) for each in (BANK, bank))
    before, after = ({str(each.identity(0, index, 0)) for index in each.indices(10)} for each in (cell, grown))
    assert len(before - after) <= 1


@pytest.mark.parametrize("share", [(0, 6), (5, 6)])
def test_questions_that_cells_share_out_stay_where_they_are(share: tuple[int, int]) -> None:
    def asked(bank: Bank, share: tuple[int, int]) -> set[str]:
        cell = Collage(200, 60, 0, "none", bank=lambda: bank, share=share)
        return {bank.item_name(index) for index in cell.indices(100)}

    bank, _ = with_question(BANK, 0, 0)
    assert asked(BANK, share) <= asked(bank, share)
    parts = [asked(BANK, (place, 6)) for place in range(6)]
    assert sum(map(len, parts)) == len(set().union(*parts)) == len(BANK.items)


def test_collages_of_version_2_never_change() -> None:
    """What is built is pinned: changing it needs another version."""
    trial = collage("two")(BANK).build(words_of(Collage), seed=3, index=0)
    user = hashlib.sha256(trial.user.encode()).hexdigest()[:16]
    assert (str(trial.identity), trial.expected, trial.documents, user) == GOLDEN


GOLDEN = (
    "collage.v2/budget-320-longest-60-depth-50-variant-two/s0-toll@bef2d82c31c8/seed-3/trial-0/repeat-0",
    "B",
    "73fb51d8abea",
    "6e89ba424b72eddb",
)
