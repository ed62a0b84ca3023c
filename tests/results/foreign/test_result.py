"""The scores of other tools, and the choice among the results of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longctx.results.foreign.choice import Choice
from longctx.results.imported import load_imported, load_results
from tests.given import written
from tests.refusals import refused
from tests.results.foreign.files import DATA, read

SUMS = "lm_eval_0.4.13_sums.jsonl"


def test_what_a_file_lacks_cannot_be_selected() -> None:
    for select in ({"filter": "lax"}, {"provider": "strict"}):
        with refused("not-in-results", SUMS, "filter=strict, filter=flexible; metric=exact_match"):
            load_imported(DATA / SUMS, Choice(select))


def test_a_field_that_an_item_lacks_is_named() -> None:
    with refused("bad-result", SUMS, "line 1: it has no field 'chapter'", "question, answer, document, length"):
        read(SUMS, filter="strict", cluster="chapter")


@pytest.mark.parametrize("value", [None, [1], {"a": 1}])
def test_a_field_that_is_no_text_is_no_band(tmp_path: Path, value: object) -> None:
    file = written(tmp_path / "samples.jsonl", json.dumps({"doc_id": 0, "doc": {"length": value}, "acc": 1}))
    with refused("bad-result", "its field 'length' is neither a text nor a number"):
        read(file, band="length")


def test_long_lists_are_cut(tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_text(json.dumps({"doc_id": 0, "doc": 0, "metrics": [f"{n}\x1b" + "x" * 99 for n in range(1000)]}))
    with pytest.raises(Exception, match="choose-results") as found:
        load_imported(file)
    assert len(str(found.value)) < 3000
    assert "\x1b" not in str(found.value)


def test_a_run_has_nothing_to_choose(tmp_path: Path) -> None:
    with refused("nothing-to-choose", tmp_path):
        load_results(tmp_path, Choice(named={"band": "length"}))


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("results.json", '{"evalId": 1', "bad-result"),
        ("results.json", '{\n  "results": {"arc": {"acc": 1}}\n}', "bad-result"),
        ("rows.jsonl", "[\n1]", "bad-result"),
        ("results.json", '{"eval": {}, "samples": [{"epoch": 1}]}', "bad-result"),
        ("results.json", '{"eval": {}, "samples": []}', "no-imported-rows"),
    ],
)
def test_other_files_are_named(tmp_path: Path, name: str, text: str, code: str) -> None:
    (tmp_path / name).write_text(text)
    with refused(code, name):
        load_imported(tmp_path / name)


def test_repeats_of_a_part_of_the_items_are_refused(tmp_path: Path) -> None:
    samples = [{"id": "a", "epoch": epoch, "scores": {"m": {"value": "C"}}} for epoch in (1, 2)]
    samples += [{**samples[0], "id": "b"}]
    (tmp_path / "log.json").write_text(json.dumps({"eval": {}, "samples": samples}))
    with refused("uneven-repeats", "'a' 2 times"):
        load_imported(tmp_path / "log.json")
