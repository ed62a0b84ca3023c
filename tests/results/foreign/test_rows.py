"""Rows under names of their own, in every form of a file."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from longctx.results.foreign import checks
from longctx.results.foreign.choice import Choice
from longctx.results.imported import load_imported
from tests.given import json_lines
from tests.refusals import refused
from tests.results.foreign.files import credits, read


def test_fields_beside_those_that_count_are_ignored(tmp_path: Path) -> None:
    more = {"model": "m", "latency_ms": 12, "tags": ["a"], "brand": "x", "host": "y", "answers": [1]}
    file = json_lines(tmp_path / "rows.jsonl", {"id": "a", "correct": True, **more})
    assert read(file) == [("a", "all", None, 0, 1)]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        *[("bnad", "band"), ("Band", "band"), ("bands", "band"), ("csot", "cost"), ("clusters", "cluster")],
        *[("clutser", "cluster"), ("clustar", "cluster"), ("custer", "cluster"), ("guesing", "guessing")],
    ],
)
def test_a_misspelt_field_is_named_with_the_right_one(tmp_path: Path, wrong: str, right: str) -> None:
    file = json_lines(tmp_path / "rows.jsonl", {"id": "a", "correct": True}, {"id": "b", "correct": True, wrong: 0.5})
    with refused("bad-result", "line 2", f"it has no field '{right}', but '{wrong}'"):
        load_imported(file)


def test_ids_and_bands_may_be_numbers(tmp_path: Path) -> None:
    assert read(json_lines(tmp_path / "rows.jsonl", {"id": 0, "correct": 1, "band": 4096, "cluster": 7})) == [
        ("0", "4096", "7", 0, 1)
    ]


@pytest.mark.parametrize(
    ("fields", "credit"),
    [({"correct": 1}, 1), ({"correct": 0}, 0), ({"correct": 0.7}, 0.7), ({"score": 0.7}, 0.7), ({"score": None}, None)],
)
def test_an_outcome_may_be_a_score(tmp_path: Path, fields: dict[str, object], credit: float | None) -> None:
    assert credits(json_lines(tmp_path / "rows.jsonl", {"id": "a", **fields})) == [credit]


TABLE = [{"id": "a b", "correct": "True", "band": "short", "answer": "yes, sir\nline", "cost": "0.5"}]
TABLE += [{"id": "c", "correct": "0", "band": "long", "answer": "", "cost": ""}]


def delimited(delimiter: str) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [*TABLE[0]], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(TABLE)
    return text.getvalue().encode()


@pytest.mark.parametrize(
    "content",
    [
        *[delimited(","), delimited("\t"), b"\xef\xbb\xbf" + delimited(";"), gzip.compress(delimited(","), mtime=0)],
        json.dumps(TABLE).encode(),
        json.dumps(TABLE, indent=2).encode(),
        gzip.compress("\r\n".join(map(json.dumps, TABLE)).encode(), mtime=0),
    ],
    ids=["CSV", "TSV", "semicolons", "CSV gzipped", "an array", "an array of many lines", "JSON lines gzipped"],
)
def test_a_file_is_read_by_its_form(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "results"
    file.write_bytes(content)
    found = load_imported(file).rows
    assert [(row.item, row.band, row.credit, row.returned, row.cost_usd) for row in found] == [
        ("a b", "short", 1, "yes, sir\nline", 0.5),
        ("c", "long", 0, None, None),
    ]


LONGBENCH = {"_id": "66eb", "length": "short", "answer": "C", "pred": "A", "judge": False, "meta": {"doc": 3}}


def test_options_name_the_fields(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "rows.jsonl", LONGBENCH)
    named = {"id": "_id", "correct": "judge", "answer": "pred", "expected": "answer", "band": "length"}
    [row] = load_imported(file, Choice(named={**named, "cluster": "meta.doc"})).rows
    assert (row.item, row.outcome, row.returned, row.expected) == ("66eb", "wrong", "A", "C")
    assert (row.band, row.cluster) == ("short", "3")


def test_what_is_not_understood_is_told_with_its_fields_and_the_options(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "rows.jsonl", LONGBENCH)
    with refused(
        "bad-result",
        "rows.jsonl, line 1: it has no field 'id' and no field 'correct', only _id, length, answer, pred, judge, meta.",
        "Options name them: --id _id --correct judge; --answer, --expected, --band, --cluster and --error name others",
    ):
        load_imported(file)
    with refused("bad-result", "it has no field 'id', only name, correct. Options name them: --id ROW"):
        load_imported(json_lines(tmp_path / "rows.jsonl", {"name": "a", "correct": True}))


@pytest.mark.parametrize(
    ("values", "named", "says"),
    [
        ([{"id": "a", "correct": "What is the fee?"}], {}, "'What is the fee?' is no outcome"),
        ([{"id": "a", "correct": 85}], {}, "'85' is no outcome"),
        ([{"id": "a", "x": {"em": 1}}], {"correct": "x"}, "'neither a text nor a number' is no outcome"),
        ([{"id": "a", "correct": True, "score": 0.5}], {}, "it has both correct and score: name one of them"),
        ([{"id": "a", "correct": True}, {"id": "b"}], {}, "line 2: it has no field 'correct', only id"),
        ([{"id": True, "correct": True}], {}, "its field 'id' is neither a text nor a number"),
        ([{"id": "", "correct": True}], {}, "its field 'id' is neither a text nor a number"),
        ([{"id": "a", "correct": True}], {"band": "length"}, "it has no field 'length', only id, correct"),
        ([{"id": "a", "correct": True, "cost": "much"}], {}, "its field 'cost' is no number from 0"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, values: Any, named: dict[str, str], says: str) -> None:
    with refused("bad-result", "rows.jsonl", says):
        load_imported(json_lines(tmp_path / "rows.jsonl", *values), Choice(named=named))


def test_two_scorers_in_a_file_have_to_be_chosen_from(tmp_path: Path) -> None:
    """Their results have the same ids, and are no repeats."""
    both = [
        {"id": name, "scorer": scorer, "score": score} for name in "ab" for scorer, score in (("em", 1), ("f1", 0.5))
    ]
    file = json_lines(tmp_path / "rows.jsonl", *both)
    with refused("choose-results", "scorer=em, scorer=f1"):
        load_imported(file)
    assert credits(file, scorer="f1") == [0.5, 0.5]
    each = json_lines(
        tmp_path / "each.jsonl", {"id": "a", "model": "x", "score": 1}, {"id": "b", "model": "y", "score": 1}
    )
    assert credits(each) == [1, 1], "a router asks either model"
    assert read(each, model="y") == [("b", "all", None, 0, 1)]


def test_a_text_that_identifies_an_item_is_cut(tmp_path: Path) -> None:
    question = "What is the fee? " * 20
    [row] = load_imported(
        json_lines(tmp_path / "rows.jsonl", {"q": question, "correct": 1}), Choice(named={"id": "q"})
    ).rows
    assert row.item is not None
    assert row.item.startswith("What is the fee?")
    assert len(row.item) < 100


def test_a_column_of_single_values_is_no_band(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "rows.jsonl", *({"id": number, "correct": 1, "text": number} for number in range(101)))
    with refused("many-bands", "has 101 bands, and no more than 100 are judged"):
        load_imported(file, Choice(named={"band": "text"}))


def test_more_results_than_the_memory_should_hold_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MOST_RESULTS", 10)
    file = json_lines(tmp_path / "rows.jsonl", *({"id": number, "correct": 1} for number in range(11)))
    with refused("file-too-large", "has more than 10 results: split it"):
        load_imported(file)
