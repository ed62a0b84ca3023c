"""Test functions are asked look by look, and stop when their bands are settled."""

from __future__ import annotations

import shutil

from tests.batch_server import BatchServer
from tests.integration.conftest import Checkout
from tests.integration.functions import ask, codes, gate, rows, run, verdicts
from tests.servers import SimulatedServer

TESTS = """
import pytest


@pytest.mark.longctx(trials=60)
def test_code(ask, draw, check):
    code = draw.integer(10_000, 99_999)
    reply = ask(f"The refund code is {code}. What is the refund code?")
    check("polite", "please" in reply.text)
    assert reply.integer() == code
"""
EQUAL = 'looks = "equal"\nmodels = ["toy"]\n'
GATE = "--ctx-baseline=first", "--ctx-margin=0.2", "--ctx-profile=equal.toml"


SHARDED = """
import pytest


@pytest.mark.longctx(trials=60, bands={"short": 2, "long": 9})
@pytest.mark.parametrize("tokens", [1, 2, 9])
def test_code(ask, draw, tokens):
    code = draw.integer(10_000, 99_999)
    assert ask(f"The refund code is {code}. " * tokens + "What is the refund code?").integer() == code
"""
"""Of two shards, one has a band of a single cell, and both have a cell of the other band."""
CHANGED = TESTS.replace("What is the refund code?", "Which code is it?")
PARTLY = CHANGED.replace("    reply = ask(", "    if code % 2:\n        code += 1\n    reply = ask(")


def left_out(project: Checkout) -> int:
    """Return how many trials looks left out."""
    return sum(row["error"] == "early stop" for row in rows(project))


def save_baseline_alone(project: Checkout, server: SimulatedServer) -> None:
    """Save the baseline `first`, and delete the recordings it was made from."""
    assert ask(project, server).code == 0
    assert project.longctx("baseline", "save", "first").code == 0
    shutil.rmtree(project.file("cassettes"))
    server.received.clear()


def test_a_change_that_was_asked_in_looks_beside_earlier_answers_replays_to_the_same_verdict(
    checkout: Checkout,
) -> None:
    file = checkout.file("tests_longctx/test_functions.py")
    checkout.profile(EQUAL, name="equal.toml")
    file.write_text(TESTS)
    with SimulatedServer(codes) as server:
        assert ask(checkout, server).code == 0
        assert checkout.longctx("baseline", "save", "first").code == 0
        file.write_text(CHANGED)
        live = f"--ctx-base-url={server.url}", "--ctx-record=new_episodes", "--ctx-model=toy"
        asked = checkout.pytest("tests_longctx/test_functions.py", *live, *GATE, profile=None)
        assert asked.says("Stopped early: pass shown after 40 of 60 trials, 20 not asked")
        assert "not paired" not in asked.out
    families = gate(checkout)["families"]
    assert (run(checkout, *GATE).code, left_out(checkout)) == (0, 20)
    assert gate(checkout)["families"] == families
    file.write_text(PARTLY)
    assert (run(checkout, *GATE).code, left_out(checkout)) == (12, 0), "trials of the first look are stale"


def test_killed_between_looks_and_resumed_in_a_batch_it_stops_and_replays_to_the_same_verdict(
    checkout: Checkout,
) -> None:
    """Each look has 20 trials, and both bands, that of the function and that of its check, pass at the second."""
    checkout.profile(EQUAL, name="equal.toml")
    checkout.file("tests_longctx/test_functions.py").write_text(TESTS)
    with SimulatedServer(codes) as server:
        save_baseline_alone(checkout, server)
        server.hold_after = 20
        live = f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-model=toy", "--ctx-concurrency=1", *GATE
        pid = checkout.start("tests_longctx/test_functions.py", *live, profile=None)
        server.wait_for(21)
        checkout.kill(pid)
        assert checkout.episodes() == 20
    with BatchServer(script=codes) as batches:
        resumed = ask(checkout, batches, *GATE, "--ctx-batch", "--ctx-no-canary")
        assert resumed.says("holds 20 requests", "Stopped early: pass shown after 40 of 60 trials, 20 not asked")
        assert (resumed.code, len(batches.paid), left_out(checkout)) == (0, 20, 20)
    asked = gate(checkout)
    assert verdicts(checkout) == {("test_code", "all"): "pass", ("test_code.polite", "all"): "pass"}
    assert [band["look"] for family in asked["families"] for band in family["bands"]] == [2, 2]
    assert (run(checkout, *GATE).code, left_out(checkout)) == (0, 20)
    assert gate(checkout)["families"] == asked["families"]


def test_shards_stop_in_the_bands_that_they_have_all_of_and_merge_to_the_verdict_of_one_run(checkout: Checkout) -> None:
    checkout.profile(EQUAL, name="equal.toml")
    checkout.file("tests_longctx/test_functions.py").write_text(SHARDED)
    with SimulatedServer(codes) as server:
        save_baseline_alone(checkout, server)
        for number in (1, 2):
            shard = ask(checkout, server, *GATE, f"--ctx-shard={number}/2", f"--ctx-report=shard-{number}")
            assert shard.code == 0, shard
        assert len(server.asked) == 60 + 60 + 40
    merged = checkout.longctx("merge", "shard-1", "shard-2", "--out=merged", "--baseline=first", "--margin=0.2", "-v")
    assert merged.code == 0, merged
    assert merged.says("180 trials: 160 live, 20 left out by early stopping")
    assert merged.says("Stopped early: pass shown after 160 of 180 trials, 20 not asked.")
    assert {row["scenario"] for row in checkout.rows("merged") if row["error"] == "early stop"} == {"tokens-9"}
    assert (run(checkout, *GATE).code, left_out(checkout)) == (0, 20)
    assert gate(checkout, "merged")["families"] == gate(checkout)["families"]
    assert checkout.longctx("baseline", "save", "second", "merged", "--force").says("[run-stopped-early]")


def test_without_a_profile_a_function_is_looked_at_as_soon_as_it_can_pass(checkout: Checkout) -> None:
    """At a margin of 20%, 36 identical answers pass at the first look; at one of 5% it takes 52, so all are asked."""
    checkout.file("tests_longctx/test_functions.py").write_text(TESTS)
    gated = "--ctx-baseline=first", "--ctx-margin=0.2"
    with SimulatedServer(codes) as server:
        save_baseline_alone(checkout, server)
        asked = ask(checkout, server, *gated)
        assert asked.says("Stopped early: pass shown after 36 of 60 trials, 24 not asked")
        families = gate(checkout)["families"]
        assert (run(checkout, *gated).code, left_out(checkout)) == (0, 24)
        assert gate(checkout)["families"] == families
        again = ask(checkout, server, "--ctx-baseline=first", mode="all")
        assert (again.code, left_out(checkout)) == (0, 0)


def test_a_gate_that_was_asked_by_the_plan_of_earlier_versions_is_resumed_and_replayed_by_it(
    checkout: Checkout,
) -> None:
    checkout.profile(EQUAL, name="equal.toml")
    checkout.file("tests_longctx/test_functions.py").write_text(TESTS)
    with SimulatedServer(codes) as server:
        save_baseline_alone(checkout, server)
        assert ask(checkout, server, *GATE).says("pass shown after 40 of 60 trials")
        [cassette] = checkout.file("cassettes").rglob("*.jsonl")
        text = cassette.read_text()
        assert text.count('"looks":"equal"') == 40
        cassette.write_text(text.replace('"looks":"equal"', '"looks":true'))
        for newer in (ask(checkout, server, *GATE[:2]), run(checkout, *GATE[:2])):
            assert (newer.code, left_out(checkout)) == (0, 20)
        assert len(server.asked) == 40
