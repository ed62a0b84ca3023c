"""Rates by depth and length."""

from __future__ import annotations

from typing import Any

from longctx.registry import shipped
from longctx.stats.rates import Rate
from longctx.summary.summary import heatmap
from tests.rows import row


def places(*rows: dict[str, Any]) -> list[tuple[str, int, int, Rate]]:
    cells = heatmap([row(**{"input_tokens": 1234} | fields) for fields in rows], shipped())
    return [(cell.test, cell.size, cell.depth, cell.rate) for cell in cells]


def lines(depth: float, **more: Any) -> dict[str, Any]:
    return {"test": "line_retrieval", "params": {"lines": 20}, "depth": depth, **more}


def test_depths_are_pooled_by_tenths() -> None:
    assert places(lines(0.0), lines(0.0999, outcome="wrong"), lines(0.1), lines(0.95), lines(1.0)) == [
        ("line_retrieval", 20, 0, Rate(1, 2)),
        ("line_retrieval", 20, 1, Rate(1, 1)),
        ("line_retrieval", 20, 9, Rate(2, 2)),
    ]


def test_each_test_has_its_own_length() -> None:
    assert places(
        {"test": "passkey", "params": {"window": 4096, "k": 100}, "depth": 0.5},
        {"test": "collage", "params": {"budget": 3000, "depth": 50}, "depth": 0.5},
        {"test": "mine", "params": {}, "depth": 0.5},
    ) == [
        ("passkey", 4096, 5, Rate(1, 1)),
        ("collage", 3000, 50, Rate(1, 1)),
        ("mine", 1234, 5, Rate(1, 1)),
    ]


def collage(budget: int, variant: str, outcome: str = "correct") -> dict[str, Any]:
    return {
        "test": "collage",
        "params": {"budget": budget, "variant": variant, "depth": 50},
        "depth": 0.5,
        "outcome": outcome,
    }


def test_lengths_are_compared_by_the_variants_that_all_of_them_have() -> None:
    short, long = collage(1300, "none"), collage(2600, "none")
    assert places(short, long, collage(2600, "five", "wrong")) == [
        ("collage", 1300, 50, Rate(1, 1)),
        ("collage", 2600, 50, Rate(1, 1)),
    ]
    assert places(long, collage(2600, "five", "wrong")) == [("collage", 2600, 50, Rate(1, 2))]


def test_a_test_that_names_positions_is_shown_by_them() -> None:
    rows = [
        {"test": "collage", "params": {"budget": 3000, "depth": percent}, "depth": depth}
        for percent, depth in ((100, 0.41), (100, 0.97), (0, 0.08), (25, 0.3))
    ]
    cells = heatmap([row(**fields) for fields in rows], shipped())
    assert [(cell.place, cell.rate.n) for cell in cells] == [("end", 2), ("beginning", 1), ("25%", 1)]


def test_lengths_without_a_common_variant_are_not_called_comparable() -> None:
    cells = list(heatmap([row(**fields) for fields in (collage(1300, "none"), collage(2600, "five"))], shipped()))
    assert [(cell.size, cell.rate, cell.common) for cell in cells] == [
        (1300, Rate(1, 1), False),
        (2600, Rate(1, 1), False),
    ]


def test_the_controls_have_no_place() -> None:
    assert places({"test": "control", "params": {}, "depth": 0.5}) == []
    assert places() == []
