"""Passkey retrieval: what a seed builds, where the key stands, and how a reply is judged."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from longctx.protocols.passkey import document, fillers, judge_answer, spaced
from longctx.vocabulary.point import BuiltTrial
from tests.given import reply, words_of
from tests.protocols import Passkey
from tests.protocols.tokens import TOKENS_OF, measured

WORDS = words_of(Passkey)

TOKENS = TOKENS_OF[Passkey]


def count(text: str) -> int:
    """Return how many words a text has: the tokens of a simple tokenizer."""
    return len(text.split())


def build(slug: str, seed: int = 0, index: int = 0) -> BuiltTrial:
    return replace(Passkey.from_slug(slug), tokens=TOKENS).build(WORDS, seed, index)


@st.composite
def fitted(draw: st.DrawFn) -> Any:
    """Draw a cell whose window can hold the fixed text, for any tokenizer."""
    fixed = draw(st.integers(10, 500))
    tokens = {"filler": draw(st.floats(1, 200)), "fixed": fixed, "after_key": draw(st.integers(1, fixed))}
    window = draw(st.integers(fixed + 16, 2_000_000))
    return Passkey(window, draw(st.integers(1, window)), tokens=tokens)


def test_a_document_is_figure_3_to_the_letter() -> None:
    text, key_ends = document(WORDS, "12345", 2, 1)
    assert text == (
        "There is an important info hidden inside a lot of irrelevant text. Find it and memorize them. "
        "I will quiz you about the important information there.\n"
        "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. "
        "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\n"
        "The pass key is 12345. Remember it. 12345 is the pass key.\n"
        "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\n"
        "What is the pass key? The pass key is"
    )
    assert text[:key_ends].endswith("Remember it. 12345")


@pytest.mark.parametrize(("before", "after", "lines"), [(0, 0, 3), (1, 0, 4), (0, 1, 4), (2, 2, 5)])
def test_a_filler_that_is_nowhere_leaves_no_empty_line(before: int, after: int, lines: int) -> None:
    text, _ = document(WORDS, "12345", before, after)
    assert [bool(line) for line in text.split("\n")] == [True] * lines


def test_a_complete_prompt() -> None:
    trial = build("window-170-k-40")
    assert trial.user == document(WORDS, trial.expected, 1, 1)[0]
    assert trial.recorded == {"fillers_before": 1, "fillers_after": 1}
    assert (trial.system, trial.max_tokens, trial.distance_from_end) == ("", 16, 39)


@given(st.integers(0, 2**70), st.integers(0, 10_000))
def test_the_key_has_five_digits_and_occurs_twice(seed: int, index: int) -> None:
    trial = build("window-200-k-100", seed, index)
    assert re.fullmatch(r"[1-9]\d{4}", trial.expected)
    assert re.findall(r"\d+", trial.user) == [trial.expected] * 2


@given(st.integers(0, 2**70), st.integers(0, 10_000))
def test_a_prompt_follows_from_cell_seed_and_index_alone(seed: int, index: int) -> None:
    cell = Passkey(200, 100, tokens=TOKENS)
    trial = cell.build(WORDS, seed, index)
    again = cell.build(WORDS, seed, index, repeat=1)
    assert again.user == trial.user
    assert replace(again, identity=trial.identity) == trial
    assert str(again.identity) == f"passkey.v1/window-200-k-100/seed-{seed}/trial-{index}/repeat-1"


def test_trials_have_their_own_keys() -> None:
    assert len({build(f"window-200-k-{k}", index=index).expected for k in range(90, 100) for index in range(10)}) > 95


@given(fitted())
def test_fillers_fill_the_window_and_never_exceed_it(cell: Any) -> None:
    before, after = fillers(cell)
    tokens = cell.counted
    assert min(before, after) >= 0
    taken = tokens["fixed"] + (before + after) * tokens["filler"] + cell.max_tokens
    assert taken <= cell.window + 1e-6
    assert taken + tokens["filler"] > cell.window - 1e-6


@given(fitted())
def test_the_key_is_as_near_to_k_as_fillers_allow(cell: Any) -> None:
    before, after = fillers(cell)
    tokens = cell.counted
    nearest, farthest = tokens["after_key"], tokens["after_key"] + (before + after) * tokens["filler"]
    reachable = min(max(cell.k, nearest), farthest)
    assert abs(tokens["after_key"] + after * tokens["filler"] - reachable) <= tokens["filler"] / 2 + 1e-6


@given(fitted())
def test_the_largest_k_has_no_filler_before_the_key(cell: Any) -> None:
    before, _ = fillers(replace(cell, k=cell.window))
    assert before == 0


@given(st.integers(70, 3000), st.data())
def test_a_measured_tokenizer_finds_the_window_filled(window: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, window))
    trial = Passkey(window, k).fit(measured(Passkey, count)).build(WORDS, 0, 0)
    filler = count(WORDS["filler"])
    assert window - filler < count(trial.user) + trial.max_tokens <= window
    key_begins = round(trial.depth * len(trial.user))
    assert trial.distance_from_end == count(trial.user[key_begins + len(trial.expected) :])


@given(st.integers(1, 50), st.integers(1, 50), st.integers(20, 400), st.integers(0, 400))
def test_measures_count_what_a_chat_template_adds(filler: int, after_key: int, through_key: int, template: int) -> None:
    fixed = template + through_key + after_key
    counts = {
        "fixed": fixed,
        "through_key": template + through_key,
        "10 fillers each": fixed + 20 * filler,
        "40 fillers each": fixed + 80 * filler,
    }
    assert Passkey.declared.counts.values(counts) == {"filler": filler, "fixed": fixed, "after_key": after_key}


def test_the_fixed_text_takes_the_tokens_of_newlines_that_only_fillers_bring() -> None:
    counts = {"fixed": 94, "through_key": 79, "10 fillers each": 94 + 480 + 2, "40 fillers each": 94 + 1920 + 2}
    assert Passkey.declared.counts.values(counts) == {"filler": 24, "fixed": 96, "after_key": 15}


def test_probes_cover_what_measures_need() -> None:
    assert measured(Passkey, count) == {"filler": 19, "fixed": 47, "after_key": 13}


def test_trials_with_the_same_prefix_begin_alike() -> None:
    near, far = build("window-2048-k-500"), build("window-2048-k-501")
    assert near.prefix == far.prefix
    before_key = near.user.index("The pass key is")
    assert near.user[:before_key] == far.user[:before_key]


def test_prefixes_sort_by_falling_k() -> None:
    prefixes = [build(f"window-2048-k-{k}").prefix for k in spaced(2048, 32)]
    assert prefixes == sorted(prefixes, reverse=True)


def test_a_window_smaller_than_the_fixed_text_is_refused() -> None:
    with pytest.raises(ValueError, match=r"window of 109 .* fixed text of 94 and its answer of 16: use at least 110"):
        Passkey(109, 50).fit({"filler": 24, "fixed": 94, "after_key": 15})


def test_a_window_as_small_as_the_fixed_text_holds_no_filler() -> None:
    assert fillers(Passkey(110, 50).fit({"filler": 24, "fixed": 94, "after_key": 15})) == (0, 0)


def test_an_unknown_tokenizer_cannot_be_built_for() -> None:
    with pytest.raises(ValueError, match="tokens of this wording are not known"):
        Passkey(1000, 500).build(WORDS, 0, 0)


@pytest.mark.parametrize(("window", "k"), [(100, 0), (100, 101), (100, -5), (0, 0)])
def test_a_key_outside_its_window_is_refused(window: int, k: int) -> None:
    with pytest.raises(ValueError, match=f"k {k} does not lie in a window of {window} tokens: give 1 to {window}"):
        Passkey(window, k)


def test_size_leaves_room_for_the_answer() -> None:
    assert Passkey(8192, 256, max_tokens=100).size_tokens({}) == 8092


@pytest.mark.parametrize(
    ("window", "places", "expected"),
    [
        (8192, 4, [2048, 4096, 6144, 8192]),
        (1000, 3, [333, 667, 1000]),
        (5, 5, [1, 2, 3, 4, 5]),
        (7, 1, [7]),
    ],
)
def test_distances_are_evenly_spaced(window: int, places: int, expected: list[int]) -> None:
    assert spaced(window, places) == expected


def test_the_papers_distances_hold_those_of_its_table() -> None:
    assert {1792, 2048, 2304, 2560, 8192} <= set(spaced(8192, 32))


@given(st.integers(1, 2_000_000), st.integers(1, 500))
def test_distances_rise_to_the_window(window: int, places: int) -> None:
    assume(places <= window)
    distances = spaced(window, places)
    gaps = [far - near for near, far in zip([0, *distances], distances, strict=False)]
    assert len(distances) == places
    assert distances[-1] == window
    assert min(gaps) >= 1
    assert max(gaps) - min(gaps) <= 2


@pytest.mark.parametrize(("window", "places"), [(5, 6), (5, 0), (5, -1)])
def test_distances_that_do_not_fit_are_refused(window: int, places: int) -> None:
    with pytest.raises(ValueError, match=f"{places} distances do not fit in a window of {window} tokens"):
        spaced(window, places)


@pytest.mark.parametrize(
    ("text", "stop_reason", "kind", "returned", "trace"),
    [
        ("12345", "end_turn", "correct", "12345", {}),
        (" 12345. Remember it. 12345 is the pass", "max_tokens", "correct", "12345", {}),
        (" 12345", "max_tokens", "correct", "12345", {}),
        ("**12345**", "end_turn", "correct", "12345", {}),
        ("54321", "end_turn", "wrong", "54321", {"digits_right": 1}),
        ("12346", "end_turn", "wrong", "12346", {"digits_right": 4}),
        ("123", "end_turn", "wrong", "123", {"digits_right": 3}),
        ("123456", "end_turn", "wrong", "123456", {"digits_right": 5}),
        (" 123", "max_tokens", "truncated", "123", {}),
        (" 99999 is the pass", "max_tokens", "wrong", "99999", {"digits_right": 0}),
        ("", "end_turn", "unparseable", None, {}),
        ("hidden in the grass", "end_turn", "unparseable", None, {}),
        ("The grass is green. The", "max_tokens", "truncated", None, {}),
        ("I cannot.", "refusal", "refusal", None, {}),
        ("12345", "refusal", "refusal", None, {}),
    ],
)
def test_what_a_reply_is_worth(
    text: str, stop_reason: str, kind: str, returned: str | None, trace: dict[str, int]
) -> None:
    outcome = judge_answer(reply(text, stop_reason), "12345")
    assert (outcome.kind, outcome.returned, dict(outcome.trace)) == (kind, returned, trace)
    assert outcome.why


def test_a_filler_without_tokens_is_refused() -> None:
    with pytest.raises(ValueError, match="filler"):
        Passkey(1000, 500).fit({"filler": 0, "fixed": 94, "after_key": 15})


def test_a_measure_without_an_entry_is_refused() -> None:
    with pytest.raises(ValueError, match="after_key"):
        Passkey(1000, 500).fit({"filler": 24, "fixed": 94})


def test_trials_of_one_distance_share_their_filler_and_are_one_cluster() -> None:
    near, far = (Passkey.from_slug(f"window-4096-k-{k}") for k in (400, 800))
    first, second = (build(near.slug, index=index) for index in (0, 1))
    assert first.user.replace(first.expected, "12345") == second.user.replace(second.expected, "12345")
    assert near.cluster(0) == near.cluster(1) != far.cluster(0)


@given(fitted(), st.integers(0, 20))
def test_its_context_is_one_piece_between_opening_and_question(cell: Any, index: int) -> None:
    try:
        before, after = fillers(cell)
    except ValueError:
        return
    assume(before + after < 200)
    trial = cell.build(WORDS, 0, index)
    context = trial.pieces()
    [piece] = context.pieces
    assert trial.user == "\n".join([context.opening, piece.text, context.question])
    assert context.evidence in piece.text
