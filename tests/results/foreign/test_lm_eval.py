"""Samples of lm-evaluation-harness."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.results.foreign.choice import Choice
from longctx.results.imported import check_comparable, load_imported
from longctx.vocabulary.both import Both
from tests.given import json_lines
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
        ([{"doc_id": 0, "doc": {}, "perplexity": 12.5}], "which-direction", "perplexity"),
        ([{"doc_id": 0, "doc": {}}], "no-imported-rows", "no results"),
    ],
)
def test_bad_samples_are_named(tmp_path: Path, lines: list[object], code: str, named: str) -> None:
    with refused(code, "samples.jsonl", named):
        load_imported(json_lines(tmp_path / "samples.jsonl", *lines))


def test_samples_that_do_not_name_their_metrics(tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_text('{"doc_id": 0, "doc": "text", "acc": 0.25}\n{"doc_id": 1, "doc": "text", "acc": NaN}\n')
    assert credits(file) == [0.25, None]


def ruler(path: Path, *scores: tuple[str, float]) -> Path:
    """Write samples of a task of RULER: each has a score under its length, and -1 under all others."""
    lengths = [length for length, _ in scores]
    others = {"doc": {}, "metrics": lengths, **dict.fromkeys(lengths, -1.0)}
    lines = [{"doc_id": number, **others, length: score} for number, (length, score) in enumerate(scores)]
    return json_lines(path, *lines)


def test_a_length_of_ruler_is_a_band_and_no_sample_is_measured_at_others(tmp_path: Path) -> None:
    file = ruler(tmp_path / "samples.jsonl", ("4096", 1.0), ("8192", 0.25), ("131072", 0.0))
    assert read(file) == [
        *[("0", "4096", None, 0, 1), ("1", "8192", None, 0, 0.25), ("2", "131072", None, 0, 0)],
    ]


def test_a_field_of_the_document_may_identify_it() -> None:
    rows = load_imported(DATA / SUMS, Choice({"filter": "strict"}, {"id": "question", "expected": "answer"})).rows
    assert [(row.item, row.expected) for row in rows][:2] == [("1 + 1", "2"), ("2 + 2", "4")]


def test_the_hash_of_a_document_the_answer_and_the_target_are_kept() -> None:
    [first, *_] = load_imported(DATA / SUMS, Choice({"filter": "strict"})).rows
    assert first.documents == "2bd36f64c6d4db34224f74b315df8b6232cb773d01af765a70e360766ff8478a"
    assert (first.returned, first.expected) == ("2", "2")


def test_a_changed_document_is_noticed(tmp_path: Path) -> None:
    """Results of one doc_id are pairs only if they are about the same document."""
    new = tmp_path / "new.jsonl"
    new.write_text((DATA / SUMS).read_text().replace('"doc_hash": "2bd36f64', '"doc_hash": "00000000'))
    strict = Choice({"filter": "strict"})
    old, changed = load_imported(DATA / SUMS, strict), load_imported(new, strict)
    check_comparable(old, old, Both(DATA / SUMS, DATA / SUMS))
    with refused("other-documents", "new.jsonl has other documents than", "for 1 of 4 ids (0)"):
        check_comparable(old, changed, Both(DATA / SUMS, new))
