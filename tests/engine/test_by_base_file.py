"""What the base's test code made of the answers of shards."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.engine import by_base_file
from longctx.errors import UserError
from longctx.gate.judged_by_base import JudgedByBase, OtherRequests
from tests.rows import run


def test_shards_are_judged_together(tmp_path: Path) -> None:
    one = run("correct", test="test_it", band="all")
    other = run("wrong", test="test_it", cell="another", band="all")
    requests = {"test_it": OtherRequests(1, differ=1)}
    parts = [
        JudgedByBase("main", one, frozenset({"test_it"}), ["test_new"], {}, requests, {"test_it": "tests/test_it.py"}),
        JudgedByBase("main", other, frozenset({"test_it"}), ["test_new"], {"test_other": "why"}, requests),
    ]
    folders = [tmp_path / "1", tmp_path / "2", tmp_path / "without"]
    for folder in folders:
        folder.mkdir()
    for folder, part in zip(folders, parts, strict=False):
        by_base_file.write(folder, part)
    found = by_base_file.load(folders)
    assert found == JudgedByBase(
        "main",
        [*one, *other],
        frozenset({"test_it"}),
        ["test_new"],
        {"test_other": "why"},
        {"test_it": OtherRequests(2, differ=2)},
        {"test_it": "tests/test_it.py"},
    )
    assert by_base_file.load(folders[2:]) is None


@pytest.mark.parametrize("text", ["{", "[]", '{"base": 1}', '{"rows": [{}]}'])
def test_a_damaged_file_is_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / by_base_file.NAME).write_text(text)
    with pytest.raises(UserError) as raised:
        by_base_file.load([tmp_path])
    assert raised.value.code == "damaged-run"
