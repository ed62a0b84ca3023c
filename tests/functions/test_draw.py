"""What a test function draws: frozen, and the same whatever its parameters are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.corpus.documents import reference_tokens
from longctx.errors import UserError
from longctx.functions.draw import Draw, Filler
from longctx.vocabulary.bank import Section
from tests.functions.examples import cell_of, trial_of
from tests.here import HERE

CALLS: dict[str, Callable[[Draw], Any]] = {
    "integer": lambda draw: draw.integer(10_000, 99_999),
    "uniform": lambda draw: draw.uniform(-1, 1),
    "choice": lambda draw: draw.choice("abcdefgh"),
    "sample": lambda draw: draw.sample(range(100), 5),
    "uuid": lambda draw: draw.uuid(),
    "words": lambda draw: draw.words(5),
    "filler": lambda draw: draw.filler(300),
    "documents": lambda draw: [document.id for document in draw.documents(tokens=5_000)],
    "operation": lambda draw: draw.operation(800).transcript.messages,
}


def draw_of(index: int = 0, seed: int = 0, function: str = "test_it", **values: Any) -> Draw:
    return Draw(trial_of(cell_of(function, seed, trials=10, **values), index), HERE)


def digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


GOLDEN = {
    "integer": "54b45a5825175269",
    "uniform": "a15acc7840705ab7",
    "choice": "36b66808bdf06477",
    "sample": "12e4f81b52bcb627",
    "uuid": "eb894549142c9944",
    "words": "db7346fed545c4cf",
    "filler": "7128b6275dd7ea49",
    "documents": "168d1cd7d0306d62",
    "operation": "b914c5968ffd56c3",
}
"""What each draws for three items of two seeds: it must never change, or every recording would be stale."""


@pytest.mark.parametrize("name", CALLS)
def test_every_draw_is_frozen(name: str) -> None:
    drawn = [CALLS[name](draw_of(index, seed)) for seed in (0, 7) for index in range(3)]
    assert digest(drawn) == GOLDEN[name]


@pytest.mark.parametrize("name", CALLS)
def test_items_seeds_functions_and_calls_draw_differently(name: str) -> None:
    draw = draw_of()
    drawn = [CALLS[name](each) for each in (draw_of(1), draw_of(seed=1), draw_of(function="test_other"), draw, draw)]
    assert len(set(map(digest, drawn))) > (2 if name == "choice" else 4)


@given(tokens=st.integers(1, 4_000), lines=st.integers(1, 10**6), index=st.integers(0, 9))
@settings(max_examples=15, deadline=None)
def test_parameters_never_change_a_draw(tokens: int, lines: int, index: int) -> None:
    one, other = draw_of(index), draw_of(index, tokens=tokens, lines=lines)
    for name in ("integer", "uniform", "choice", "sample", "uuid", "words"):
        assert CALLS[name](one) == CALLS[name](other)


@given(shorter=st.integers(1, 6_000), longer=st.integers(1, 6_000))
@settings(max_examples=25, deadline=None)
def test_a_shorter_filler_is_the_beginning_of_a_longer_one(shorter: int, longer: int) -> None:
    shorter, longer = sorted((shorter, longer))
    assert draw_of().filler(longer).startswith(draw_of().filler(shorter))


@given(tokens=st.integers(1, 8_000))
@settings(max_examples=15, deadline=None)
def test_a_filler_has_about_its_tokens(tokens: int) -> None:
    assert tokens * 0.9 <= reference_tokens(draw_of(3).filler(tokens)) <= tokens * 1.1 + 150


@given(number=st.integers(0, 5), items=st.integers(0, 3))
@settings(max_examples=10, deadline=None)
def test_a_call_that_is_added_at_the_end_changes_no_other(number: int, items: int) -> None:
    names = list(CALLS)[:5]
    one, other = draw_of(items), draw_of(items)
    before = [CALLS[name](one) for name in names[:number]]
    after = [CALLS[name](other) for name in [*names[:number], "uniform"]]
    assert after[:number] == before


@given(depth=st.floats(0, 1), tokens=st.integers(20, 2_000))
@settings(max_examples=25, deadline=None)
def test_a_text_is_inserted_at_its_depth_between_two_sentences(depth: float, tokens: int) -> None:
    needle = "The refund code is 12345."
    filler = draw_of().filler(tokens)
    text = filler.insert(needle, depth)
    place = text.index(needle)
    longest = max(map(len, filler.replace("\n", ". ").split(". "))) + 4
    assert abs(place - depth * len(filler)) <= longest
    assert place == 0 or text[place - 1].isspace()
    rest = place + len(needle)
    assert rest == len(text) or text[rest].isspace()
    assert sorted(text.replace(needle, "").split()) == sorted(filler.split())


def test_several_texts_are_inserted_and_kept_as_needles() -> None:
    trial = trial_of()
    text = Draw(trial, HERE).filler(200).insert("First.", 0.2).insert("Second.", 0.9)
    assert text.index("First.") < text.index("Second.")
    assert trial.needles == ["First.", "Second."]


def test_a_text_that_is_marked_is_the_needle() -> None:
    trial = trial_of()
    Draw(trial, HERE).filler(200).insert("First.", 0.2).insert("Second.", 0.9, needle=True).insert("First.", 0.5)
    assert trial.needles == ["Second."]


def test_a_filler_of_the_test_s_own_text_needs_no_trial() -> None:
    assert Filler("One. Two.").insert("Here.", 1) == "One. Two. Here."
    assert Filler("").insert("Here.", 0.5) == "Here."


def test_documents_are_the_first_of_more() -> None:
    few, more = draw_of().documents(tokens=3_000), draw_of().documents(tokens=9_000)
    assert more[: len(few)] == few
    assert sum(document.tokens for document in more) <= 9_000
    everything = draw_of().documents()
    assert everything[: len(more)] == more
    assert len({document.id for document in everything}) == len(everything)


@given(low=st.integers(-(10**30), 10**30), span=st.integers(0, 10**30))
@settings(max_examples=50, deadline=None)
def test_integers_of_any_size_are_in_their_range(low: int, span: int) -> None:
    assert low <= draw_of().integer(low, low + span) <= low + span


def test_integers_are_drawn_evenly() -> None:
    draw = draw_of()
    drawn = [draw.integer(0, 3) for _ in range(2_000)]
    assert all(400 < drawn.count(value) < 600 for value in range(4))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda draw: draw.integer(2, 1), "no integer from 2 to 1"),
        (lambda draw: draw.choice([]), "cannot draw 1 different values: there are 0"),
        (lambda draw: draw.sample("ab", 3), "cannot draw 3 different values: there are 2"),
        (lambda draw: draw.words(10**6), "cannot draw 1000000 different words"),
        (lambda draw: draw.filler(10).insert("x", 1.5), "a depth is a share between 0 and 1"),
        (lambda draw: draw.filler(10).insert("x", float("nan")), "a depth is a share between 0 and 1"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(call: Callable[[Draw], object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call(draw_of())


def test_unknown_documents_are_a_sentence() -> None:
    with pytest.raises(UserError):
        draw_of().documents("no-such-bank")


def test_distractors_share_rare_words_and_do_not_answer() -> None:
    like = "the fee for a berth at the quay"
    texts = {"fee": "The fee for a berth is 9 crowns.", "berth": "A berth at the quay.", "dog": "Dogs are welcome."}
    documents = [Section(name, text, 10) for name, text in texts.items()]
    drawn = draw_of().distractors(like, 2, answer="9 crowns", bank=documents)
    assert [section.id for section in drawn] == ["berth", "dog"]
    with pytest.raises(ValueError, match="3 distractors"):
        draw_of().distractors(like, 3, answer="9 crowns", bank=documents)


def test_distractors_are_the_same_in_every_trial_and_no_draw_after_them_changes() -> None:
    first, second = draw_of(0), draw_of(1)
    assert first.distractors("cod on the ridge", 2) == second.distractors("cod on the ridge", 2)
    assert first.integer(0, 10**9) == draw_of(0).integer(0, 10**9)


def test_what_is_shared_is_the_same_for_all_items_of_a_context() -> None:
    def drawn(index: int, **values: Any) -> list[object]:
        draw = draw_of(index, of_one_context=5, **values)
        return [draw.shared().integer(1, 10**9), draw.shared().words(3), draw.shared().integer(1, 10**9)]

    assert drawn(0) == drawn(4) == drawn(2, tokens=9)
    assert drawn(5) != drawn(4)
    first, _, third = drawn(0)
    assert first != third, "each call has a stream of its own"


def test_what_an_item_draws_does_not_depend_on_what_it_shares() -> None:
    apart, sharing = draw_of(3), draw_of(3, of_one_context=5)
    sharing.shared().filler(100)
    assert [sharing.integer(1, 10**9), sharing.uuid()] == [apart.integer(1, 10**9), apart.uuid()]


def test_cases_share_by_their_cluster_and_alone_nothing() -> None:
    items = (("a", "one"), ("b", "two"), ("c", "one"), ("d", ""), ("e", ""))
    drawn = [draw_of(index, items=items).shared().integer(1, 10**9) for index in range(5)]
    assert drawn[0] == drawn[2]
    assert len(set(drawn)) == 4


def test_the_shared_stream_is_frozen() -> None:
    assert draw_of(7, of_one_context=4).shared().integer(1, 10**9) == 320256761


def test_values_in_turn_come_equally_often() -> None:
    assert "".join(draw_of(index).in_turn("abc") for index in range(7)) == "abcabca"
