"""What a run's answers cost, live apart from replayed."""

from __future__ import annotations

import pandas as pd

from longctx.summary.costs import Cost, costs


def rows(*found: tuple[str, str, float | None]) -> pd.DataFrame:
    return pd.DataFrame(found, columns=["model", "source", "cost_usd"])


def test_live_answers_are_told_from_replayed_ones() -> None:
    found = rows(("a", "live", 1.0), ("b", "replayed", 8.0), ("a", "replayed", 2.0), ("a", "live", 4.0))
    assert costs(found, {"a": "2026-01-01"}) == (Cost("a", 2, 5.0, 1, 2.0, "2026-01-01"), Cost("b", 0, 0.0, 1, 8.0))


def test_one_answer_of_unknown_price_makes_the_sum_unknown() -> None:
    assert costs(rows(("a", "live", 1.0), ("a", "live", None)), {}) == (Cost("a", 2, None, 0, 0.0),)


def test_nothing_measured_cost_nothing() -> None:
    assert costs(rows(), {}) == ()
