"""The verdict remembers: the runs of one change are judged together, live and replayed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.conftest import Checkout, Result, copied
from tests.integration.functions import ask, codes, judged, run
from tests.integration.verdict_lines import VERDICTS, lines, wrong_every
from tests.servers import SimulatedServer, failing

TESTS = """
import pytest


@pytest.mark.longctx(trials=60)
def test_code(ask, draw, check):
    code = draw.integer(10_000, 99_999)
    reply = ask(f"The refund code is {code}. What is the refund code?")
    check("polite", "please" in reply.text)
    assert reply.integer() == code
"""
CHANGED = TESTS.replace("What is the refund code?", "Which code is it?")
GATE = "--ctx-baseline=first", "--ctx-profile=looks.toml"


@pytest.fixture(scope="module")
def original(fresh: Callable[[], Checkout]) -> Checkout:
    project = fresh()
    project.profile('models = ["toy"]\n', name="looks.toml")
    project.options(margin=0.2)
    project.functions(TESTS)
    with SimulatedServer(codes) as server:
        assert ask(project, server).code == 0
    assert project.longctx("baseline", "save", "first").code == 0
    project.functions(CHANGED)
    return project


project = copied("original")
"""A project with a baseline, and a changed prompt of which nothing is recorded."""


def gate(project: Checkout, server: SimulatedServer, *arguments: str, mode: str = "all", **options: Any) -> Result:
    return ask(project, server, *GATE, *arguments, mode=mode, **options)


def replays_alike(project: Checkout) -> None:
    """Check that replays come to the verdict of the live run, whatever the workers and the order of the lines."""
    verdict, text, code = judged(project), project.gate()["document"]["notes"], None
    kept = project.file(VERDICTS).read_bytes()
    for workers in ("-n0", "-n2"):
        replayed = run(project, *GATE, workers)
        assert judged(project) == verdict, replayed.out
        assert [note for note in project.gate()["document"]["notes"] if "of this change" in note] == [
            note for note in text if "of this change" in note
        ]
        assert code in (None, replayed.code)
        code = replayed.code
        assert project.file(VERDICTS).read_bytes() == kept, "a replay writes no line"
        reordered = b"".join(reversed(kept.splitlines(keepends=True)))
        project.file(VERDICTS).write_bytes(reordered)
        kept = reordered


def test_a_worse_server_that_is_asked_four_times_does_not_pass(project: Checkout) -> None:
    with SimulatedServer(wrong_every(5)) as server:
        results = [gate(project, server) for _ in range(4)]
    assert all(result.code in (10, 11) for result in results), "\n\n".join(result.out for result in results)
    assert not results[0].says("of this change")
    assert results[0].says("first run known here")
    assert results[3].says("run 4 of this change: regression", "to 60 requests, judged together at 0.5%"), results[
        3
    ].out
    kept = lines(project)
    assert [(line["k"], line["level"], line["baseline"]) for line in kept] == [
        (1, 0.05, "first"),
        *((k, 0.005, "first") for k in (2, 3, 4)),
    ]
    assert [line["asked"] for line in kept[1:]] == [60, 60, 60], "a later run is asked whole"
    assert {len(request) for request in kept[0]["bands"]["test_code, all"]["requests"]} == {12}
    replays_alike(project)


def test_the_needed_trials_are_those_of_the_next_run_whichever_run_it_is(project: Checkout) -> None:
    project.options(margin=0.1)
    with SimulatedServer(wrong_every(15)) as server:
        results = [gate(project, server) for _ in range(2)]
    for result in results:
        assert result.code == 11, result.out
        assert result.says(
            "test_code, all: about", "in the next run, which counts these and is judged at 0.5%; the run has 60."
        ), result.out
    assert results[1].says("run 2 of this change: inconclusive")
    replays_alike(project)


def test_a_regression_stands_until_all_answers_together_rule_it_out(project: Checkout) -> None:
    with SimulatedServer(wrong_every(3)) as server:
        assert gate(project, server).code == 10
        server.script = wrong_every(9)
        second = gate(project, server, "--ctx-on-inconclusive=pass")
        assert second.code == 10, second.out
        assert second.says("run 2 of this change: regression · ", "runs 0.67, 0.90; this run alone: regression"), (
            second.out
        )
        replays_alike(project)
        server.script = codes
        passed = [gate(project, server).code for _ in range(2)]
        assert passed[-1] == 0
        again = gate(project, server)
    assert again.code == 0
    assert not again.says("of this change"), "a pass ends the body of evidence"


def test_a_changed_request_begins_a_new_body_and_counts_as_a_version(project: Checkout) -> None:
    with SimulatedServer(wrong_every(3)) as server:
        assert gate(project, server).code == 10
        project.functions(CHANGED.replace("Which code", "Please: which code"))
        server.script = codes
        second = gate(project, server, mode="new_episodes")
        assert second.code == 0, second.out
        assert second.says("2nd version of this change, 2 live runs"), second.out
        assert lines(project)[-1]["k"] == 1
        project.functions(CHANGED)
        project.file(VERDICTS).unlink()
        server.script = wrong_every(3)
        third = gate(project, server)
    assert third.says("run 2 of this change", "are not known here, but their answers are recorded"), third.out


def test_a_fresh_body_of_evidence_has_a_reason(project: Checkout) -> None:
    with SimulatedServer(wrong_every(3)) as server:
        assert gate(project, server).code == 10
        server.script = codes
        second = gate(project, server, "--ctx-fresh=the server was repaired")
    assert second.code == 0, second.out
    assert second.says("(--ctx-fresh): the server was repaired")
    assert [(line["k"], line["fresh"]) for line in lines(project)] == [(1, ""), (1, "the server was repaired")]
    replayed = run(project, *GATE)
    assert replayed.code == 0
    assert replayed.says("(--ctx-fresh): the server was repaired")


def test_a_run_that_failed_in_part_and_is_resumed_is_one_run(project: Checkout) -> None:
    came = itertools.count()
    with SimulatedServer(lambda body: codes(body) if next(came) < 10 else failing(401)(body)) as server:
        assert gate(project, server, mode="new_episodes").code == 12
        server.script = codes
        resumed = gate(project, server, mode="new_episodes")
    assert resumed.code == 0, resumed.out
    assert [line["asked"] for line in lines(project)] == [10, 50]


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda text: text[: len(text) // 2], "the last line was cut short"),
        (lambda text: text.replace('"verdict": "regression"', '"verdict": "pass"', 1), "it was edited"),
        (lambda text: "{}\n", "line 1"),
    ],
)
def test_a_damaged_verdict_is_named_and_the_run_is_still_known_by_its_recordings(
    project: Checkout, damage: Callable[[str], str], why: str
) -> None:
    with SimulatedServer(wrong_every(3)) as server:
        assert gate(project, server).code == 10
        file = project.file(VERDICTS)
        file.write_text(damage(file.read_text()))
        server.script = codes
        second = gate(project, server)
    assert second.says("verdicts.jsonl has verdicts that do not count", why), second.out
    assert second.says("run 2 of this change"), second.out
