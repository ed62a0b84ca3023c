"""Where wrong answers come from, and the names of line orders."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.reports.line_retrieval_report import EDGES, Origins, band, order, origins
from tests.rows import row


def found(*traces: dict[str, int], **fields: Any) -> list[Origins]:
    return list(origins([row(**{"outcome": "wrong", "trace": trace} | fields) for trace in traces]))


def test_another_line_an_echo_or_nowhere() -> None:
    other = {"line": 9, "line_distance": 5, "place_distance": -1}
    [origins] = found(other, other, {"echoed_line": 3}, {})
    assert (origins.other_line, origins.echoed, origins.nowhere, origins.wrong) == (2, 1, 1, 4)
    assert origins.by_number == {-4: 0, -3: 0, -2: 0, -1: 0, 1: 0, 2: 0, 3: 0, 4: 2}
    assert origins.by_place == {-1: 2, 1: 0}


def test_right_answers_come_from_nowhere_else() -> None:
    assert found({}, outcome="correct") == []


@given(st.integers(-5000, 5000).filter(bool))
def test_a_distance_is_in_one_band(distance: int) -> None:
    low = band(distance)
    assert (low > 0) == (distance > 0)
    assert abs(low) in EDGES
    assert abs(low) <= abs(distance)
    assert all(edge <= abs(low) or edge > abs(distance) for edge in EDGES)


@given(st.lists(st.integers(-5000, 5000).filter(bool), min_size=1))
def test_every_wrong_line_is_counted_once(distances: list[int]) -> None:
    [origins] = found(*({"line": 1, "line_distance": each, "place_distance": -each} for each in distances))
    assert sum(origins.by_number.values()) == sum(origins.by_place.values()) == len(distances)


def test_orders() -> None:
    assert [order(size) for size in (None, 1, 10)] == ["ordered", "shuffled", "blocks of 10"]
