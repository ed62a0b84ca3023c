"""The chunks of a folder, and those that BM25 retrieves."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.errors import UserError
from longctx.functions.chunks import read_chunks


def test_files_are_chunks_and_long_ones_are_parted_at_paragraphs(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.md").write_text("# Fees\n\nThe fee is five crowns.\n\nIt is paid at the gate.\n")
    (tmp_path / "sub" / "b.txt").write_text("The fog horn sounds twice.")
    (tmp_path / "c.png").write_bytes(b"\x89PNG")
    assert [chunk.id for chunk in read_chunks(tmp_path).sections] == ["a", "sub/b"]
    parted = read_chunks(tmp_path, 12).sections
    assert [chunk.id for chunk in parted] == ["a-1", "a-2", "sub/b"]
    assert all(chunk.tokens <= 14 for chunk in parted)
    with pytest.raises(UserError, match="no Markdown or text files"):
        read_chunks(tmp_path / "nowhere")


def test_bm25_ranks_the_chunks(tmp_path: Path) -> None:
    pytest.importorskip("bm25s")
    for name, text in {
        "fee": "The fee is five crowns.",
        "fog": "The horn sounds in fog.",
        "crew": "Crews rest.",
    }.items():
        (tmp_path / f"{name}.md").write_text(text)
    base = read_chunks(tmp_path)
    assert [chunk.id for chunk in base.retrieve("When does the horn sound in fog?", 1)] == ["fog"]
    assert len(base.retrieve("fee", 9)) == 3
