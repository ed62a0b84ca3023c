"""What tells several rows of one item apart."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from longctx.results.foreign.choice import Choice, Undecided
from longctx.results.imported import load_imported
from tests.given import json_lines
from tests.refusals import refused
from tests.results.foreign.files import credits


def rows(path: Path, *factors: dict[str, list[Any]], **fields: Any) -> Path:
    """Write rows of ten items, one for each combination of some fields' values."""
    names = [name for factor in factors for name in factor]
    values = [factor[name] for factor in factors for name in factor]
    return json_lines(
        path,
        *(
            {"id": f"q{n}", "correct": (n + place) % 3 > 0, **dict(zip(names, one, strict=True)), **fields}
            for n in range(10)
            for place, one in enumerate(product(*values))
        ),
    )


@pytest.mark.parametrize("name", ["epoch", "attempt", "seed", "repeat", "trial", "run", "run_id", "trialIndex"])
def test_what_says_that_it_is_a_repeat_is_one(tmp_path: Path, name: str) -> None:
    loaded = load_imported(rows(tmp_path / "rows.jsonl", {name: [0, 1]}))
    assert [row.repeat for row in loaded.rows[:2]] == [0, 1]
    assert f"2 repeats of each, by {name}, are averaged" in loaded.understood


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("evaluation_name", ["exact", "bytes"]),
        ("model_name", ["small", "large"]),
        ("lang", ["de", "en"]),
        ("temperature", [0.0, 0.7]),
        ("with_tools", [True, False]),
        ("prompt_version", [1, 2]),
    ],
)
def test_any_other_field_has_to_be_chosen(tmp_path: Path, name: str, values: list[Any]) -> None:
    file = rows(tmp_path / "rows.jsonl", {name: values})
    with refused("choose-results", f"{name}={values[0]}, {name}={values[1]}"):
        load_imported(file)
    assert len(credits(file, **{name: str(values[1])})) == 10


def test_fields_in_objects_have_to_be_chosen(tmp_path: Path) -> None:
    both = [{"id": n, "correct": True, "of": {"grader": name}} for n in range(4) for name in "ab"]
    with refused("choose-results", "of.grader=a, of.grader=b"):
        load_imported(json_lines(tmp_path / "rows.jsonl", *both))


def test_several_fields_are_chosen_together_and_repeats_stay(tmp_path: Path) -> None:
    file = rows(tmp_path / "rows.jsonl", {"model": ["a", "b"], "length": [1, 2]}, {"seed": [1, 2, 3]})
    with pytest.raises(Undecided) as refusal:
        load_imported(file)
    assert refusal.value.options[1] == ["--select", "model=a", "--select", "length=2"]
    assert len(credits(file, model="a", length="2")) == 30


def test_a_field_that_follows_from_another_is_not_asked_for(tmp_path: Path) -> None:
    both = [
        {"id": n, "correct": True, **of}
        for n in range(4)
        for of in ({"model": "a", "vendor": "x"}, {"model": "b", "vendor": "y"})
    ]
    with pytest.raises(Undecided) as refusal:
        load_imported(json_lines(tmp_path / "rows.jsonl", *both))
    assert refusal.value.options == [["--select", "model=a"], ["--select", "model=b"]]


def test_a_model_that_follows_from_the_run_has_to_be_chosen(tmp_path: Path) -> None:
    both = [{"id": n, "correct": True, "run": run, "model": "ab"[run]} for n in range(4) for run in (0, 1)]
    with refused("choose-results", "model=a, model=b"):
        load_imported(json_lines(tmp_path / "rows.jsonl", *both))


def test_what_differs_between_repeats_is_no_choice(tmp_path: Path) -> None:
    many = [
        {
            "id": n,
            "correct": True,
            "seed": seed,
            "answer": f"{n} {seed}",
            "latency": n + seed / 7,
            "stop": "end",
            "at": f"{n}:{seed}",
        }
        for n in range(6)
        for seed in (1, 2)
    ]
    assert len(load_imported(json_lines(tmp_path / "rows.jsonl", *many)).rows) == 12
    without = [{name: value for name, value in row.items() if name != "seed"} for row in many]
    loaded = load_imported(json_lines(tmp_path / "rows.jsonl", *without))
    assert "2 repeats of each, since no field tells them apart, are averaged" in loaded.understood


def test_one_repeat_twice_is_none(tmp_path: Path) -> None:
    with refused("result-twice", "'q0' (seed 1) twice"):
        load_imported(json_lines(tmp_path / "rows.jsonl", *[{"id": "q0", "correct": True, "seed": 1}] * 2))


def test_a_selection_without_rows_lists_what_there_is(tmp_path: Path) -> None:
    with refused("not-in-results", "has no model=c: choose one of model=a, model=b"):
        load_imported(rows(tmp_path / "rows.jsonl", {"model": ["a", "b"]}), Choice({"model": "c"}))
