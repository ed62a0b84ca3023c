"""What is measured of named sets: RULER's recall, what was missed and where, what was named besides."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.protocols.reports.namings import Naming
from longctx.stats.rates import Rate
from tests.protocols import FrequentWords, VariableTracking
from tests.protocols.tokens import (
    all_of_it,
    everything,
    nothing,
    rows,
    summary,
    the_first,
)

TRACKED = VariableTracking(1500, 3, 3)


def naming(*replies: object) -> Naming:
    [analysis] = summary(rows(TRACKED, *replies)).families["variable_tracking"].analysis  # type: ignore[arg-type]
    assert isinstance(analysis, Naming)
    return analysis


def test_who_names_everything_has_all_of_the_recall_and_no_right_trial() -> None:
    made = summary(rows(TRACKED, everything, everything))
    [analysis] = made.families["variable_tracking"].analysis
    assert (analysis.recall, analysis.more, analysis.trials) == (1, 2, 2)
    assert made.scenarios[0].rate == Rate(0, 2)
    assert analysis.besides == {"of_another_chain": 2 * 2 * 4, "of_the_example": 2 * 5}


def test_a_reply_without_an_answer_has_no_recall_and_misses_nothing_anywhere() -> None:
    analysis = naming(all_of_it, nothing, nothing, nothing)
    assert analysis.recall == 0.25
    assert analysis.named == Rate(4, 4)
    assert analysis.by_number == {number: Rate(1, 1) for number in (1, 2, 3, 4)}


def test_what_is_missed_depends_on_its_place_in_the_chain() -> None:
    analysis = naming(the_first, all_of_it)
    assert analysis.by_number == {1: Rate(2, 2), 2: Rate(1, 2), 3: Rate(1, 2), 4: Rate(1, 2)}
    assert analysis.recall == (0.25 + 1) / 2
    assert analysis.more == 0


@settings(max_examples=20)
@given(st.lists(st.sampled_from([all_of_it, the_first, everything]), min_size=1, max_size=4))
def test_each_item_is_at_one_depth_and_has_one_number(replies: list[object]) -> None:
    analysis = naming(*replies)
    for rates in (analysis.by_number, analysis.by_depth):
        assert sum(rate.n for rate in rates.values()) == 4 * len(replies) == analysis.named.n
        assert sum(rate.correct for rate in rates.values()) == analysis.named.correct
    assert set(analysis.by_depth) <= set(range(10))


def test_words_are_reported_by_their_frequency() -> None:
    made = summary(rows(FrequentWords(1200, 200), the_first, all_of_it))
    [analysis] = made.families["frequent_words"].analysis
    assert analysis.by_number == {1: Rate(2, 2), 2: Rate(1, 2), 3: Rate(1, 2)}
