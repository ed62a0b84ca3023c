"""The cost of a run's answers, live and replayed apart."""

from __future__ import annotations

from longctx.engine.measure import check_row
from longctx.results.row import Row
from longctx.summary.costs import Cost, costs
from tests.rows import row


def rows(*answers: tuple[str, str, float | None]) -> list[Row]:
    return [row(model=model, source=source, cost_usd=usd) for model, source, usd in answers]


def test_live_answers_are_distinguished_from_replayed_ones() -> None:
    costs_rows = rows(("a", "live", 1.0), ("b", "replayed", 8.0), ("a", "replayed", 2.0), ("a", "live", 4.0))
    assert costs(costs_rows, {"a": "2026-01-01"}) == (
        Cost("a", 2, 5.0, 1, 2.0, "2026-01-01"),
        Cost("b", 0, 0.0, 1, 8.0),
    )


def test_one_answer_of_unknown_price_makes_the_sum_unknown() -> None:
    assert costs(rows(("a", "live", 1.0), ("a", "live", None)), {}) == (Cost("a", 2, None, 0, 0.0),)


def test_a_check_is_no_answer() -> None:
    trial = row(test="test_a", model="a", source="live", cost_usd=1.0)
    check = check_row(trial, "cites", held=True)
    assert costs([trial, check], {}) == (Cost("a", 1, 1.0, 0, 0.0),)


def test_nothing_measured_cost_nothing() -> None:
    assert costs(rows(), {}) == ()
