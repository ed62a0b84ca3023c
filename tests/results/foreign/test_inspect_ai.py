"""Logs of inspect_ai: what is read of them, and what strangers may have put into them."""

from __future__ import annotations

import importlib.util
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from longctx.results.foreign import inspect_ai
from longctx.results.foreign.choice import Choice
from longctx.results.foreign.outcome import Scale
from longctx.results.imported import load_imported
from tests.refusals import refused
from tests.results.foreign.files import DATA, credits, read

OLD, NEW, AS_JSON = "inspect_ai_0.3.112.eval", "inspect_ai_0.3.285.eval", "inspect_ai_0.3.285.json"
HAS_ZSTANDARD = importlib.util.find_spec("zstandard") is not None


def archive(path: Path, entries: Mapping[str, object], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write an archive. entries: their contents, as JSON unless they are bytes."""
    with zipfile.ZipFile(path, "w", method) as file:
        for name, content in entries.items():
            file.writestr(name, content if isinstance(content, bytes) else json.dumps(content))
    return path


def sample(name: object, value: object, **fields: Any) -> dict[str, Any]:
    return {"id": name, "epoch": 1, "scores": {"match": {"value": value}}, **fields}


def test_epochs_are_repeats_and_an_error_is_not_measured() -> None:
    assert read(OLD, scorer="match", cluster="document", band="length") == [
        *[("q0", "short", "d0", 0, 1), ("q1", "short", "d0", 0, 1), ("q2", "long", "d1", 0, 0)],
        *[("q3", "long", "d1", 0, 1), ("q0", "short", "d0", 1, 1), ("q1", "short", "d0", 1, 1)],
        *[("q2", "long", "d1", 1, None), ("q3", "long", "d1", 1, 0)],
    ]


def test_several_scorers_have_to_be_chosen_from() -> None:
    with refused("choose-results", OLD, "scorer=match, scorer=includes"):
        load_imported(DATA / OLD)


@pytest.mark.skipif(not HAS_ZSTANDARD, reason="zstandard comes with inspect_ai")
def test_an_archive_of_zstandard_is_read() -> None:
    assert credits(NEW) == [1, 1, 1, 0]


@pytest.mark.skipif(not HAS_ZSTANDARD, reason="zstandard comes with inspect_ai")
def test_a_bomb_of_zstandard_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = importlib.import_module("zstandard").compress(b"[" + b" " * 30_000_000 + b"]")
    path = archive(tmp_path / "log.eval", {"header.json": {"eval": {}}, "summaries.json": packed}, zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        content[(start := content.rindex(mark) + place) : start + 2] = inspect_ai.ZSTANDARD.to_bytes(2, "little")
    path.write_bytes(content)
    monkeypatch.setattr(inspect_ai, "MOST_OF_ENTRY", 2_000_000)
    with refused("bad-results-file", "summaries.json has more than 2,000,000 bytes"):
        load_imported(path)


@pytest.mark.skipif(HAS_ZSTANDARD, reason="zstandard is installed")
def test_without_zstandard_a_sentence_says_what_to_do() -> None:
    with refused("no-zstandard", NEW, "pip install zstandard"):
        load_imported(DATA / NEW)


def test_another_archive_is_named(tmp_path: Path) -> None:
    with refused("packed-file", "rows.zip", "unpack it, and name the file in it"):
        load_imported(archive(tmp_path / "rows.zip", {"rows.jsonl": {"id": 1, "correct": True}}))


def test_a_part_of_a_score_is_a_scorer_with_partial_credit() -> None:
    assert credits(AS_JSON, scorer="rubric.helpful") == [1, 0.5, 1, 1]


def test_what_has_no_score_is_not_measured() -> None:
    assert credits(AS_JSON, scorer="unscorable") == [0.5, 0.5, 0.5, None]


def test_samples_are_read_without_summaries(tmp_path: Path) -> None:
    with zipfile.ZipFile(DATA / OLD) as file:
        entries = {name: file.read(name) for name in file.namelist() if name.startswith("samples/")}
    cut_short = archive(tmp_path / "log.eval", entries)
    assert read(cut_short, scorer="match") == read(OLD, scorer="match")


def test_an_invalidated_sample_is_not_measured(tmp_path: Path) -> None:
    entries = {
        "header.json": {"invalidated": True},
        "samples/a_epoch_1.json": sample("a", "C", invalidation={"author": "me"}),
        "samples/b_epoch_1.json": sample("b", "C"),
        "summaries.json": [sample("a", "C"), sample("b", "C")],
    }
    assert credits(archive(tmp_path / "log.eval", entries)) == [None, 1]


def test_if_every_sample_fails_none_is_measured(tmp_path: Path) -> None:
    log = {"header.json": {"eval": {"scorers": [{"name": "mine/match"}]}}, "summaries.json": [{"id": 1, "error": "x"}]}
    assert credits(archive(tmp_path / "log.eval", log), scorer="match") == [None]


def test_the_target_is_what_was_expected() -> None:
    rows = load_imported(DATA / OLD, Choice({"scorer": "match"})).rows
    assert [row.expected for row in rows][:3] == ["0", "2", "4"]


def test_costs_are_added(tmp_path: Path) -> None:
    usage = {"a": {"total_cost": 0.002}, "b": {"total_cost": 0.001}, "c": {}}
    file = archive(tmp_path / "log.eval", {"summaries.json": [sample("a", "C", model_usage=usage), sample("b", "I")]})
    assert [row.cost_usd for row in load_imported(file).rows] == [pytest.approx(0.003), None]


SAMPLES = [sample("a", "C")]


@pytest.mark.parametrize(
    ("entries", "code", "named"),
    [
        ({"summaries.json": b"{"}, "bad-results-file", "Expecting"),
        ({"summaries.json": b"[" * 100_000}, "bad-results-file", "nested too deeply"),
        ({"summaries.json": b"\xff"}, "bad-results-file", "utf-8"),
        ({"summaries.json": b'[{"id": 1, "id": 2}]'}, "bad-results-file", "'id' twice"),
        ({"summaries.json": b'[{"id": 1' + b"0" * 5000 + b"}]"}, "bad-results-file", "digits"),
        ({"summaries.json": [sample("\ud83d", "C")]}, "bad-result", "half of a character"),
        ({"summaries.json": [{"id": 1, "scores": {"\x1b[2J": 1}}]}, "bad-results-file", "\\x1b[2J"),
        ({"summaries.json": [*SAMPLES, *SAMPLES]}, "result-twice", "'a' (scorer match)"),
        ({"summaries.json": [sample(1, "C"), sample("1", "C")]}, "result-twice", "'1' (scorer match)"),
        ({"summaries.json": [[], [], []]}, "bad-results-file", "(samples.0: "),
        ({"summaries.json": []}, "no-imported-rows", "no results"),
        ({"notes.txt": b"a zip file"}, "packed-file", "no log of inspect_ai"),
        (
            {"../../samples/a.json": SAMPLES[0], "/etc/samples/a.json": SAMPLES[0]},
            "packed-file",
            "no log of inspect_ai",
        ),
        ({"summaries.json": [sample("\x1b[2J", 7)]}, "bad-result", "\\x1b[2J"),
    ],
)
def test_a_bad_archive_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries: Mapping[str, object], code: str, named: str
) -> None:
    file = archive(tmp_path / "log.eval", entries)
    monkeypatch.chdir(tmp_path)
    with refused(code, "log.eval", named):
        load_imported(file)
    assert [*tmp_path.iterdir()] == [file], "nothing is extracted"


def _cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _flipped(content: bytes) -> bytes:
    at = content.index(b"summaries.json") + 20
    return content[:at] + bytes(255 - byte for byte in content[at : at + 20]) + content[at + 20 :]


def _encrypted(content: bytes) -> bytes:
    at = content.index(b"PK\x01\x02") + 8
    return content[:at] + b"\x01" + content[at + 1 :]


@pytest.mark.parametrize("damage", [_cut, _flipped, _encrypted, lambda content: content[:4]])
def test_a_damaged_archive_is_a_sentence(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    file = archive(tmp_path / "log.eval", {"summaries.json": [sample(str(number), "C") for number in range(50)]})
    file.write_bytes(damage(file.read_bytes()))
    with refused("bad-results-file", "log.eval"):
        load_imported(file)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressions_that_zipfile_reads_without_a_bound_are_refused(tmp_path: Path, method: int) -> None:
    with refused("bad-results-file", "summaries.json is compressed by method"):
        load_imported(archive(tmp_path / "log.eval", {"summaries.json": SAMPLES}, method))


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = archive(tmp_path / "log.eval", {"summaries.json": b" " * 3_000_000})
    assert file.stat().st_size < 10_000
    monkeypatch.setattr(inspect_ai, "MOST_OF_ENTRY", 2_000_000)
    with refused("bad-results-file", "summaries.json has more than 2,000,000 bytes"):
        load_imported(file)


def test_many_values_are_not_parsed(tmp_path: Path) -> None:
    """Ten million empty lists are 30 kB in an archive, and 800 MB in memory."""
    file = archive(tmp_path / "log.eval", {"summaries.json": f"[{'[],' * 10_000_000}[]]".encode()})
    assert file.stat().st_size < 40_000
    with refused("bad-results-file", "log.eval", "it has more than 2,000,000 values"):
        load_imported(file)


def test_what_is_neither_text_nor_number_is_not_kept(tmp_path: Path) -> None:
    entry = sample("a", [[]] * 1000, metadata={"notes": [[]] * 1000, "level": 3})
    log = archive(tmp_path / "log.eval", {"samples/a.json": entry})
    [result] = inspect_ai.of_archive(log, Choice(named={"band": "level"}))
    assert (result.band, result.value) == ("3", "neither a text nor a number")
    with pytest.raises(ValueError, match="is no outcome"):
        Scale().share(result.value)
    with refused("bad-results-file", "the sample 'a': its field 'notes' is neither a text nor a number"):
        inspect_ai.of_archive(log, Choice(named={"band": "notes"}))


def test_many_entries_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = archive(tmp_path / "log.eval", {f"samples/{number}.json": sample(number, "C") for number in range(50)})
    monkeypatch.setattr(inspect_ai, "MOST_OF_ALL", 1_000)
    with refused("bad-results-file", "has more than"):
        load_imported(file)


def test_a_long_list_of_entries_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = archive(tmp_path / "log.eval", {f"{number}.json": b"{}" for number in range(100)})
    monkeypatch.setattr(inspect_ai, "MOST_LISTED", 4_000)
    with refused("bad-results-file", "its list of entries has more than 4,000 bytes"):
        load_imported(file)


@pytest.mark.parametrize(
    "summaries",
    [[sample("a", "C"), sample("b", "C")], [sample("a", "C")], [sample("a", "C"), sample("b", "I", error="x")]],
    ids=["another score", "fewer", "an error"],
)
def test_summaries_that_disagree_with_the_samples_are_refused(tmp_path: Path, summaries: list[object]) -> None:
    entries = {"samples/a.json": sample("a", "C"), "samples/b.json": sample("b", "I"), "summaries.json": summaries}
    with refused("bad-results-file", "log.eval", "summar"):
        read(archive(tmp_path / "log.eval", entries))
