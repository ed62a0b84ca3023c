"""Formulas compute with facts and verbs, from the left to the right, and can do nothing else."""

from typing import Any

import pytest

from tools.register.formula import evaluate

FACTS: dict[str, Any] = {"quota": 200, "pair": {"ask": "why", "answer": "because"}, "items": ["a", "b", "c"]}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("quota * 90 // 100 - 1", 179),
        ("(quota + 1) % 24 / 2", 4.5),
        ("-quota", -200),
        ("pair.answer", "because"),
        ("items[0]", "a"),
        ("items[1:]", ["b", "c"]),
        ("[quota] + items[:1]", [200, "a"]),
        ("largest(*items, 'b')", "c"),
    ],
)
def test_formulas(formula: str, value: object) -> None:
    assert evaluate(formula, FACTS, {"largest": max}) == value


def test_what_is_further_left_is_drawn_first() -> None:
    numbers = iter(range(1, 9))
    assert evaluate("[draw() - draw(), draw()]", {}, {"draw": lambda: next(numbers)}) == [-1, 3]


def test_a_fact_and_a_verb_may_have_one_name() -> None:
    assert evaluate("town(town)", {"town": "Ostrey"}, {"town": str.upper}) == "OSTREY"


@pytest.mark.parametrize(
    "formula", ["quota if quota else 1", "[n for n in items]", "items.sort()", "quota ** 2", "(1,)"]
)
def test_a_formula_says_no_more_than_it_may(formula: str) -> None:
    with pytest.raises(ValueError, match="says more than a formula may"):
        evaluate(formula, FACTS, {})


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(KeyError, match="qota"):
        evaluate("qota + 1", FACTS, {})
