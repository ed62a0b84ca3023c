"""Whether a run measured the whole of its grid."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from longctx.results.cell_names import cell_names
from longctx.results.completeness import incomplete_sentences, left_out_of_all, missing_shards
from longctx.results.row import Row
from tests.cli.runs import rows
from tests.report.sample import MANIFEST


def of(cell: str, *outcomes: str, **fields: Any) -> list[Row]:
    return rows(*(outcomes or ["correct"]), cell=cell, **fields)


def name(cell: str, **fields: Any) -> str:
    [cell_name] = cell_names(of(cell, **fields))
    return cell_name


def said(rows: list[Row], *left_out: str) -> list[str]:
    return list(incomplete_sentences(replace(MANIFEST, left_out=left_out), rows))


def test_a_cell_is_named_with_whom_it_is_of() -> None:
    assert name("lines-5") == "line_retrieval/lines-5 of some-model, prompts protocol"
    assert name("lines-5", labels={"steps": "9"}) == "line_retrieval/lines-5 of some-model, prompts protocol steps=9"


def test_a_complete_run_lacks_nothing() -> None:
    assert said(of("lines-5", "correct", "wrong", "refusal", "truncated", "unparseable")) == []


def test_what_was_left_out_is_named_and_what_was_not_measured_is_counted() -> None:
    sentences = said(of("lines-5", "correct", "infra_error", "not_asked", error="overloaded"), "a", "b", "c", "d")
    assert sentences == [
        "it left out 4 of its grid's cells: a; b; c …",
        "2 of its 3 trials were not measured (2 overloaded)",
    ]


def test_of_several_runs_only_what_none_ran_complete_is_left_out() -> None:
    shards = [(("lines-5",), ("lines-9", "lines-12")), (("lines-9",), ("lines-5", "lines-12"))]
    runs = [
        (replace(MANIFEST, left_out=tuple(map(name, left_out))), [row for cell in ran for row in of(cell)])
        for ran, left_out in shards
    ]
    assert left_out_of_all(runs) == (name("lines-12"),)


def test_two_single_trials_make_no_complete_cell() -> None:
    one_trial = replace(MANIFEST, left_out=(name("lines-5"),)), of("lines-5")
    assert left_out_of_all([one_trial, one_trial]) == (name("lines-5"),)


def test_what_was_run_under_another_label_is_another_cell() -> None:
    labelled = of("lines-5", labels={"steps": "9"})
    other = name("lines-5", labels={"steps": "10"})
    assert left_out_of_all([(MANIFEST, labelled), (replace(MANIFEST, left_out=(other,)), [])]) == (other,)


def lacking(*parts: dict[str, Any]) -> list[str]:
    return missing_shards(replace(MANIFEST, merged=tuple(asdict(replace(MANIFEST, **part)) for part in parts)))


def test_the_shards_that_are_not_there_are_named() -> None:
    assert missing_shards(MANIFEST) == []
    assert lacking({"shard": "1/2"}, {"shard": "2/2"}, {}) == []
    assert missing_shards(replace(MANIFEST, shard="2/2")) == ["shard 1/2 of its grid is missing"]
    assert lacking({"shard": "4/6"}) == ["shards 1/6, 2/6, 3/6 … of its grid are missing"]


def test_each_checkpoint_has_shards_of_its_own() -> None:
    steps = [{"steps": "200"}, {"steps": "400"}]
    whole = [{"shard": f"{number}/2", "labels": labels} for labels in steps for number in (1, 2)]
    assert lacking(*whole) == []
    assert lacking(*whole[:3]) == ["shard 2/2 of its grid, steps=400 is missing"]
    assert lacking({"shard": "1/2"}, {"shard": "2/3"}) == [
        "shard 2/2 of its grid is missing",
        "shards 1/3, 3/3 of its grid are missing",
    ]
