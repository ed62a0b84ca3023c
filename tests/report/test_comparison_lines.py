"""The first lines of a comparison."""

from __future__ import annotations

from longctx.compare.runs import compare
from longctx.report.comparison import comparison
from longctx.report.comparison_lines import MOST_ROWS
from longctx.results.row import Row
from tests.rows import joined, right_of, run


def lines(*runs: list[Row]) -> list[str]:
    """Return the lines on runs of three models, the first of which is the reference."""
    names = "family-0.5b", "family-1.5b", "other"
    others = [(name, compare(runs[0], other)) for name, other in zip(names[1:], runs[1:], strict=False)]
    return comparison(names[0], others, [], 20).brief.splitlines()


def of(right: int, cell: str, **fields: object) -> list[Row]:
    return run(*right_of(right, 40), test="line_retrieval", cell=cell, **fields)


def test_names_are_what_tells_the_sides_apart() -> None:
    [title, _, head, row, *_] = lines(of(20, "a"), of(30, "a"))
    assert title == "family-1.5b against family-0.5b"
    assert head.split("  ")[0] == "same trials"
    assert head.split()[2:4] == ["0.5b", "1.5b"]
    assert row.split()[:6] == ["line", "retrieval,", "a", "0.50", "0.75", "+25.0"]


def test_each_run_has_its_table() -> None:
    text = lines(of(20, "a"), of(30, "a"), of(10, "a"))
    heads = [line for line in text if "same trials" in line]
    assert [head.partition(", same")[0] for head in heads] == [
        "family-1.5b against family-0.5b",
        "other against family-0.5b",
    ]
    assert text[-4:-1] == [
        'line_retrieval/a#11: "correct" → "wrong"',
        'line_retrieval/a#12: "correct" → "wrong"',
        "… 7 more lost",
    ]


def test_rows_that_changed_come_first() -> None:
    cells = [f"cell-{number}" for number in range(25)]
    before = joined(*(of(20, cell) for cell in cells))
    after = joined(*(of(20 if cell != "cell-24" else 40, cell) for cell in cells))
    text = lines(before, after)
    shown = [line for line in text if line.startswith("line retrieval, ")]
    assert len(shown) == MOST_ROWS
    assert shown[-1].startswith("line retrieval, cell-24  ")
    assert "5 more rows, not significant or of fewer trials." in text


def test_what_is_not_compared_is_counted() -> None:
    before = joined(of(20, "a"), of(20, "only here"))
    assert lines(before, of(20, "a"))[-1] == "2 notes, every cell and changed answer: -v"
