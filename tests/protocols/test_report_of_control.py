"""What the controls report: rates corrected for chance, and the names of their records."""

from __future__ import annotations

from longctx.protocols.control import RECORDS
from longctx.registry import shipped
from longctx.results.row import Row
from longctx.summary.summary import Summary, summarize
from longctx.views.chart import Table
from longctx.views.view import RateView
from tests.rows import joined, row


def rows(record: str, outcomes: str, longest: int = 600) -> list[Row]:
    """Return a row for each letter: c is correct, w is wrong, and m is missing."""
    place = {"test": "control", "cell": f"longest-{longest}-record-{record}", "model": "m"}
    kinds = {"c": {"outcome": "correct"}, "w": {"outcome": "wrong"}, "m": {"outcome": None, "error": "missing"}}
    params = {"longest": longest, "record": record}
    return [row(**place, params=params, trial=trial, **kinds[letter]) for trial, letter in enumerate(outcomes)]


def reported(made: Summary) -> tuple[list[Table], list[RateView]]:
    test, cells = made.tests["control"], made.of("control")
    tables = test.reporting.tables(cells, test.analysis)
    return list(tables or ()), list(test.reporting.views(cells, test.analysis))


def test_controls_are_corrected_for_chance() -> None:
    made = summarize(joined(rows("right", 9 * "c" + "w"), rows("none", "cwww"), rows("wrong", "m")))
    [table], _ = reported(made)
    assert table.columns == ("record", "accuracy [95% interval]", "above chance")
    assert [(record, above) for record, _, above in table.rows] == [
        ("right", "+0.87"),
        ("none", "+0.00"),
        ("wrong", "-"),
    ]


def test_controls_of_sections_of_several_sizes_are_distinguished() -> None:
    [table], [view] = reported(summarize(joined(rows("right", "ccww"), rows("right", "cwww", 900))))
    sizes = ["sections of at most 600 tokens", "sections of at most 900 tokens"]
    assert list(table.frame.index) == sizes
    assert list(table.frame["above chance"]) == ["+0.33", "+0.00"]
    assert len(list(view.charts())) == 1
    assert [point.series.rpartition(", ")[2] for point in view.points] == sizes


def test_every_record_has_words() -> None:
    report = shipped()["control"].report
    assert report is not None
    assert set(report.names) == set(RECORDS)
    [chart] = (chart for view in reported(summarize(rows("none", "cw")))[1] for chart in view.charts())
    assert chart.plot.marks[0].x == "no section"
