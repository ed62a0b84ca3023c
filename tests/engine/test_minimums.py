"""How many minimums the reports of test functions state, as a plan and the looks of other tests count them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.engine.minimums import minimums_of_tests
from longctx.results.row import Row
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.report import Report, Reported, StatedMinimum
from tests.rows import row


def stated(before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Iterator[Reported]:
    assert all(row.measured for row in [*before, *after])
    for minimum in (StatedMinimum(1.0, False, "few"), None):
        yield Reported("keys", {}, "Keys", {"keys": "3"}, minimum)


def of_traces(before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Iterator[Reported]:
    yield Reported("keys", {"keys": sum(row.trace["keys"] for row in before)}, "Keys", {"keys": "3"})


def test_each_subject_of_a_gated_test_has_the_minimums_of_its_report() -> None:
    rows = [
        row(test="test_a", model="one", band="all"),
        row(test="test_a", model="two", band="all"),
        row("infra_error", test="test_a", model="three", band="all"),
        row(test="test_a.polite", band="all"),
        row(test="test_b", band=None),
        row(test="passkey", band="all"),
    ]
    reports = {name: Report(gate=stated) for name in ("test_a", "test_b", "test_elsewhere")}
    assert minimums_of_tests(rows, reports) == 2
    assert minimums_of_tests(rows, {"test_a": Report(x="tokens")}) == 0
    assert minimums_of_tests(rows, {}) == 0


def test_a_report_that_fails_or_is_not_known_counts_as_one() -> None:
    rows = [row(test=name, band="all") for name in ("test_a", "test_b")]
    assert minimums_of_tests(rows, {"test_a": Report(gate=of_traces), "test_b": None}) == 2
