"""The explorer's data: an index without markup, and chunks of details in its order."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.report.page import trials
from longctx.results.row import Row
from tests.report.sample import HOSTILE, rows, view
from tests.rows import row as one


def shown(**options: Any) -> list[Row]:
    return list(rows(**options))


def views(**options: Any) -> list[str]:
    return [view(row).to_json() for row in rows(**options)]


def details(*packed: str) -> list[Any]:
    return [trial for chunk in packed for trial in json.loads(gzip.decompress(base64.b64decode(chunk)))]


def test_every_trial_is_found_by_its_names() -> None:
    run = shown()
    index = json.loads(trials.index(run, str))
    assert len(index["trials"]) == len(run)
    for row, trial in zip(run, index["trials"], strict=True):
        assert index["names"]["cell"][trial[1]] == row.cell
        assert index["names"]["outcome"][trial[3]] == row.outcome
        assert trial[4] == f"#{row.trial}"


@pytest.mark.parametrize("error", ["stale", "missing", "early stop", "budget"])
def test_a_trial_that_was_not_asked_says_why(error: str) -> None:
    run = [one(), one("not_asked", trial=1, error=error), one("not_asked", trial=2, error="another")]
    index = json.loads(trials.index(run, str))
    assert [index["names"]["outcome"][trial[3]] for trial in index["trials"]] == ["correct", error, "not_asked"]
    assert [trial["outcome"] for trial in details(*trials.chunks(run, ["{}"] * 3, []))] == [
        "correct",
        error,
        "not_asked",
    ]


def test_details_are_in_the_index_s_order() -> None:
    run = shown(trials=30)
    packed = list(trials.chunks(run, views(trials=30), ["--ctx-profile=a"]))
    assert len(packed) == -(-len(run) // trials.CHUNK) > 1
    chunks = details(*packed)
    assert len(chunks) == len(run)
    assert [trial["command"].split()[-2] for trial in chunks] == [f"--ctx-only={row.trial}" for row in run]
    assert all(trial["command"].endswith(" --ctx-profile=a") for trial in chunks)


def test_facts_have_names_and_units_and_what_was_never_known_is_left_out() -> None:
    [first, *_, not_asked] = details(*trials.chunks(shown(), views(), []))
    assert first["facts"] == {
        "depth of the needle": "5.0%",
        "needle to the end": "100 tokens",
        "prompt": "1,000 tokens",
        "read from the prompt cache": "900 tokens",
        "reply": "5 tokens",
        "latency": "0.50 s",
        "cost": "$0.001",
        "stopped by": "end_turn",
        "answered by": "some-model",
        "answer": "replayed",
        "recorded": "2026-11-21 00:00 UTC",
    }
    assert first["why"] == ["1234"]
    assert not_asked["facts"] == {
        "needle to the end": "100 tokens",
        "stopped by": "end_turn",
        "answered by": "some-model",
    }
    assert not_asked["why"] == ["1234", "1234"]
    assert "reply" not in not_asked


def test_a_server_of_one_s_own_costs_nothing() -> None:
    [free] = details(*trials.chunks([replace(shown()[0], cost_usd=0.0)], views()[:1], []))
    assert free["facts"]["cost"] == "$0"


def test_the_command_is_quoted_for_a_shell() -> None:
    [trial] = details(*trials.chunks(shown()[:1], views()[:1], ["--ctx-profile=made up; rm -rf ."]))
    assert trial["command"] == (
        "pytest 'tests_longctx/test_line_retrieval.py::test[lines-5]' --ctx-only=0 '--ctx-profile=made up; rm -rf .'"
    )


def test_a_trial_of_a_question_or_a_case_goes_by_its_id() -> None:
    first, *_ = shown()
    named = [
        replace(first, test="collage", version=2, trial=0, item="fees-q1@0123456789ab"),
        replace(first, test="test_review", trial=0, item="contract-17"),
        replace(first, test="collage", trial=3, item="fees-q1@0123456789ab"),
    ]
    index = json.loads(trials.index(named, str))
    assert [trial[4] for trial in index["trials"]] == ["#fees-q1", "#contract-17", "#3"]
    commands = [trial["command"].split()[-1] for trial in details(*trials.chunks(named, views()[:1] * 3, []))]
    assert commands == ["--ctx-only=fees-q1", "--ctx-only=contract-17", "--ctx-only=3"]


def test_a_page_of_several_runs_has_no_command() -> None:
    [trial] = details(*trials.chunks(shown()[:1], views()[:1], None))
    assert trial["command"] is None


def test_a_run_without_text_has_no_views() -> None:
    [first, *_] = details(*trials.chunks(shown(), [""] * len(shown()), []))
    assert first["command"] is None


def test_nothing_to_show() -> None:
    assert json.loads(trials.index([], str))["trials"] == []
    assert list(trials.chunks([], [], [])) == []


@given(st.text() | st.just(HOSTILE + "\ud800"))
def test_no_text_can_end_the_script_that_holds_it(text: str) -> None:
    run = shown(trials=1, text=text, model=text)
    index = trials.index(run, str)
    assert "<" not in index
    assert json.loads(index)["names"]["model"] == [f"{text}, prompts protocol"]
