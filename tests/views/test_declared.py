"""What a declared report gives: one table, charts, findings and entries, whatever the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from longctx.results.row import Row
from longctx.stats.rates import Rate
from longctx.views.answers import Answers, CellSummary, summary_of
from longctx.views.chart import Table
from longctx.views.declared import DeclaredReporting, reporting_of_test
from longctx.vocabulary.report import Causes, Rank, Report, Shares
from tests.rows import row

WHO = "some-model, prompts protocol"


def rows(outcomes: str, trace: dict[str, int] | None = None, **params: Any) -> list[Row]:
    """Return a row for each letter: c is correct, w is wrong."""
    place: dict[str, Any] = {"test": "mine", "cell": "-".join(f"{n}-{v}" for n, v in params.items())}
    kinds = {"c": "correct", "w": "wrong"}
    return [row(kinds[letter], **place, params=params, trial=n, trace=trace or {}) for n, letter in enumerate(outcomes)]


class Made:
    """A report of some rows."""

    def __init__(self, report: Report, *of_cells: list[Row]) -> None:
        measured = [each for of_cell in of_cells for each in of_cell]
        self.reporting = DeclaredReporting("mine", "Mine", "lines", report)
        self.cells: list[CellSummary] = [
            summary_of("mine", of_cell[0].subject, of_cell[0].cell, of_cell, {}) for of_cell in of_cells
        ]
        self.analysis = self.reporting.analyse(self.cells, measured)

    @property
    def tables(self) -> list[Table]:
        return list(self.reporting.tables(self.cells, self.analysis) or ())

    @property
    def charts(self) -> list[str]:
        return [chart.name for chart in self.reporting.charts(self.cells, self.analysis) or ()]

    @property
    def findings(self) -> list[tuple[Rank, str]]:
        return list(self.reporting.findings(self.cells, self.analysis))


FALLS = rows("c" * 20, size=10), rows("w" * 20, size=200)


def test_an_axis_alone_gives_a_curve_a_table_and_a_finding() -> None:
    made = Made(Report(x="size"), *FALLS)
    [table] = made.tables
    assert (table.title, table.columns) == (f"Mine, {WHO}: accuracy [95% interval]", ("size", "accuracy"))
    assert made.charts == ["mine-by-size-1"]
    assert made.findings == [
        (Rank.LEVEL, f"Mine, {WHO}, accuracy: accuracy falls from 1.00 at 10 lines to 0.00 at 200 lines.")
    ]
    assert made.reporting.data(made.analysis) == {}


def test_cells_at_one_place_of_a_curve_are_one_point() -> None:
    made = Made(Report(x="size"), rows("cc", size=10, depth=0), rows("ww", size=10, depth=50))
    [view] = made.reporting.views(made.cells, made.analysis)
    assert [(point.x, point.value) for point in view.points] == [(10, Rate(2, 4))]


def test_columns_make_a_row_of_each_cell() -> None:
    report = Report(
        x="size", series=lambda params: f"depth {params['depth']}", columns={"n": lambda answers: answers.n}
    )
    [table] = Made(report, *(rows("c" * size, size=size, depth=depth) for size in (1, 2) for depth in (0, 9))).tables
    assert (table.title, table.columns[:2]) == (f"Mine, {WHO}", ("asked", "size"))
    assert [(*each[:2], each[-1]) for each in table.rows] == [
        ("depth 0", "1", 1),
        ("depth 0", "2", 2),
        ("depth 9", "1", 1),
        ("depth 9", "2", 2),
    ]


def test_names_are_rows_in_which_subjects_are_compared() -> None:
    made = Made(Report(x="order", names={"up": "from small to large"}), rows("c", order="up"), rows("w", order="down"))
    [view] = made.reporting.views(made.cells, made.analysis)
    assert view.down
    assert {point.series for point in view.points} == {WHO}
    [chart] = view.charts()
    assert {mark.x for mark in chart.plot.marks} == {"from small to large", "down"}


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ("cwww" * 3, "0.25 [0.09, 0.53] n=12, not significantly different from guessing (0.25)"),
        ("w" * 20, "0.00 [0.00, 0.16] n=20, less than guessing reaches (0.25)"),
        ("c" * 20, None),
    ],
)
def test_a_rate_like_that_of_guessing_is_a_finding(outcomes: str, said: str | None) -> None:
    made = Made(Report(x="size", guessing=0.25), rows(outcomes, size=10))
    assert made.findings == ([(Rank.LEVEL, f"Mine, {WHO}, accuracy: {said}.")] if said else [])
    [view] = made.reporting.views(made.cells, made.analysis)
    assert (view.lines, view.note) == ([0.25], "Dashed: accuracy by guessing, 0.25.")


def test_shares_are_added_up_over_cells_and_have_a_chart_for_each_facet() -> None:
    def points(answers: Answers) -> Iterator[tuple[int, str, tuple[int, int]]]:
        yield 2, "", (answers.total("late"), answers.n)
        yield 1, "", (answers.total("early"), answers.n)

    shares = Shares(name="places", title="By place", x="place", points=points, label="of {}".format, facets=("size",))
    cells = [rows("ww", {"early": 1}, size=size, depth=depth) for size in (10, 200) for depth in (0, 50)]
    made = Made(Report(charts=(shares,)), *cells)
    [view] = made.reporting.views(made.cells, made.analysis)
    assert [(point.x, point.facet, point.value) for point in view.points] == [
        ("of 1", f"{WHO}, 10 lines", Rate(4, 4)),
        ("of 1", f"{WHO}, 200 lines", Rate(4, 4)),
        ("of 2", f"{WHO}, 10 lines", Rate(0, 4)),
        ("of 2", f"{WHO}, 200 lines", Rate(0, 4)),
    ]
    assert made.charts == ["mine-places-compared-1"], "facets of a single curve are compared in one chart"


def test_causes_are_a_table_and_one_that_prevails_is_a_finding() -> None:
    causes = Causes(
        {"too old": "old", "made up": lambda row: "new" in row.trace, "unseen": "unseen"},
        title="what is wrong",
        details={"too old": lambda answers: f"in {answers.n} trials"},
    )
    made = Made(Report(x="size", causes=causes), rows("wwww", {"old": 1}, size=10), rows("w", {"new": 1}, size=200))
    [table] = made.reporting.further_tables(made.analysis)
    assert (table.title, table.test) == ("Mine: what is wrong", "mine")
    assert table.columns[2:] == ("size", "too old", "made up", "trials")
    assert [each[2:] for each in table.rows] == [("10", "4", "0", "4"), ("200", "0", "1", "1")]
    assert made.findings == [(Rank.CAUSE, f"Mine, {WHO}: of 5 wrong answers, 4 are too old, in 5 trials.")]
    assert list(Made(Report(x="size", causes=causes), rows("c", size=10)).reporting.further_tables([])) == []


def test_entries_are_of_what_by_puts_together() -> None:
    report = Report(
        by=("size",), entries="sizes", data=lambda answers: {"size": answers.params["size"], "n": answers.n}
    )
    made = Made(report, *(rows("cw", size=10, depth=depth) for depth in (0, 50)))
    [entry] = made.reporting.data(made.analysis)["sizes"]
    assert (entry["model"], entry["size"], entry["n"]) == ("some-model", 10, 4)
    assert made.reporting.data(()) == {"sizes": []}


def test_the_hook_for_the_report_is_called_once_and_gives_tables() -> None:
    calls: list[int] = []

    def more(analysis: Sequence[Answers]) -> Iterator[Table]:
        calls.append(len(analysis))
        yield Table("Mine, counted", ("n",), ((sum(answers.n for answers in analysis),),))

    made = Made(Report(more=more), *FALLS)
    assert [table.rows for table in made.tables] == [((40,),)]
    assert made.charts == []
    assert calls == [2]


def test_without_an_axis_tables_and_charts_are_the_usual_ones_and_causes_are_by_cell() -> None:
    made = Made(Report(causes=Causes({"too old": "old"}, title="what is wrong")), rows("w" * 9, {"old": 1}, size=10))
    assert made.reporting.tables(made.cells, made.analysis) is None
    assert made.reporting.charts(made.cells, made.analysis) is None
    [table] = made.reporting.further_tables(made.analysis)
    assert dict(zip(table.columns, table.rows[0], strict=True))["cell"] == "size-10"


def test_facets_without_a_unit_are_named_by_their_parameter() -> None:
    shares = Shares(name="s", title="T", x="place", points=lambda answers: [(1, "a", (1, 2))], facets=("size",))
    reporting = reporting_of_test("test_mine", Report(x="size", charts=(shares,)))
    cells = [summary_of("test_mine", cell[0].subject, cell[0].cell, cell, {}) for cell in FALLS]
    views = list(reporting.views(cells, reporting.analyse(cells, [*FALLS[0], *FALLS[1]])))
    assert [point.facet for point in views[1].points] == [f"{WHO}, size 10", f"{WHO}, size 200"]
