"""What is known about a verdict before anything is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from longctx.gate.invalid_in_advance import invalid_in_advance
from longctx.gate.recording_age import AgeLimit
from longctx.gate.verdict import Rules
from longctx.results.row import Row
from tests.rows import joined, run

RULES = Rules(age=AgeLimit("2026-11-22T00:00:00+00:00"))
TO_ASK: dict[str, Any] = {"source": "live", "recorded_at": None}
OLD: dict[str, Any] = {"source": "replayed", "recorded_at": "2026-11-01T00:00:00+00:00"}


def rows(n: int = 200, outcome: str = "correct", **fields: Any) -> list[Row]:
    return run(*[outcome] * n, **{"band": "all", **fields})


BASELINE = joined(rows(model_returned="m-1"))


def reasons(*after: list[Row], before: list[Row] = BASELINE, rules: Rules = RULES) -> list[str]:
    return invalid_in_advance(before, joined(*after), rules)


def test_a_run_that_is_yet_to_be_asked_may_have_any_verdict() -> None:
    assert reasons(rows(**TO_ASK)) == []
    assert reasons(rows(outcome="wrong", **TO_ASK)) == []
    assert reasons(rows(model="another", **TO_ASK)) == []


def test_a_grid_cut_down_and_a_baseline_of_other_trials_are_known() -> None:
    [left_out] = reasons(rows(**TO_ASK), rules=Rules(age=RULES.age, left_out=3))
    assert left_out.startswith("3 of the grid's cells were left out (")
    for other in ({"seed": 7}, {"cell": "lines-9"}):
        [sentence] = reasons(rows(**TO_ASK, **other))
        assert sentence.startswith("the run and its baseline have no trial in common")


def test_it_must_be_clear_what_is_compared_with_what() -> None:
    [sentence] = reasons(rows(model="one", **TO_ASK), rows(model="two", **TO_ASK))
    assert "[unclear-comparison]" in sentence


@pytest.mark.parametrize(
    ("cause", "missing", "known"), [("does_not_fit", 2, 0), ("does_not_fit", 3, 1), ("stale", 1, 1)]
)
def test_what_cannot_be_asked_may_be_too_much(cause: str, missing: int, known: int) -> None:
    cannot = [replace(row, trial=199 - row.trial, error=cause) for row in rows(missing, "not_asked")]
    sentences = reasons(rows(200 - missing, **TO_ASK), cannot)
    assert len(sentences) == known
    assert all(sentence.startswith(f"line_retrieval: {missing} ") for sentence in sentences)


def test_of_a_shard_only_what_the_others_cannot_change_counts() -> None:
    def of_a_shard(*after: list[Row], rules: Rules = RULES) -> list[str]:
        return invalid_in_advance(BASELINE, joined(*after), rules, part=True)

    assert of_a_shard(rows(seed=7, **TO_ASK)) == []
    assert of_a_shard(rows(model="one", **TO_ASK), rows(model="two", **TO_ASK)) == []
    assert of_a_shard(rows(200, "not_asked", error="stale")) == []
    assert len(of_a_shard(rows(**TO_ASK), rules=Rules(age=RULES.age, left_out=3))) == 1
    assert "the model has changed" in of_a_shard(rows(model_returned="m-2", **OLD))[0]


def test_few_missing_may_yet_change_nothing() -> None:
    """Only the answers of the other trials tell whether the verdict would change if the missing ones were wrong."""
    before = joined(rows(1000, model_returned="m-1"))
    cannot = [replace(row, trial=999 - row.trial, error="does_not_fit") for row in rows(8, "not_asked")]
    assert reasons(rows(992, outcome="wrong", **TO_ASK), cannot, before=before) == []


@pytest.mark.parametrize(
    ("recorded", "known"),
    [({"model_returned": "m-1"}, 0), ({"model_returned": "m-2"}, 1), ({"model": "new", "model_returned": "n"}, 1)],
    ids=["the same", "moved alias", "another model"],
)
def test_old_recordings_of_another_model_are_known(recorded: dict[str, Any], known: int) -> None:
    to_ask = rows(190, **TO_ASK, model=recorded.get("model", "some-model"))
    replayed = [replace(row, trial=199 - row.trial) for row in rows(10, **OLD, **recorded)]
    sentences = reasons(to_ask, replayed)
    assert len(sentences) == known
    assert all("10 of 200 answers are recordings of up to 21 days ago" in sentence for sentence in sentences)


def test_models_that_answered_the_baseline_may_answer_again() -> None:
    before = joined(rows(100, model_returned="m-1"), rows(100, seed=3, model_returned="m-2"))
    assert reasons(rows(100, **TO_ASK), rows(100, seed=3, **OLD, model_returned="m-1"), before=before) == []
