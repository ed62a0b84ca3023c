"""Where answers were lost, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from longctx.gate.where import Pattern, pattern_of
from longctx.results.row import Row
from longctx.vocabulary.both import Both
from tests.rows import run

THIRDS = {"first": 0.1, "middle": 0.5, "last": 0.9}
INVENTED: dict[str, Any] = {"trace": {"invented": 1}}


def pairs(trials: int, lost: Callable[[int], bool], gained: Callable[[int], bool] = lambda _: False) -> list[Both[Row]]:
    """Return pairs of which a third lies in each third of the context, in turn."""
    before = run(*("wrong" if gained(trial) else "correct" for trial in range(trials)), band="all")
    after = run(*("wrong" if lost(trial) else "correct" for trial in range(trials)), band="all", **INVENTED)
    depths = list(THIRDS.values())
    return [
        Both(replace(was, depth=depths[was.trial % 3]), replace(now, depth=depths[now.trial % 3]))
        for was, now in zip(before, after, strict=True)
    ]


def test_the_third_in_which_answers_are_lost_is_named() -> None:
    found = pattern_of(pairs(96, lambda trial: trial % 3 == 1))
    assert str(found.place) == "32 of 32 lost answers are in the middle third of the context, with 32 of 96 pairs"
    assert str(found.cause) == "32 of 32 lost answers are invented"


def test_a_drop_that_is_the_same_everywhere_has_no_place() -> None:
    found = pattern_of(pairs(180, lambda trial: trial // 3 % 3 == 0))
    assert found.place is None
    assert found.looked_at == ("depth",)


def test_noise_that_differs_by_place_names_none() -> None:
    """As many are gained as lost, nearly all of them in one third: lost against kept would name it."""
    middle = [trial for trial in range(300) if trial % 3 == 1]
    found = pattern_of(pairs(300, lambda trial: trial in middle[:30], lambda trial: trial in middle[30:60]))
    assert found == Pattern(looked_at=("depth",))


@pytest.mark.parametrize("lost", [19, 20])
def test_few_changed_pairs_say_nothing(lost: int) -> None:
    found = pattern_of(pairs(300, lambda trial: trial % 3 == 1 and trial < 3 * lost))
    assert bool(found.place) == bool(found.looked_at) == (lost >= 20)


def test_answers_of_one_document_are_one_piece_of_evidence() -> None:
    lost = pairs(96, lambda trial: trial % 3 == 1)
    same = [pair.map(lambda row: replace(row, cluster=f"document {row.trial % 3}")) for pair in lost]
    assert pattern_of(same) == Pattern(looked_at=("depth",))


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"params": {"tokens": 16_000}}, "line_retrieval, tokens 16,000"),
        ({"probe": "identifier"}, "questions of the kind identifier"),
    ],
)
def test_other_properties_are_looked_at(fields: dict[str, Any], where: str) -> None:
    others = {"params": {"tokens": 4000}} if "params" in fields else {"probe": "name"}
    each = [
        pair.map(lambda row: replace(row, depth=None, **(fields if row.trial % 3 == 1 else others)))
        for pair in pairs(96, lambda trial: trial % 3 == 1)
    ]
    assert where in str(pattern_of(each).place)


def test_the_check_that_fell_is_named() -> None:
    both = pairs(60, lambda trial: trial < 30)
    checks = [pair.map(lambda row: replace(row, test="test_a.short")) for pair in both]
    kept = [pair.map(lambda row: replace(row, test="test_a.polite")) for pair in pairs(60, lambda trial: False)]
    trials = [pair.map(lambda row: replace(row, test="test_a", depth=None)) for pair in both]
    why = [Both(pair.before, replace(pair.after, trace={}, why="failed: short")) for pair in trials]
    found = pattern_of([*why, *checks, *kept])
    assert str(found.place) == "30 of 30 lost checks are of the check short, with 60 of 120 pairs"
    assert str(found.cause) == "30 of 30 lost answers fail the check short"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"outcome": "unparseable"}, "cannot be read"),
        ({"outcome": "refusal"}, "are refusals"),
        ({"outcome": "truncated"}, "are cut off"),
        ({"trace": {"line_distance": -2}}, "name another line's value"),
        ({"trace": {"stale": 1}}, "are stale"),
        ({"trace": {}, "stop_reason": "tool_use"}, "end in a tool call"),
    ],
)
def test_causes(fields: dict[str, Any], said: str) -> None:
    each = [
        Both(pair.before, pair.after if pair.after.correct else replace(pair.after, **fields))
        for pair in pairs(90, lambda trial: trial < 30)
    ]
    assert str(pattern_of(each).cause) == f"30 of 30 lost answers {said}"


def test_gained_answers_of_unknown_cause_count_against_every_cause() -> None:
    """A baseline keeps no reason; 30 lost of one cause and 28 gained of an unknown one show nothing."""
    found = pattern_of(pairs(300, lambda trial: trial < 30, lambda trial: 100 <= trial < 128))
    assert found.cause is None
