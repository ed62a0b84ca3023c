"""Views stand beside their rows: line n of the one belongs to line n of the other."""

from __future__ import annotations

from pathlib import Path

from longctx.results.row import View
from longctx.results.store import VIEWS, append, as_lines, drop_unfinished, finish, load
from tests.report.sample import rows, view


def test_views_follow_their_rows(tmp_path: Path) -> None:
    kept = list(rows())
    for row in reversed(kept):
        append(tmp_path, as_lines([row], [View(f"{row.cell}#{row.trial}")]))
    finish(tmp_path)
    drop_unfinished(tmp_path)
    record = load(tmp_path)
    assert [seen["test"] for _, seen in record.seen()] == [f"{row.cell}#{row.trial}" for row in record.rows]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.jsonl", "views.jsonl"]


def test_without_views_there_is_no_file(tmp_path: Path) -> None:
    append(tmp_path, as_lines(list(rows())))
    finish(tmp_path)
    assert not (tmp_path / VIEWS).exists()
    assert set(load(tmp_path).views()) == {""}


def test_text_survives(tmp_path: Path) -> None:
    row = next(rows())
    text = "lone \ud800, \x1b[0m, \u2028, 漢"
    append(tmp_path, as_lines([row], [view(row, text)]))
    finish(tmp_path)
    [(_, loaded)] = load(tmp_path).seen()
    assert loaded["reply"] == f"reply {text}"
