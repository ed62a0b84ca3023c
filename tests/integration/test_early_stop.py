"""--ctx-early-stop: the asking stops when the verdict is settled, and the run is judged by what was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import LINES, Checkout
from tests.servers import SimulatedServer, failing, right, saying

PROFILE = LINES.replace("trials = 2", "trials = 20")
EARLY = ("--ctx-baseline=base", "--ctx-early-stop")


@pytest.fixture(scope="module")
def original(record_once: Callable[..., Checkout]) -> Checkout:
    return record_once("--ctx-report=base", profile=PROFILE)


@pytest.fixture
def measured(original: Checkout, tmp_path: Path) -> Checkout:
    """Return a project whose baseline is a run of 40 trials, all of them right."""
    return original.copied(tmp_path / "checkout")


def gate(checkout: Checkout) -> dict[str, Any]:
    verdict: dict[str, Any] = json.loads((checkout.folder / "reports/latest/gate.json").read_text())
    return verdict


def causes(checkout: Checkout) -> dict[str | None, int]:
    errors = [row["error"] for row in checkout.rows()]
    return {error: errors.count(error) for error in set(errors)}


def test_a_worse_model_is_stopped(measured: Checkout, server: SimulatedServer) -> None:
    server.script = saying("13")
    result = measured.record(server, *EARLY, "--ctx-min-rate=0.9", mode="all")
    assert result.code == 10
    sentence = "regression shown after 8 of 40 trials, 32 not asked"
    assert result.says("Asked 8 of 40 trials", f"Stopped early: {sentence}.", "2 passed")
    assert len(server.asked) == 8
    assert causes(measured) == {None: 8, "early stop": 32}
    assert {row["outcome"] for row in measured.rows() if row["error"]} == {"not_asked"}
    verdict = gate(measured)
    assert (verdict["verdict"], verdict["trials"], verdict["left_out"], verdict["reasons"]) == (
        "regression",
        40,
        32,
        [],
    )
    assert (verdict["alpha"], verdict["alpha_of_verdict"]) == (0.05, 0.025)
    [band] = verdict["families"][0]["bands"]
    assert (band["n"], band["lost"]) == (8, 8)
    assert json.loads((measured.folder / "reports/latest/run.json").read_text())["early_stop"] is True


def test_the_same_model_is_stopped_with_a_pass(measured: Checkout, server: SimulatedServer) -> None:
    result = measured.record(server, *EARLY, "--ctx-margin=0.3", mode="all")
    assert result.code == 0
    assert result.says("Stopped early: pass shown after 16 of 40 trials, 24 not asked")
    assert gate(measured)["verdict"] == "pass"


def test_what_is_not_settled_is_asked_to_the_end(measured: Checkout, server: SimulatedServer) -> None:
    result = measured.record(server, *EARLY, mode="all")
    assert result.code == 11
    assert result.says("Asked 40 of 40 trials", "the rest was spent on the looks for an early stop")
    assert not result.says("topped early:")
    assert gate(measured)["alpha_of_verdict"] == 0.025


def test_answers_on_the_tape_are_looked_at_first(measured: Checkout, server: SimulatedServer) -> None:
    for file in measured.file("cassettes").rglob("*.jsonl"):
        file.unlink()
    server.script = saying("13")
    assert measured.record(server, *EARLY).code == 10
    assert len(server.asked) == measured.episodes() == 8
    server.script = right
    again = measured.record(server, *EARLY)
    assert again.code == 10
    assert again.says("Asked 0 of 32 trials", "Stopped early: regression shown after 8 of 40 trials, 32 not asked")
    assert len(server.asked) == 8


def test_a_server_that_fails_stops_nothing_early(measured: Checkout, server: SimulatedServer) -> None:
    for file in measured.file("cassettes").rglob("*.jsonl"):
        file.unlink()
    server.script = lambda body: saying("13")(body) if len(server.asked) < 5 else failing(401)(body)
    failed = measured.record(server, *EARLY, "--ctx-in-flight=1")
    assert failed.code == 12
    assert failed.says("Asked 4 of 40 trials")
    assert "early stop" not in causes(measured)


@pytest.mark.parametrize("given", [["--ctx-record=once"], ["--ctx-baseline=base"]])
def test_it_needs_a_baseline_and_something_to_ask(checkout: Checkout, given: list[str]) -> None:
    result = checkout.pytest("--ctx-early-stop", *given)
    assert result.code == 4
    assert result.says("[early-stop-without-baseline]")
