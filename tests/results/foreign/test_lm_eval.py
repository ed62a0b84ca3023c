"""Samples of lm-evaluation-harness."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longctx.results.imported import load_imported
from tests.refusals import refused
from tests.results.foreign.files import DATA, credits, read

SUMS, PICKS = "lm_eval_0.4.13_sums.jsonl", "lm_eval_0.4.13_picks.jsonl"


def test_filters_are_not_repeats() -> None:
    with refused("choose-results", SUMS, "filter=strict, filter=flexible"):
        load_imported(DATA / SUMS)
    assert credits(SUMS, filter="strict") == [1, 0, 1, 0]
    assert read(SUMS, filter="flexible", cluster="document", band="length") == [
        *[("0", "short", "d1", 0, 1), ("1", "short", "d1", 0, 1), ("2", "long", "d2", 0, 1)],
        ("3", "long", "d2", 0, 0),
    ]


def test_metrics_have_to_be_chosen_from() -> None:
    with refused("choose-results", "metric=acc, metric=acc_norm"):
        load_imported(DATA / PICKS)
    assert credits(PICKS, metric="acc_norm").count(1) == 3


@pytest.mark.parametrize(
    ("lines", "code", "named"),
    [
        ([{"doc_id": 0, "doc": {}, "acc": 1.0}, {"doc_id": "x", "doc": {}}], "bad-result", "line 2: doc_id"),
        ([{"doc_id": 0, "doc": {}, "acc": 1.0}] * 2, "result-twice", "'0' (filter none, metric acc)"),
        ([{"doc_id": 0, "doc": {}, "metrics": ["bleu"], "bleu": ["a", "b"]}], "bad-result", "between 0 and 1"),
        ([{"doc_id": 0, "doc": {}, "perplexity": 12.5}], "bad-result", "between 0 and 1"),
        ([{"doc_id": 0, "doc": {}}], "no-imported-rows", "no results"),
    ],
)
def test_bad_samples_are_named(tmp_path: Path, lines: list[object], code: str, named: str) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    with refused(code, "samples.jsonl", named):
        load_imported(file)


def test_samples_that_do_not_name_their_metrics(tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_text('{"doc_id": 0, "doc": "text", "acc": 0.25}\n{"doc_id": 1, "doc": "text", "acc": NaN}\n')
    assert credits(file) == [0.25, None]
