"""Looks: a gate asks part by part, stops in settled bands, and a replay gives the same verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.batch_server import BatchServer
from tests.integration.conftest import LINES, Checkout, copied
from tests.servers import SimulatedServer, failing, right, saying

PROFILE = 'looks = "equal"\n' + LINES.replace("trials = 2", "trials = 20")
GATE = "--ctx-baseline=base"


@pytest.fixture(scope="module")
def original(record_once: Callable[..., Checkout]) -> Checkout:
    return record_once("--ctx-report=base", profile=PROFILE)


measured = copied("original")
"""A project whose baseline is a run of 40 trials, all of them right."""


def causes(checkout: Checkout) -> dict[str | None, int]:
    errors = [row["error"] for row in checkout.rows()]
    return {error: errors.count(error) for error in set(errors)}


def test_a_worse_model_is_stopped_and_its_replay_has_the_same_verdict(
    measured: Checkout, server: SimulatedServer
) -> None:
    server.script = saying("13")
    result = measured.record(server, GATE, mode="all")
    assert result.code == 10
    sentence = "regression after 20 of 40 trials, 20 not sent"
    assert result.says("Asked 20 of 40 trials", f"Stopped early: {sentence}.", "2 passed")
    assert len(server.asked) == 20
    assert causes(measured) == {None: 20, "early stop": 20}
    assert {row["outcome"] for row in measured.rows() if row["error"]} == {"not_asked"}
    verdict = measured.gate()
    assert (verdict["verdict"], verdict["trials"], verdict["left_out"], verdict["reasons"]) == (
        "regression",
        40,
        20,
        [],
    )
    [band] = verdict["tests"][0]["bands"]
    assert (band["n"], band["lost"], band["look"], band["looks"]) == (20, 20, 1, 2)
    manifest = measured.read("reports/latest/run.json")
    assert manifest["looks"] == "equal"
    assert manifest["terms"] == {"margin": 0.05, "alpha": 0.05, "run_margin": None}
    assert measured.pytest(GATE).code == 10
    assert (measured.gate()["tests"], measured.gate()["left_out"]) == (verdict["tests"], 20)


def forget(checkout: Checkout) -> None:
    """Remove all recordings."""
    for file in checkout.file("cassettes").rglob("*.jsonl"):
        file.unlink()


def test_a_replay_leaves_out_what_the_run_left_out(measured: Checkout, server: SimulatedServer) -> None:
    forget(measured)
    server.script = saying("13")
    assert measured.record(server, GATE).code == 10
    asked = measured.gate()["tests"]
    for workers in ("-n0", "-n2"):
        replayed = measured.pytest(GATE, workers)
        assert replayed.code == 10
        assert replayed.says("2 passed")
        assert (measured.gate()["tests"], measured.gate()["left_out"]) == (asked, 20)


def test_the_same_model_is_stopped_with_a_pass(measured: Checkout, server: SimulatedServer) -> None:
    measured.options(margin=0.3)
    result = measured.record(server, GATE, mode="all")
    assert result.code == 0
    assert result.says("Stopped early: pass after 20 of 40 trials, 20 not sent")
    assert measured.gate()["verdict"] == "pass"


@pytest.mark.parametrize(("margin", "look"), [(0.3, 1), (0.1, 2)])
def test_bands_are_asked_until_all_together_are_settled_where_a_margin_is_stated(
    measured: Checkout, server: SimulatedServer, margin: float, look: int
) -> None:
    """At a margin of 50 points the band passes at its first look."""
    measured.profile(f"margin = 0.5\nrun_margin = {margin}\n{PROFILE}")
    assert measured.record(server, GATE, mode="all").code == 0
    verdict = measured.gate()
    [band] = verdict["tests"][0]["bands"]
    assert (band["verdict"], band["look"], len(server.asked)) == ("pass", 1, 20 * look)
    assert [verdict["run"][name] for name in ("verdict", "margin", "n", "look")] == ["pass", margin, 20 * look, look]
    replayed = measured.pytest(GATE)
    assert (replayed.code, measured.gate()["run"], measured.gate()["left_out"]) == (0, verdict["run"], 40 - 20 * look)


def test_what_is_not_settled_is_asked_to_the_end(measured: Checkout, server: SimulatedServer) -> None:
    result = measured.record(server, GATE, mode="all")
    assert result.code == 11
    assert result.says("Asked 40 of 40 trials", "all at look 2 of 2")
    assert not result.says("topped early:")


@pytest.mark.parametrize("given", [{"looks": "once"}, {"min_rate": 0.9}])
def test_a_gate_asks_all_where_it_is_told_to_or_has_a_minimum(
    measured: Checkout, server: SimulatedServer, given: dict[str, Any]
) -> None:
    measured.options(margin=0.3, **{name: value for name, value in given.items() if name != "looks"})
    if "looks" in given:
        measured.profile(measured.file("tiny.toml").read_text().replace('"equal"', '"once"'))
    result = measured.record(server, GATE, mode="all")
    assert result.code == 0
    assert result.says("Asked 40 of 40 trials")


def test_answers_on_the_tape_are_looked_at_first(measured: Checkout, server: SimulatedServer) -> None:
    forget(measured)
    server.script = saying("13")
    assert measured.record(server, GATE).code == 10
    assert len(server.asked) == measured.episodes() == 20
    server.script = right
    again = measured.record(server, GATE)
    assert again.code == 10
    assert again.says("Asked 0 of 20 trials", "Stopped early: regression after 20 of 40 trials, 20 not sent")
    assert len(server.asked) == 20


def test_a_server_that_fails_stops_nothing_early(measured: Checkout, server: SimulatedServer) -> None:
    forget(measured)
    server.script = lambda body: saying("13")(body) if len(server.asked) < 5 else failing(401)(body)
    failed = measured.record(server, GATE, "--ctx-concurrency=1")
    assert failed.code == 12
    assert failed.says("Asked 4 of 40 trials")
    assert "early stop" not in causes(measured)


def test_each_look_is_a_batch(measured: Checkout) -> None:
    measured.options(margin=0.3)
    measured.settings(trial_run=False)
    with BatchServer() as server:
        result = measured.record(server, GATE, "--ctx-batch", mode="all")
        assert result.code == 0, result.out + result.err
        assert result.says("holds 20 requests", "Stopped early: pass after 20 of 40 trials, 20 not sent")
        assert set(server.paid.values()) == {1}
        assert len(server.paid) == 20


def test_a_look_waits_for_the_batch_of_the_look_before(measured: Checkout) -> None:
    forget(measured)
    with BatchServer() as server:
        server.looks = 100
        measured.settings(trial_run=False, batch_wait=0)
        batch = (GATE, "--ctx-batch")
        left = measured.record(server, *batch)
        assert left.code == 12
        assert causes(measured) == {"pending": 40}
        assert left.says("holds 20 requests")
        server.looks = 0
        measured.settings(trial_run=False)
        assert measured.record(server, *batch).code == 11
        assert causes(measured) == {None: 40}
        assert set(server.paid.values()) == {1}


def test_a_shard_stops_in_the_bands_that_are_all_its_own_and_replays_green_without_a_baseline(
    measured: Checkout, server: SimulatedServer
) -> None:
    server.script = saying("13")
    result = measured.record(server, GATE, "--ctx-shard=1/2", mode="all")
    assert result.says("Asked 20 of 20 trials"), "the other shard has a part of the band"
    measured.profile(PROFILE.replace("lines = [3, 5]", "lines = [3]").replace("trials = 20", "trials = 40"))
    forget(measured)
    server.script = right
    measured.record(server, "--ctx-report=reports/one")
    server.script = saying("13")
    alone = measured.record(server, "--ctx-baseline=reports/one", "--ctx-shard=1/2", mode="all")
    assert alone.says("Stopped early: regression after 20 of 40 trials")
    replayed = measured.pytest()
    assert (replayed.code, causes(measured)) == (0, {None: 20, "early stop": 20}), replayed.out


@pytest.mark.parametrize("mode", ["all", "once"])
def test_after_an_early_stop_the_run_without_a_baseline_is_green_and_counts_what_was_left_out(
    measured: Checkout, server: SimulatedServer, mode: str
) -> None:
    if mode == "once":
        forget(measured)
    server.script = saying("13")
    assert measured.record(server, GATE, mode=mode).code == 10
    for workers in ("-n0", "-n2"):
        replayed = measured.pytest(workers)
        assert (replayed.code, causes(measured)) == (0, {None: 20, "early stop": 20}), replayed.out
        assert replayed.says("20 left out by early stopping"), replayed.out
    measured.options(min_rate=0.01)
    assert measured.pytest().code == 1, "a minimum needs all trials"
    assert measured.record(server).says("Asked 20 of 20 trials")
    assert causes(measured) == {None: 40}


def test_a_killed_run_after_an_early_stop_stays_red(measured: Checkout, server: SimulatedServer) -> None:
    server.script = saying("13")
    assert measured.record(server, GATE, mode="all").code == 10
    server.hold_after = len(server.received) + 5
    live = f"--ctx-base-url={server.url}", "--ctx-record=all", "--ctx-concurrency=1", GATE
    pid = measured.start("tests_longctx/test_line_retrieval.py", *live)
    server.wait_for(server.hold_after + 1)
    measured.kill(pid)
    replayed = measured.pytest()
    assert (replayed.code, causes(measured).keys()) == (1, {None, "missing"}), replayed.out
