"""The overview of tests."""

from __future__ import annotations

from longctx.results.row import Subject
from longctx.stats.rates import Rate
from longctx.summary.summary import summaries_of_tests
from longctx.views.answers import CellSummary


def cell(name: str, rate: Rate, model: str = "m", test: str = "passkey") -> CellSummary:
    return CellSummary(test, Subject(model, "protocol"), name, {}, rate, {}, None, None)


def test_rates_are_pooled_and_their_extremes_named() -> None:
    [pooled] = summaries_of_tests([cell("a", Rate(5, 10)), cell("b", Rate(9, 10)), cell("c", Rate(0, 0))])
    assert (pooled.cells, pooled.rate) == (3, Rate(14, 20))
    assert pooled.lowest is not None
    assert pooled.highest is not None
    assert (pooled.lowest.cell, pooled.highest.cell) == ("a", "b")


def test_families_and_subjects_stay_apart() -> None:
    overview = summaries_of_tests(
        [cell("a", Rate(1, 1)), cell("a", Rate(0, 1), "other"), cell("a", Rate(0, 2), test="mine")]
    )
    assert [(pooled.test, pooled.subject.model, pooled.rate) for pooled in overview] == [
        ("passkey", "m", Rate(1, 1)),
        ("passkey", "other", Rate(0, 1)),
        ("mine", "m", Rate(0, 2)),
    ]


def test_what_was_not_measured_has_no_extremes() -> None:
    [pooled] = summaries_of_tests([cell("a", Rate(0, 0))])
    assert (pooled.lowest, pooled.highest) == (None, None)
