"""What a reader states that it understood, and what it reads of rows in other places, with other scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longctx.results.foreign.choice import Choice, Undecided
from longctx.results.foreign.outcome import Scale
from longctx.results.imported import check_comparable, load_imported
from longctx.vocabulary.both import Both
from tests.given import json_lines, written
from tests.refusals import refused
from tests.results.foreign.files import credits

RIGHT: dict[str, Any] = {"correct": True}


def understood(path: Path, *rows: dict[str, Any], choice: Choice | None = None) -> str:
    named = [{"id": f"q{number}", **row} for number, row in enumerate(rows)]
    return load_imported(json_lines(path / "rows.jsonl", *named), choice or Choice()).understood


def test_the_sentence_names_items_outcome_and_other_outcomes(tmp_path: Path) -> None:
    row = {**RIGHT, "f1": 0.5, "length": 4}
    assert understood(tmp_path, row, row) == (
        "rows.jsonl is a file of rows: 2 items by id, outcome correct; also there: f1"
    )


def test_errors_are_not_measured_and_counted(tmp_path: Path) -> None:
    failed = {"correct": False, "error": "429 rate limited\nat once"}
    said = understood(tmp_path, RIGHT, failed, {"correct": False, "exception": {"message": "no"}}, {"correct": None})
    assert "2 of 4 ended with an error (429 rate limited at once, no) and are not measured" not in said  # `no` is none
    assert "1 of 4 ended with an error (429 rate limited at once) and are not measured" in said
    assert "1 of 4 have no outcome and are not measured" in said
    assert credits(tmp_path / "rows.jsonl") == [1, None, 0, None]


@pytest.mark.parametrize("error", [None, "", "None", "ok", False, [], {}, 0.25, 3])
def test_what_is_no_error(tmp_path: Path, error: object) -> None:
    assert "error" not in understood(tmp_path, {**RIGHT, "error": error})


def test_an_error_may_have_another_name(tmp_path: Path) -> None:
    rows = [{**RIGHT, "status": status} for status in ("success", "timeout", 0, 500)]
    choice = Choice(named={"error": "status"})
    assert "2 of 4 ended with an error (timeout, error 500)" in understood(tmp_path, *rows, choice=choice)


def test_direction_and_scale_are_stated(tmp_path: Path) -> None:
    choice = Choice(named={"correct": "toxicity"}, scale=Scale(1, 5, lower=True))
    said = understood(tmp_path, {"toxicity": 2}, choice=choice)
    assert "turned round, since lower is better; 1 to 5 become 0 to 1" in said
    with refused("which-direction", "'toxicity'"):
        understood(tmp_path, {"toxicity": 0.2}, choice=Choice(named={"correct": "toxicity"}))
    assert understood(tmp_path, {"toxicity": 1}, choice=Choice(named={"correct": "toxicity"}, scale=Scale(lower=False)))


def test_a_scale_is_suggested_for_marks(tmp_path: Path) -> None:
    with pytest.raises(Undecided) as refusal:
        understood(tmp_path, {"score": 2}, {"score": 4})
    assert refusal.value.options == [["--scale", "1:5"]]


def test_the_only_list_in_an_object_has_the_rows(tmp_path: Path) -> None:
    rows = [{"correct": True, "question": str(n)} for n in range(3)]
    file = written(tmp_path / "one.json", json.dumps({"meta": {"n": 1}, "deep": {"er": rows}}, indent=1))
    loaded = load_imported(file)
    assert loaded.understood.startswith("one.json is a file of rows (deep.er): 3 items by their place, outcome correct")
    assert [row.item for row in loaded.rows] == ["row 1", "row 2", "row 3"]
    two = written(tmp_path / "two.json", json.dumps({"a": rows, "b": rows[:1]}))
    with pytest.raises(Undecided) as refusal:
        load_imported(two)
    assert refusal.value.options == [["--rows", "a"], ["--rows", "b"]]
    assert len(load_imported(two, Choice(rows="b")).rows) == 1
    with refused("bad-result", "its field 'c'"):
        load_imported(written(tmp_path / "c.json", '{"c": 3}'), Choice(rows="c"))


def test_an_id_in_the_list_is_taken_if_it_identifies(tmp_path: Path) -> None:
    rows = [{"correct": True, "sample_id": n} for n in range(3)]
    assert "by sample_id" in load_imported(written(tmp_path / "a.json", json.dumps({"data": rows}))).understood


def test_names_reach_into_records(tmp_path: Path) -> None:
    metrics = [{"name": "Answer relevancy", "success": True}, {"name": "F.1", "success": False}]
    file = json_lines(tmp_path / "rows.jsonl", {"id": "a", "metrics": metrics})
    for name, credit in (("metrics.Answer relevancy.success", 1), ("metrics.F.1.success", 0)):
        [row] = load_imported(file, Choice(named={"correct": name})).rows
        assert row.credit == credit
    with refused("bad-result", "it has no field 'metrics.Other.success'"):
        load_imported(file, Choice(named={"correct": "metrics.Other.success"}))


@pytest.mark.parametrize(
    ("score", "expected", "credit"),
    [
        *[("contains", ["8", "7"], 1), ("contains", "17", 0), ("share", ["7", "9"], 0.5), ("exact", "Berth 7", 1)],
        *[("exact", "7", 0), ("contains", "berth", 1), ("contains", [["x"], ["7"]], 1)],
    ],
)
def test_answers_are_scored(tmp_path: Path, score: str, expected: object, credit: float) -> None:
    file = json_lines(tmp_path / "rows.jsonl", {"id": "a", "pred": "Berth 7.", "gold": expected})
    choice = Choice(named={"answer": "pred", "expected": "gold"}, score=score)
    loaded = load_imported(file, choice)
    assert [row.credit for row in loaded.rows] == [credit]
    assert f"outcome {score} of gold in pred" in loaded.understood


def test_nothing_expected_cannot_be_scored(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "rows.jsonl", {"id": "a", "answer": "7", "expected": []})
    with refused("bad-result", "its expected answer is empty"):
        load_imported(file, Choice(score="contains"))


def test_rows_by_place_are_about_the_same_questions(tmp_path: Path) -> None:
    old, new = (
        load_imported(json_lines(tmp_path / f"{name}.jsonl", *rows), Choice(named={"id": "ROW"}))
        for name, rows in (
            ("old", [{**RIGHT, "question": "a"}, {**RIGHT, "question": "b"}]),
            ("new", [{**RIGHT, "question": "b"}, {**RIGHT, "question": "a"}]),
        )
    )
    with refused("other-documents", "row 1, row 2"):
        check_comparable(old, new, Both(tmp_path / "old.jsonl", tmp_path / "new.jsonl"))


def test_fields_whose_values_meet_are_named(tmp_path: Path) -> None:
    paths = [
        json_lines(tmp_path / f"{name}.jsonl", *({"id": f"{name}-{n}", "item": f"q{n}", **RIGHT} for n in range(4)))
        for name in ("old", "new")
    ]
    old, new = map(load_imported, paths)
    with pytest.raises(Undecided) as refusal:
        check_comparable(old, new, Both(paths[0], paths[1]))
    assert refusal.value.options == [["--id", "item"]]
