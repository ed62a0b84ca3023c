"""Output of promptfoo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from longctx.results.foreign.choice import Choice
from longctx.results.imported import load_imported
from tests.refusals import refused
from tests.results.foreign.files import DATA, credits, read

FILE = "promptfoo_0.121.20.json"
BRIEF = "Add {{a}} + {{b}} briefly."


def output(path: Path, *results: dict[str, Any]) -> Path:
    numbered = [{"testIdx": number, "promptIdx": 0, **result} for number, result in enumerate(results)]
    path.write_text(json.dumps({"evalId": "eval-1", "results": {"version": 3, "results": numbered}}))
    return path


def test_providers_prompts_and_scores_have_to_be_chosen_from() -> None:
    with refused("choose-results", "provider=mine:a, provider=second; prompt=What", BRIEF, "scorer=success"):
        load_imported(DATA / FILE)
    with refused("choose-results", "column=0, column=1; scorer=success, scorer=score"):
        load_imported(DATA / FILE, Choice({"provider": "mine:a"}))


def test_a_column_is_one_provider_and_prompt() -> None:
    of = {"provider": "mine:a", "prompt": BRIEF, "scorer": "success"}
    assert read(FILE, column="1", scorer="success") == read(FILE, **of)


def test_repeats_and_errors() -> None:
    assert read(FILE, provider="second", prompt=BRIEF, scorer="score", cluster="document") == [
        *[("s1", "all", "d1", 0, 1), ("s1", "all", "d1", 1, 1), ("s2", "all", "d1", 0, 0.5)],
        *[("s2", "all", "d1", 1, 0.5), ("s3", "all", "d2", 0, None), ("s3", "all", "d2", 1, None)],
    ]
    assert credits(FILE, column="3", scorer="success") == [1, 1, 0, 0, None, None]


def test_a_test_is_identified_by_its_variables_and_not_by_its_place(tmp_path: Path) -> None:
    tests = [{"success": True, "score": 1, "vars": {"text": text}} for text in ("short", "x" * 1000)]
    one, other = output(tmp_path / "one.json", *tests), output(tmp_path / "other.json", *reversed(tests))
    [(short, *_), (long, *_)] = read(one)
    assert short == '{"text": "short"}'
    assert len(str(long)) < 100
    assert [item for item, *_ in read(other)] == [long, short]


def test_a_test_without_variables_has_its_description(tmp_path: Path) -> None:
    described = {"success": True, "score": 1, "testCase": {"description": "greets"}}
    file = output(tmp_path / "results.json", described, {"success": False, "score": 0})
    assert [item for item, *_ in read(file)] == ["greets", "test 1"]


def test_a_metric_is_a_scorer(tmp_path: Path) -> None:
    file = output(tmp_path / "results.json", {"success": True, "score": 1, "namedScores": {"tone": 0.25}})
    assert credits(file, scorer="tone") == [0.25]


def test_a_metric_measures_the_tests_that_have_it(tmp_path: Path) -> None:
    graded = {"success": True, "score": 1, "namedScores": {"tone": 0.25}, "vars": {"id": "a"}}
    failed = {"success": False, "score": 0, "failureReason": 2, "vars": {"id": "a"}}
    file = output(tmp_path / "results.json", graded, failed, {"success": True, "score": 1, "vars": {"id": "b"}})
    assert credits(file, scorer="tone") == [0.25, None]


def test_a_bad_output_is_named(tmp_path: Path) -> None:
    with refused("bad-result", "results.json", "results.0.success"):
        load_imported(output(tmp_path / "results.json", {"success": [], "score": 1}))


def test_json_lines_are_read_as_the_json_is() -> None:
    lines = "promptfoo_0.121.20.jsonl"
    with refused(
        "choose-results", "provider=first, provider=second; prompt=What", "scorer=success, scorer=score, scorer=digit"
    ):
        load_imported(DATA / lines)
    of = {"provider": "second", "prompt": BRIEF, "scorer": "success"}
    assert read(lines, cluster="document", **of) == [
        *[("s1", "all", "d1", 0, 1), ("s1", "all", "d1", 1, 1), ("s2", "all", "d1", 0, 0), ("s2", "all", "d1", 1, 0)],
        *[("s3", "all", "d2", 0, None), ("s3", "all", "d2", 1, None)],
    ]
    assert read(lines, provider="second", column="3", scorer="digit") == [
        ("s2", "all", None, 0, 1),
        ("s2", "all", None, 1, 1),
    ]


def test_answers_and_reasons_are_kept() -> None:
    select = {"provider": "second", "prompt": BRIEF, "scorer": "success"}
    rows = load_imported(DATA / "promptfoo_0.121.20.jsonl", Choice(select)).rows
    assert [(row.returned, row.why) for row in rows if row.item == "s2"] == [
        ("5", 'Expected output "5" to equal "4"')
    ] * 2
