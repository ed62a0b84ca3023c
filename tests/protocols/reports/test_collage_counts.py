"""The number of possible collages: its bounds hold against an exhaustive count."""

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.collages import SEPARATOR_TOKENS
from longctx.protocols.reports.corpus_report import collages


def all_of(tokens: list[int], budget: int) -> set[tuple[int, ...]]:
    """Return every collage that Collage can make, each as the places of its sections."""
    made = set()
    fit = [place for place, size in enumerate(tokens) if size <= budget]
    for order in permutations(fit) if fit else []:
        room, taken = budget - tokens[order[0]], [order[0]]
        for place in order[1:]:
            room -= tokens[place] + SEPARATOR_TOKENS
            if room < 0:
                break
            taken.append(place)
        made.add(tuple(taken))
    return made


@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(1, 250))
def test_the_bounds_hold(tokens: list[int], budget: int) -> None:
    bound, made = collages(tokens, budget), all_of(tokens, budget)
    if not made:
        assert bound.at_least is None
        return
    assert bound.least <= min(map(len, made)) <= max(map(len, made)) <= bound.most
    assert bound.at_least is not None
    assert round(10**bound.at_least) <= len(made)
    longest = max(sum(tokens[place] for place in places) + SEPARATOR_TOKENS * (len(places) - 1) for places in made)
    assert longest <= bound.tokens <= budget
    if bound.least == len(tokens):
        assert round(10**bound.at_least) == len(made)


def test_a_large_corpus_is_counted_in_powers_of_ten() -> None:
    assert collages([1000] * 100, 50_000).at_least == pytest.approx(math.log10(math.perm(100, 49)))


def test_nothing_fits() -> None:
    assert collages([100, 200], 50).at_least is None
