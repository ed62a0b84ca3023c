"""Shards of a change are remembered as whole runs are: the same recordings give the same verdict, merged or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.conftest import Checkout, Result, copied
from tests.integration.functions import ask, codes, judged, run
from tests.integration.verdict_lines import lines, wrong_every
from tests.servers import SimulatedServer

TESTS = """
import pytest


@pytest.mark.longctx(trials=30)
@pytest.mark.parametrize("ending", ["", " please"], ids=["plain", "kind"])
def test_code(ask, draw, check, ending):
    code = draw.integer(10_000, 99_999)
    reply = ask(f"The refund code is {code}. What is the refund code?{ending}")
    again = ask(messages=[{"role": "user", "content": f"The code is {code}, says {reply.text!r}. Sure?"}])
    check("sure", again.integer() == code)
    assert reply.integer() == code
"""
CHANGED = TESTS.replace("What is the refund code?", "Which code is it?")
GATE = "--ctx-baseline=first", "--ctx-profile=looks.toml"


@pytest.fixture(scope="module")
def original(fresh: Callable[[], Checkout]) -> Checkout:
    project = fresh()
    project.profile('models = ["toy"]\nmargin = 0.2\n', name="looks.toml")
    project.functions(TESTS)
    with SimulatedServer(codes) as server:
        assert ask(project, server).code == 0
    assert project.longctx("baseline", "save", "first").code == 0
    project.functions(CHANGED)
    return project


project = copied("original")
"""A project with a baseline, and a changed prompt of which nothing is recorded."""


def shards(project: Checkout, server: SimulatedServer, name: str, *arguments: str, mode: str = "all") -> None:
    for number in (1, 2):
        given = f"--ctx-shard={number}/2", f"--ctx-report={name}{number}", *arguments
        ask(project, server, *GATE, *given, mode=mode)


def merged(project: Checkout, name: str, order: str = "12", out: str = "") -> Result:
    folders = [f"{name}{number}" for number in order]
    return project.longctx("merge", *folders, f"--out={out or name}", "--no-page", "--baseline=first")


def verdict(project: Checkout, folder: str = "reports/latest") -> list[Any]:
    kept = project.gate(folder)
    notes = [note for note in kept["document"]["notes"] if "this change" in note or "--ctx-fresh" in note]
    return [
        kept["verdict"],
        notes,
        sorted((test["test"], test["verdict"], str(test["bands"])) for test in kept["tests"]),
    ]


def test_merged_shards_are_runs_of_one_change(project: Checkout) -> None:
    with SimulatedServer(wrong_every(5)) as server:
        shards(project, server, "a")
        assert merged(project, "a").code in (10, 11)
        assert [line["k"] for line in lines(project)] == [1]
        shards(project, server, "b")
        second = merged(project, "b")
    assert second.says("run 2 of this change"), second.out
    assert [(line["k"], line["level"]) for line in lines(project)] == [(1, 0.05), (2, 0.005)]
    known = verdict(project, "b")
    merged(project, "b", order="21", out="b-again")
    assert verdict(project, "b-again") == known
    run(project, *GATE, "-n2")
    assert verdict(project) == known
    assert judged(project)[0] == known[0]
    assert len(lines(project)) == 2, "neither a replay nor a second merge is a run"


def test_shards_begin_a_new_body_of_evidence_with_a_reason(project: Checkout) -> None:
    with SimulatedServer(wrong_every(3)) as server:
        shards(project, server, "a")
        assert merged(project, "a").code == 10
        server.script = codes
        shards(project, server, "b", "--ctx-fresh=the server was repaired")
        second = merged(project, "b")
    assert second.code == 0, second.out
    assert second.says("(--ctx-fresh): the server was repaired"), second.out
    assert [(line["k"], line["fresh"]) for line in lines(project)] == [(1, ""), (1, "the server was repaired")]
    known = verdict(project, "b")
    run(project, *GATE)
    assert verdict(project) == known
