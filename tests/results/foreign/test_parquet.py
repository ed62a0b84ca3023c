"""Rows of Parquet files, and files that would fill the memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longctx.results.foreign import parquet, parquet_pages
from longctx.results.foreign.parquet import parquet_rows
from tests.refusals import refused

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def written(folder: Path, answers: Any, **options: Any) -> Path:
    path = folder / "rows.parquet"
    table = pa.table({"id": [*range(len(answers))], "correct": [True] * len(answers), "answer": answers})
    pq.write_table(table, path, compression="zstd", write_statistics=False, **options)
    return path


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_rows_are_read(tmp_path: Path, version: str, dictionary: bool) -> None:
    path = written(tmp_path, ["a", None, "b" * 70_000] * 99, data_page_version=version, use_dictionary=dictionary)
    rows = [entry.value for entry in parquet_rows(path)]
    assert rows[2] == {"id": 2, "correct": True, "answer": "b" * 70_000}
    assert (len(rows), rows[-2]["answer"]) == (297, None)


def zigzag(number: int, length: int = 0) -> bytes:
    """Return a number as the list of pages has it, in at least `length` bytes."""
    number, written = 2 * number, b""
    while number > 127 or len(written) + 1 < length:
        written, number = written + bytes([number & 127 | 128]), number >> 7
    return written + bytes([number])


def with_false_sizes(path: Path) -> Path:
    """Have the list of pages of a file say that its columns unpack to 1,000 bytes; the pages say what they are."""
    group = pq.ParquetFile(path).metadata.row_group(0)
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    pages, listed = content[:start], content[start:]
    for size in (group.total_byte_size, *(group.column(n).total_uncompressed_size for n in range(group.num_columns))):
        if size > 1_000_000:
            listed = listed.replace(zigzag(size), zigzag(1_000, len(zigzag(size))))
    path.write_bytes(pages + listed)
    assert pq.ParquetFile(path).metadata.row_group(0).column(2).total_uncompressed_size == 1_000
    return path


def once(answers: Any, **options: Any) -> Callable[[Path], Path]:
    return lambda folder: written(folder, answers, **options)


@pytest.mark.parametrize(
    ("bomb", "limit", "told"),
    [
        (once(["x" * 3_000_000], use_dictionary=False), "MOST_UNPACKED", "unpacks to more than 2,000,000 bytes"),
        (once(["x" * 30_000] * 200), "MOST_UNPACKED", "unpacks to more than 2,000,000 bytes"),
        (
            lambda folder: with_false_sizes(written(folder, ["x" * 3_000_000], use_dictionary=False)),
            "MOST_UNPACKED",
            "unpacks to more than 2,000,000 bytes",
        ),
        (once([[0] * 5_000]), "MOST_LEAVES", "more than 4,000 values"),
        (
            once(["x" * 3_000] * 9, use_dictionary=["id"], column_encoding={"answer": "DELTA_BYTE_ARRAY"}),
            "",
            "DELTA_BYTE_ARRAY",
        ),
        (once([f"{n}" for n in range(9_000)], data_page_size=64, use_dictionary=False), "MOST_PAGES", "more than 4"),
    ],
    ids=["a long text", "a text in each row", "false sizes", "a long list", "prefixes", "many pages"],
)
def test_a_bomb_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bomb: Callable[[Path], Path], limit: str, told: str
) -> None:
    path = bomb(tmp_path)
    assert path.stat().st_size < 200_000
    if limit:
        module = parquet_pages if limit == "MOST_PAGES" else parquet
        monkeypatch.setattr(module, limit, {"MOST_UNPACKED": 2_000_000, "MOST_LEAVES": 4_000, "MOST_PAGES": 4}[limit])
    with pytest.raises(ValueError, match=told):
        [*parquet_rows(path)]


def test_more_rows_than_are_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MOST_ROWS", 4)
    with refused("file-too-large"):
        [*parquet_rows(written(tmp_path, ["a"] * 5))]
