"""A run's rows on disk: appended as they arrive, sorted, and loaded unchanged.

Views stand beside them: line n of the one belongs to line n of the other. What differs between two requests is told by
the digests of their parts.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longctx.results.store import VIEWS, append, drop_unfinished, finish, load, row_lines
from longctx.results.trial_view import View
from tests.report.sample import rows, view
from tests.rows import bare as row


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_rows_are_added_to_those_before(tmp_path: Path) -> None:
    append(tmp_path / "run", row_lines([row(), row(trial=1)]))
    append(tmp_path / "run", row_lines([row(trial=2)]))
    assert names(tmp_path / "run") == ["rows.part"]
    lines = (tmp_path / "run" / "rows.part").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["trial"] for line in lines] == [0, 1, 2]


def test_what_was_appended_is_merged_and_can_be_dropped(tmp_path: Path) -> None:
    append(tmp_path, row_lines([row(trial=1)]))
    append(tmp_path, row_lines([row(trial=0)]))
    record = finish(tmp_path)
    drop_unfinished(tmp_path)
    assert names(tmp_path) == ["results.jsonl"]
    assert [row.trial for row in record.rows] == [0, 1]


def test_a_trial_that_was_measured_twice_counts_once(tmp_path: Path) -> None:
    """A test may run again because of pytest-rerunfailures or pytest-repeat."""
    append(tmp_path, row_lines([row(), row(trial=1)]))
    append(tmp_path, row_lines([row()]))
    assert [row.trial for row in finish(tmp_path, tmp_path).rows] == [0, 1]


def test_numbers_in_names_are_sorted_by_value(tmp_path: Path) -> None:
    cells = [
        "lines-5",
        "lines-5-block_size-1",
        "lines-5-block_size-2",
        "lines-5-block_size-10",
        "lines-10",
        "lines-10-block_size-1",
        "lines-500",
    ]
    append(tmp_path, row_lines([row(cell=cell) for cell in sorted(cells)]))
    assert [row.cell for row in finish(tmp_path).rows] == cells


def test_rows_are_sorted_by_test_model_prompt_set_cell_item_trial_and_repeat(tmp_path: Path) -> None:
    rows = [
        row(),
        row(repeat=1),
        row(trial=2),
        row(trial=10),
        row(item="q1"),
        row(cell="lines-10"),
        row(prompt_set="a-mine", model="z-model"),
        row(model="z-model"),
        row(test="passkey", cell="window-9-k-1", model="a-model"),
    ]
    append(tmp_path, row_lines(rows[::-1]))
    finish(tmp_path)
    lines = (tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines == [row.to_json() for row in rows]


def test_the_order_in_which_rows_come_does_not_change_the_results(tmp_path: Path) -> None:
    rows = [row(cell=f"lines-{lines}", trial=trial) for lines in (5, 10, 20) for trial in range(3)]
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    append(alone, row_lines(rows))
    for each in reversed(rows):
        append(shared, row_lines([each]))
    assert finish(alone).rows == finish(shared, shared).rows
    assert (alone / "results.jsonl").read_bytes() == (shared / "results.jsonl").read_bytes()


def test_a_run_is_loaded_as_it_was_merged(tmp_path: Path) -> None:
    measured = row(depth=0.25, distance_from_end=7, trace={"line": 3})
    append(tmp_path, row_lines([measured, row(trial=1, outcome="not_asked")]))
    merged = finish(tmp_path)
    assert load(tmp_path) == merged
    assert merged.rows == [measured, row(trial=1, outcome="not_asked")]
    assert list(merged.views()) == ["", ""]


@pytest.mark.parametrize(
    "text",
    [
        'say "no"',
        "back\\slash and \\n, \\ud800",
        "two\nlines\r\nand\rmore",
        "\x00\x0b\x0c\x1c\x1e\x7f",
        "lone \ud800 and \udfff",
        "emoji \U0001f600, ü, 漢",
        "\ufeff",
        "</script><b>{{ x }}",
        "",
    ],
)
def test_text_survives(tmp_path: Path, text: str) -> None:
    append(tmp_path, row_lines([row(returned=text, why=text, error=text)]))
    for record in (finish(tmp_path), load(tmp_path)):
        [loaded] = record.rows
        assert (loaded.returned, loaded.why, loaded.error) == (text, text, text)


@pytest.mark.parametrize("text", ["\u2028", "\u2029", "\x85"])
def test_other_line_ends_survive(tmp_path: Path, text: str) -> None:
    append(tmp_path, row_lines([row(returned=text)]))
    assert [row.returned for row in finish(tmp_path).rows] == [text]


def test_a_row_cut_short_costs_no_other(tmp_path: Path) -> None:
    append(tmp_path, row_lines([row(), row(trial=1)]))
    part = tmp_path / "rows.part"
    part.write_bytes(part.read_bytes()[:-20])
    assert [row.trial for row in finish(tmp_path).rows] == [0]


def test_lines_can_be_sent_anywhere() -> None:
    [line] = row_lines([row(returned="lone \ud800, ü")], [View("test", reply="\udfff\t")])
    assert line.encode().decode() == line
    of_row, tab, of_view = line.partition("\t")
    assert (tab, json.loads(of_row)["returned"], json.loads(of_view)["reply"]) == ("\t", "lone \ud800, ü", "\udfff\t")


def test_a_run_without_results_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path)


def test_views_follow_their_rows(tmp_path: Path) -> None:
    kept = list(rows())
    for each in reversed(kept):
        append(tmp_path, row_lines([each], [View(f"{each.cell}#{each.trial}")]))
    finish(tmp_path)
    drop_unfinished(tmp_path)
    record = load(tmp_path)
    assert [seen["test"] for _, seen in record.seen()] == [f"{row.cell}#{row.trial}" for row in record.rows]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.jsonl", "views.jsonl"]


def test_without_views_there_is_no_file(tmp_path: Path) -> None:
    append(tmp_path, row_lines(list(rows())))
    finish(tmp_path)
    assert not (tmp_path / VIEWS).exists()
    assert set(load(tmp_path).views()) == {""}


def test_the_text_of_a_view_survives(tmp_path: Path) -> None:
    row = next(rows())
    text = "lone \ud800, \x1b[0m, \u2028, 漢"
    append(tmp_path, row_lines([row], [view(row, text)]))
    finish(tmp_path)
    [(_, loaded)] = load(tmp_path).seen()
    assert loaded["reply"] == f"reply {text}"
