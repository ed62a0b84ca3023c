"""The body of evidence that a run continues: its earlier runs, in any order, with every answer once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.gate.memory import (
    BodyOfEvidence,
    Memory,
    Now,
    SentRow,
    bands_of,
    body_of,
    earlier_rows,
    runs_by_recordings,
)
from longctx.results.row import Row
from longctx.results.verdicts import JudgedRun
from tests.rows import row

NOW = Now("main", "toy", "", "toy-1")


def sent(run: int, *outcomes: str, request: str = "r") -> list[SentRow]:
    """Return the answers of a run, the same requests in every run."""
    return [
        SentRow(_row(trial, outcome), "test, all", f"{request}{trial}", f"{run}-{trial}", "c")
        for trial, outcome in enumerate(outcomes)
    ]


def _row(trial: int, outcome: str) -> Row:
    return replace(row(), trial=trial, outcome="correct" if outcome == "c" else "wrong", source="live")


def judged(run: int, answers: list[SentRow], verdict: str = "inconclusive", **changed: object) -> JudgedRun:
    line = JudgedRun(
        run=str(run), at=f"2026-11-28T00:00:0{run}", version="1", baseline="main", subject="toy", server="",
        model_returned="toy-1", k=run, level=0.05, asked=len(answers), of=len(answers), verdict=verdict, fresh="",
        bands=bands_of(answers, (), {}, verdict),
    )  # fmt: skip
    return replace(line, **changed)  # type: ignore[arg-type]


ONE, TWO, THREE = (sent(run, "c", "w") for run in (1, 2, 3))


def test_a_later_run_takes_all_answers_to_the_same_requests() -> None:
    body = body_of(THREE, [judged(1, ONE), judged(2, TWO)], NOW)
    assert [run.run for run in body.runs] == ["1", "2"]
    outcomes = [(run.run, row.trial, row.outcome) for run, row in earlier_rows(THREE, body)]
    assert outcomes == [("1", 0, "correct"), ("1", 1, "wrong"), ("2", 0, "correct"), ("2", 1, "wrong")]
    assert len({row.repeat for _, row in earlier_rows(THREE, body)}) == 4


def test_a_replay_is_the_run_that_it_replays() -> None:
    body = body_of(TWO, [judged(1, ONE), judged(2, TWO), judged(3, THREE)], NOW)
    assert ([run.run for run in body.runs], body.own and body.own.run) == (["1"], "2")


@pytest.mark.parametrize(
    ("last", "runs"),
    [
        ({"verdict": "pass"}, []),
        ({"model_returned": "toy-2"}, []),
        ({"server": "other"}, []),
        ({"baseline": "other"}, ["1"]),
        ({"fresh": "repaired"}, ["2"]),
        ({"verdict": "regression"}, ["1", "2"]),
    ],
)
def test_what_ends_a_body_of_evidence(last: dict[str, object], runs: list[str]) -> None:
    body = body_of(THREE, [judged(1, ONE), replace(judged(2, TWO), **last)], NOW)  # type: ignore[arg-type]
    assert [run.run for run in body.runs] == runs
    assert body.regressed == (last.get("verdict") == "regression")


def test_another_request_judge_or_answer_of_the_baseline_continues_nothing() -> None:
    for other in (
        sent(1, "c", "w", request="s"),
        [replace(each, before="w") for each in ONE],
        [replace(each, row=replace(each.row, judged_by="expected=aaa")) for each in ONE],
    ):
        now = [replace(each, row=replace(each.row, judged_by="expected=bbb")) for each in THREE]
        body = body_of(now, [judged(1, other)], NOW)
        assert (body.runs, body.versions) == ([], 2)


def test_an_answer_that_the_run_has_itself_counts_once() -> None:
    extended = [*ONE, *sent(2, "c", "c", "c")[2:]]
    body = body_of(extended, [judged(1, ONE)], NOW)
    assert [run.run for run in body.runs] == ["1"]
    assert earlier_rows(extended, body) == []
    assert bands_of(extended, body.runs, {}, "pass")["test, all"].requests == ["r2"]


def test_versions_are_counted_until_one_passes() -> None:
    others = [judged(1, sent(1, "w", request="a")), judged(2, sent(2, "w", request="b"))]
    assert body_of(THREE, others, NOW).versions == 3
    assert body_of(THREE, [*others[:1], replace(others[1], verdict="pass")], NOW).versions == 1


def test_recordings_alone_tell_how_many_runs_there_were() -> None:
    assert runs_by_recordings(THREE, lambda _: {"1", "2", "3"}, "1") == 2
    assert runs_by_recordings([], lambda _: (), "") == 0


def test_what_is_said() -> None:
    body = body_of(THREE, [judged(1, ONE), judged(2, TWO)], NOW)
    memory = Memory(3, 0.005, body, 540, 180, (0.71, 0.73, 0.9), "regression", "pass")
    assert memory.sentences == [
        "run 3 of this change: regression · 540 answers to 180 requests, judged together at 0.5%; "
        "runs 0.71, 0.73, 0.90; this run alone: pass"
    ]
    first = replace(memory, k=1, body=BodyOfEvidence(), live=True, known=False)
    assert first.sentences == ["first run known here"]
    assert replace(first, known=True).sentences == []
