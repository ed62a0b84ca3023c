"""Views stand beside their rows: line n of the one belongs to line n of the other."""

from __future__ import annotations

from pathlib import Path

from longctx.results.store import VIEWS, append, as_lines, drop_unfinished, load, load_views, merge
from longctx.results.view import View
from tests.report.sample import rows, view


def test_views_follow_their_rows(tmp_path: Path) -> None:
    found = list(rows())
    for row in reversed(found):
        append(tmp_path, as_lines([row], [View(f"{row.scenario}#{row.trial}")]))
    merge(tmp_path)
    drop_unfinished(tmp_path)
    frame = load(tmp_path)
    tests = [f"{scenario}#{trial}" for scenario, trial in zip(frame["scenario"], frame["trial"], strict=True)]
    assert [one["test"] for one in load_views(tmp_path)] == tests
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.jsonl", "views.jsonl"]


def test_without_views_there_is_no_file(tmp_path: Path) -> None:
    append(tmp_path, as_lines(list(rows())))
    merge(tmp_path)
    assert not (tmp_path / VIEWS).exists()
    assert set(map(str, load_views(tmp_path))) == {"{}"}


def test_text_survives(tmp_path: Path) -> None:
    row = next(rows())
    text = "lone \ud800, \x1b[0m, \u2028, 漢"
    append(tmp_path, as_lines([row], [view(row, text)]))
    merge(tmp_path)
    [found] = load_views(tmp_path)
    assert found["reply"] == f"reply {text}"
