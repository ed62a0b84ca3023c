"""Test functions are asked look by look, and stop when their bands are settled."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.batch_server import BatchServer
from tests.integration.conftest import RECORD_ONLY, Checkout, copied
from tests.integration.functions import ask, codes, run, verdicts
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
GATE = "--ctx-baseline=first", "--ctx-profile=equal.toml"


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
STATED = CHANGED.replace("longctx(trials=60)", "longctx(trials=60, report=Report(gate=stated))").replace(
    "import pytest\n",
    """import pytest
from longctx import Rate, Report, Reported, StatedMinimum


def stated(before, after, tables):
    rate = Rate(sum(row.correct for row in after), len(after))
    minimum = StatedMinimum(rate.p_below(0.5), rate.hi < 0.5, "too few")
    yield Reported("codes", {"rate": rate.rate}, "Codes", {"rate": str(rate)}, minimum)
""",
)
"""It reports a number of the run with a stated minimum, which takes all trials."""
PARTLY = CHANGED.replace("    reply = ask(", "    if code % 2:\n        code += 1\n    reply = ask(")


def left_out(project: Checkout) -> int:
    """Return how many trials looks left out."""
    return sum(row["error"] == "early stop" for row in project.rows())


def based(project: Checkout, tests: str) -> Checkout:
    """Write these tests, record them and save the baseline `first`."""
    project.profile(EQUAL, name="equal.toml")
    project.options(margin=0.2)
    project.functions(tests)
    with SimulatedServer(codes) as server:
        assert ask(project, server).code == 0
    assert project.longctx("baseline", "save", "first").code == 0
    return project


@pytest.fixture(scope="module")
def original(fresh: Callable[[], Checkout]) -> Checkout:
    return based(fresh(), TESTS)


recorded = copied("original")
"""A project with a baseline, and with the recordings that it was made from."""


@pytest.fixture
def alone(recorded: Checkout) -> Checkout:
    """Return a project with a baseline alone."""
    shutil.rmtree(recorded.file("cassettes"))
    return recorded


def test_a_change_that_was_asked_in_looks_beside_earlier_answers_replays_to_the_same_verdict(
    recorded: Checkout,
) -> None:
    file = recorded.file("tests_longctx/test_functions.py")
    with SimulatedServer(codes) as server:
        file.write_text(CHANGED)
        asked = ask(recorded, server, *GATE, mode="new_episodes")
        assert asked.says("Stopped early: pass after 40 of 60 trials, 20 not sent")
        assert "not paired" not in asked.out
    tests = recorded.gate()["tests"]
    assert (run(recorded, *GATE).code, left_out(recorded)) == (0, 20)
    assert recorded.gate()["tests"] == tests
    file.write_text(PARTLY)
    assert (run(recorded, *GATE).code, left_out(recorded)) == (12, 0), "trials of the first look are stale"


def test_a_run_that_only_records_asks_all_trials(alone: Checkout) -> None:
    with SimulatedServer(codes) as server:
        assert ask(alone, server, *GATE, env=RECORD_ONLY).says("Recorded. The tests were not run.")
        assert len(server.asked) == alone.episodes() == 60


def test_a_test_whose_report_states_a_minimum_is_asked_to_the_end(recorded: Checkout) -> None:
    recorded.functions(STATED)
    with SimulatedServer(codes) as server:
        asked = ask(recorded, server, *GATE, mode="new_episodes")
    assert (asked.code, left_out(recorded), recorded.gate()["tests"][0]["codes"]) == (
        0,
        0,
        [{"rate": 1.0, "missed": False}],
    )
    tests = recorded.gate()["tests"]
    for workers in ("-n0", "-n2"):
        assert (run(recorded, *GATE, workers).code, left_out(recorded)) == (0, 0)
        assert recorded.gate()["tests"] == tests


def test_killed_between_looks_and_resumed_in_a_batch_it_stops_and_replays_to_the_same_verdict(
    alone: Checkout,
) -> None:
    """Each look has 20 trials, and both bands, that of the function and that of its check, pass at the second."""
    with SimulatedServer(codes, hold_after=20) as server:
        live = f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-model=toy", "--ctx-concurrency=1", *GATE
        pid = alone.start("tests_longctx/test_functions.py", *live, profile=None)
        server.wait_for(21)
        alone.kill(pid)
        assert alone.episodes() == 20
    alone.settings(trial_run=False)
    with BatchServer(script=codes) as batches:
        resumed = ask(alone, batches, *GATE, "--ctx-batch")
        assert resumed.says("holds 20 requests", "Stopped early: pass after 40 of 60 trials, 20 not sent")
        assert (resumed.code, len(batches.paid), left_out(alone)) == (0, 20, 20)
    asked = alone.gate()
    assert verdicts(alone) == {("test_code", "all"): "pass", ("test_code.polite", "all"): "pass"}
    assert [band["look"] for test in asked["tests"] for band in test["bands"]] == [2, 2]
    assert (run(alone, *GATE).code, left_out(alone)) == (0, 20)
    assert alone.gate()["tests"] == asked["tests"]


def test_shards_stop_in_the_bands_that_they_have_all_of_and_merge_to_the_verdict_of_one_run(checkout: Checkout) -> None:
    shutil.rmtree(based(checkout, SHARDED).file("cassettes"))
    with SimulatedServer(codes) as server:
        for number in (1, 2):
            shard = ask(checkout, server, *GATE, f"--ctx-shard={number}/2", f"--ctx-report=shard-{number}")
            assert shard.code == 0, shard
        assert len(server.asked) == 60 + 60 + 40
    merged = checkout.longctx("merge", "shard-1", "shard-2", "--out=merged", "--baseline=first", "--margin=0.2", "-v")
    assert merged.code == 0, merged
    assert merged.says("180 trials: 160 live, 20 left out by early stopping")
    assert merged.says("Stopped early: pass after 160 of 180 trials, 20 not sent.")
    assert {row["cell"] for row in checkout.rows("merged") if row["error"] == "early stop"} == {"tokens-9"}
    assert (run(checkout, *GATE).code, left_out(checkout)) == (0, 20)
    assert checkout.gate("merged")["tests"] == checkout.gate()["tests"]
    assert checkout.longctx("baseline", "save", "second", "merged", "--force").says("[run-stopped-early]")


def test_without_a_profile_a_function_is_looked_at_as_soon_as_it_can_pass(alone: Checkout) -> None:
    """At a margin of 20%, 36 identical answers pass at the first look; at one of 5% it takes 52, so all are asked."""
    gated = ("--ctx-baseline=first",)
    with SimulatedServer(codes) as server:
        asked = ask(alone, server, *gated)
        assert asked.says("Stopped early: pass after 36 of 60 trials, 24 not sent")
        tests = alone.gate()["tests"]
        assert (run(alone, *gated).code, left_out(alone)) == (0, 24)
        assert alone.gate()["tests"] == tests
        alone.options()
        again = ask(alone, server, "--ctx-baseline=first", mode="all")
        assert (again.code, left_out(alone)) == (0, 0)


FIXTURES = """
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def note(what):
    with (HERE / "setups").open("a") as file:
        print(what, file=file)


@pytest.fixture(scope="module")
def database():
    note("up")
    yield {"asked": "What is the refund code?"}
    note("down")


@pytest.fixture
def question(database):
    return database["asked"]


@pytest.mark.longctx(trials=60)
def test_code(ask, draw, question):
    code = draw.integer(10_000, 99_999)
    assert ask(f"The refund code is {code}. {question}").integer() == code
"""


@pytest.mark.parametrize("batch", [(), ("--ctx-batch",)])
def test_all_looks_and_rounds_are_in_one_nested_pytest(checkout: Checkout, batch: tuple[str, ...]) -> None:
    """The only cell is asked in two looks, in batches after a canary; then it is measured."""
    shutil.rmtree(based(checkout, FIXTURES).file("cassettes"))
    noted = checkout.file("tests_longctx/setups")
    noted.unlink()
    with BatchServer(script=codes) as server:
        asked = ask(checkout, server, *GATE, *batch)
        assert asked.says("Stopped early: pass after 40 of 60 trials, 20 not sent")
    assert noted.read_text().split() == ["up", "down", "up", "down"], "the nested pytest, and the one that measures"


@pytest.mark.parametrize("mode", ["all", "new_episodes"])
def test_after_an_early_stop_the_run_without_a_baseline_is_green(recorded: Checkout, mode: str) -> None:
    """With record mode `new_episodes` the trials that are left out have stale answers."""
    with SimulatedServer(codes) as server:
        recorded.file("tests_longctx/test_functions.py").write_text(CHANGED)
        asked = ask(recorded, server, *GATE, mode=mode)
        assert asked.says("Stopped early: pass after 40 of 60 trials, 20 not sent"), asked.out
        for workers in ("-n0", "-n2"):
            replayed = run(recorded, workers)
            assert (replayed.code, left_out(recorded)) == (0, 20), replayed.out
            assert replayed.says("20 left out by early stopping")
        assert "run-stopped-early" in recorded.longctx("baseline", "save", "second").err
        again = ask(recorded, server, mode="new_episodes")
        assert again.says("Asked 20 requests of 60 trials"), again.out
    assert (run(recorded).code, left_out(recorded)) == (0, 0)
