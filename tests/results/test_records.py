"""Files that people bring: what is refused, and what would fill the memory."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
from pathlib import Path

import pytest

from longctx.results import records as module
from longctx.results.records import loads, log_lines, records
from tests.refusals import refused


def read(folder: Path, content: bytes) -> list[tuple[str, object]]:
    path = folder / "file"
    path.write_bytes(content)
    return [(record.place, record.value) for record in records(path)]


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    assert read(tmp_path, b'\n{"a": 1}\n \n{"a": 2}') == [("line 2", {"a": 1}), ("line 4", {"a": 2})]
    assert read(tmp_path, b'[{"a": 1},\n{"a": 2}]') == [("entry 1", {"a": 1}), ("entry 2", {"a": 2})]
    assert read(tmp_path, b'{\n"a": {"b": 1}\n}') == [("it", {"a": {"b": 1}})]
    assert read(tmp_path, b'a,b\n"1\n2",3\n4,5') == [
        ("line 3", {"a": "1\n2", "b": "3"}),
        ("line 4", {"a": "4", "b": "5"}),
    ]
    assert read(tmp_path, b" \r\n") == []


def test_a_cell_may_be_a_whole_document(tmp_path: Path) -> None:
    usual = csv.field_size_limit()
    [(_, row)] = read(tmp_path, b"id,context\na," + b"x" * (usual + 1))
    assert isinstance(row, dict)
    assert len(row["context"]) == usual + 1
    assert csv.field_size_limit() == usual


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"a": 1}\n{"a": }', "line 2 is not JSON: Expecting value"),
        (b'{"a": 1}\n[1]', "line 2 is no JSON object"),
        (b'{"a": 1}\n{"a": 1, "a": 2}', "line 2 is not JSON: it has the key 'a' twice"),
        (b'{"a": 1}\n' + b"[" * 100_000, "line 2 is not JSON: it is nested too deeply"),
        (b'{\n"a": ', "it is not JSON: Expecting value"),
        (b"[" * 100_000, "it is not JSON: it is nested too deeply"),
        (b"[" + b"[]," * 1_000_000 + b"[]]", "it is not JSON: it has more than 2,000,000 values"),
        (b"# Notes", "it is neither JSON nor a table"),
        (b"a,b\n1,2,3", "line 2 has 3 cells, and the first line 2"),
        (b"a,b,a\n1,2,3", "its first line names the column 'a' twice"),
        (b'a,b\n"1"2,3', "line 2 is not CSV"),
        (b"a,b\n" + b"," * 100_001, "it has more than 100,000 columns"),
        (gzip.compress(b'{"a": 1}', mtime=0)[:-8], "its compressed content is damaged"),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "found", "ends"),
    [
        (b'\n{"a": 1}\n \n[2]', [(2, {"a": 1}), (4, [2])], True),
        (b'{"a": 1, "a": 2}', [(1, {"a": 2})], True),
        (b'{"a": 1}\n{"a": ', [(1, {"a": 1})], False),
        (b'{\n"a": {"b": 1}\n}', [(1, {"a": {"b": 1}})], True),
        (b'[\n{"a": 1},\n{"a": ', [(1, [{"a": 1}])], False),
        (rb'{"a": "\ud83d"}', [(1, {"a": "?"})], True),
    ],
    ids=str,
)
def test_a_log_may_be_cut(tmp_path: Path, content: bytes, found: list[tuple[int, object]], ends: bool) -> None:
    path, cuts = tmp_path / "log", list[None]()
    path.write_bytes(content)
    assert list(log_lines(path, lambda: cuts.append(None))) == found
    assert (not cuts) == ends


def test_other_encodings_are_named(tmp_path: Path) -> None:
    with refused("not-utf-8", "file is not UTF-8 text"):
        read(tmp_path, "a,b\n1,2".encode("utf-16"))
    with refused("not-utf-8", "file is not UTF-8 text"):
        read(tmp_path, b'{"a": 1}\n{"a": "\xff"}')


@pytest.mark.parametrize("program", ["zstd", "bzip2", "xz"])
def test_another_compression_is_named_with_what_unpacks_it(tmp_path: Path, program: str) -> None:
    packed = {
        "zstd": b"\x28\xb5\x2f\xfd\x04\x00",  # the standard library writes none before Python 3.14
        "bzip2": bz2.compress(b'{"a": 1}'),
        "xz": lzma.compress(b'{"a": 1}'),
    }
    with refused("packed-file", f"unpack it first, by {program} -dk {tmp_path}/"):
        read(tmp_path, packed[program])
    assert read(tmp_path, b"BZh9,id\n1,2") == [("line 2", {"BZh9": "1", "id": "2"})]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with refused("not-readable", tmp_path):
        list(records(tmp_path))


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_UNPACKED", 1_000_000)
    bomb = gzip.compress(b" " * 3_000_000, mtime=0)
    assert len(bomb) < 10_000
    with pytest.raises(ValueError, match="it unpacks to more than 1,000,000 bytes"):
        read(tmp_path, bomb)


def test_a_cell_without_an_end_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OF_LINE", 1_000)
    with pytest.raises(ValueError, match="line 2 is not CSV: field larger than field limit"):
        read(tmp_path, b'a,b\n1,"' + b"x" * 2_000)


def test_json_is_read() -> None:
    assert loads('{"a": [{"b": 1}, {"b": 2}]}') == {"a": [{"b": 1}, {"b": 2}]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": {"b\\u001b": 1, "b\\u001b": 1}}', "twice"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "digits"),
        ("{", "Expecting"),
        ("{} {}", "Extra data"),
    ],
)
def test_what_json_leaves_open_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as found:
        loads(text)
    assert "\x1b" not in str(found.value)


def test_more_values_than_the_memory_should_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_VALUES", 20)
    assert loads("[" + "1, " * 18 + "1]")
    with pytest.raises(ValueError, match="it has more than 20 values"):
        loads(f"[{'[],' * 20}[]]")
    text = json.dumps(['a, [b], {c} and "[[["' * 40, "\\"])
    assert loads(text)[0].startswith("a, [b]"), "what is in texts is no value"
    long = json.dumps(["a" * 20] * 100)
    assert len(loads(long)) == 100, "a longer text may have more"
