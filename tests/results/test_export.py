"""Rows as CSV and Parquet: typed, and harmless in a spreadsheet."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.results.export import CSV, PARQUET, cell, export
from longctx.results.row import KEPT, Row
from longctx.text import visible
from tests.rows import bare as row

ANY = st.text(st.characters(codec=None, exclude_categories=()))


def exported(folder: Path, *rows: Row) -> tuple[list[dict[str, str]], pd.DataFrame]:
    """Return the cells of the CSV as text, and the Parquet as a frame."""
    export(rows, folder / CSV, folder / PARQUET)
    with (folder / CSV).open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    return cells, pd.read_parquet(folder / PARQUET)


def test_numbers_times_and_truth_have_their_types(tmp_path: Path) -> None:
    answered: dict[str, Any] = {"depth": 0.25, "input_tokens": 7, "recorded_at": "2026-11-21T23:59:59+00:00"}
    cells, frame = exported(tmp_path, row(**answered), row(outcome="wrong"), row(outcome="not_asked", error="missing"))
    kinds = {name: str(frame[name].dtype) for name in ("trial", "input_tokens", "depth", "correct")}
    assert kinds == {"trial": "Int64", "input_tokens": "Int64", "depth": "Float64", "correct": "boolean"}
    assert str(frame["recorded_at"].dtype).endswith(", UTC]")
    assert frame["recorded_at"][0] == pd.Timestamp("2026-11-21 23:59:59", tz="UTC")
    assert frame["input_tokens"].isna().tolist() == [False, True, True]
    assert frame["correct"].tolist() == [True, False, pd.NA]
    assert [line["input_tokens"] for line in cells] == ["7", "", ""]
    assert [line["correct"] for line in cells] == ["True", "False", ""]
    assert cells[0]["recorded_at"] == "2026-11-21T23:59:59Z"


def test_every_field_is_a_column_and_mappings_are_json(tmp_path: Path) -> None:
    cells, frame = exported(tmp_path, row(labels={"na\x7fme": "ü\x1b=1"}, trace={"line": -2}))
    assert [name for name in frame.columns if name != "correct"] == list(KEPT)
    for kept in (cells[0], frame.iloc[0]):
        assert json.loads(kept["params"]) == {"lines": 5, "block_size": None}
        assert json.loads(kept["labels"]) == {"na\x7fme": "ü\x1b=1"}
        assert json.loads(kept["trace"]) == {"line": -2}


@pytest.mark.parametrize(
    "text", ['=HYPERLINK("http://x","y")', "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", "\uff1d1", "\u200b=1"]
)
def test_no_formula_starts_and_parquet_keeps_the_text(tmp_path: Path, text: str) -> None:
    cells, frame = exported(tmp_path, row(returned=text, latency_s=-0.5))
    assert cells[0]["returned"] in (f"'{text}", visible(text))
    assert cells[0]["returned"][0] not in "=+-@\uff1d\t\r\n "
    assert frame["returned"].tolist() == [text]
    assert cells[0]["latency_s"] == "-0.5"


@given(ANY)
def test_a_cell_never_starts_a_formula_nor_holds_a_control_character(text: str) -> None:
    shown = cell(text)
    assert shown.lstrip()[:1] not in {*"=+-@\uff1d\uff0b\uff0d\uff20\t\r\n"}
    assert visible(shown) == shown


@given(st.lists(ANY, min_size=1))
@settings(max_examples=10)
def test_any_text_is_a_cell_of_one_row(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    cells, frame = exported(tmp_path_factory.mktemp("run"), *(row(returned=text, error=text) for text in texts))
    kept = [text.encode("utf-8", "backslashreplace").decode() for text in texts]
    assert [line["returned"] for line in cells] == [line["error"] for line in cells] == [cell(text) for text in kept]
    assert frame["returned"].tolist() == kept


def test_absurd_counts_and_times_are_null(tmp_path: Path) -> None:
    _, frame = exported(tmp_path, row(input_tokens=10**30, recorded_at="yesterday"))
    assert frame["input_tokens"].isna().all()
    assert frame["recorded_at"].isna().all()


def test_a_run_of_nothing_has_its_columns(tmp_path: Path) -> None:
    cells, frame = exported(tmp_path)
    assert cells == []
    assert str(frame["input_tokens"].dtype) == "Int64"


def test_a_file_that_is_written_in_parts_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The types are the same even if a part by itself would not show them."""
    answered: dict[str, Any] = {"depth": 0.25, "input_tokens": 7, "recorded_at": "2026-11-21T23:59:59+00:00"}
    rows = [row(), row(trial=1), row(trial=2, returned="1\n2", **answered), row(trial=3, outcome="not_asked")]
    whole = exported(tmp_path, *rows)
    monkeypatch.setattr("longctx.results.export.PART", 2)
    parted = exported(tmp_path, *rows)
    assert parted[0] == whole[0]
    pd.testing.assert_frame_equal(parted[1], whole[1])
