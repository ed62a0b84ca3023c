"""A gated run that can only be invalid ends before it asks, with the exit status of its verdict."""

from __future__ import annotations

import pytest

from tests.integration.conftest import LINES, RECORD_ONLY, Checkout, Result, copied, with_baseline
from tests.servers import SimulatedServer

PROFILE = LINES.replace("trials = 2", "trials = 10")


original = with_baseline(PROFILE)
kept = copied("original")
"""A project with the baseline `main` and its recordings."""


def ended(result: Result, server: SimulatedServer, *says: str) -> bool:
    """Return whether the run was invalid before it asked anything, and says why."""
    return result.code == 12 and result.says("Gate: invalid", *says, "no requests were sent") and not server.asked


@pytest.mark.parametrize(
    "cut", [["-k", "lines-3", "-n1"], ["--ctx-only=1"], ["--ctx-only=99", "-n1"], ["--ctx-estimate", "-k", "3"]]
)
def test_a_grid_that_is_cut_down(kept: Checkout, server: SimulatedServer, cut: list[str]) -> None:
    runs = kept.runs()
    result = kept.record(server, "--ctx-baseline=main", *cut, mode="all")
    assert ended(result, server, "left out (-k, -x, --lf, --ctx-only): run all")
    assert kept.runs() == runs


def test_a_gate_that_would_seldom_pass_says_so_before_it_asks(kept: Checkout, server: SimulatedServer) -> None:
    says = "Underpowered: if nothing has changed but 10% of pairs by chance, this gate passes with a"
    assert kept.pytest("--ctx-baseline=main", "--ctx-estimate").says(f"{says} probability of")
    result = kept.record(server, "--ctx-baseline=main", "--ctx-model=other")
    assert result.out.index(says) < result.out.index("20 of 20 trials need a request")
    assert "Not powered" not in kept.record(server, "--ctx-baseline=main").out, "nothing is left to ask"


def test_a_part_is_asked_where_no_verdict_is_given(kept: Checkout, server: SimulatedServer) -> None:
    result = kept.record(server, "--ctx-baseline=main", "-k", "lines-3", mode="all", env=RECORD_ONLY)
    assert (result.code, len(server.asked)) == (0, 10)


def test_a_baseline_of_another_seed(kept: Checkout, server: SimulatedServer) -> None:
    kept.profile("seed = 7\n", PROFILE)
    result = kept.record(server, "--ctx-baseline=main", mode="once")
    assert ended(result, server, "the run and its baseline have no trial in common")


def test_another_length_is_asked_and_compared_unpaired(kept: Checkout, server: SimulatedServer) -> None:
    kept.profile(PROFILE.replace("[3, 5]", "[4]"), name="other.toml")
    result = kept.record(server, "--ctx-baseline=main", "--ctx-profile=other.toml", mode="once")
    assert result.says("Asked 10 of 10", "the items do not correspond, so the rates are compared unpaired")


def test_subjects_that_nobody_can_match(kept: Checkout, server: SimulatedServer) -> None:
    result = kept.record(server, "--ctx-baseline=main", "--ctx-model=one", "--ctx-model=two", mode="once")
    assert ended(result, server, "[unclear-comparison]")


def test_stale_trials_that_the_mode_does_not_ask(kept: Checkout, server: SimulatedServer) -> None:
    kept.file("fixtures/prompts/protocol/line_retrieval/header.txt").write_text("Another header\n")
    kept.profile(PROFILE.replace("[3, 5]", "[3, 5, 7]"))
    result = kept.record(server, "--ctx-baseline=main", mode="once")
    assert ended(result, server, "line_retrieval: 20 trials have only stale recordings", "--ctx-record new_episodes")


def test_trials_that_do_not_fit_the_models_window(kept: Checkout, server: SimulatedServer) -> None:
    kept.file("fixtures/models/toy.toml").write_text('model = "toy"\nwindow = 160\n')
    result = kept.record(server, "--ctx-baseline=main", mode="all")
    assert ended(result, server, "10 of 20 trials were not measured (10 does_not_fit). toy-protocol-lines-5 takes")


def test_old_recordings_of_another_model(kept: Checkout, server: SimulatedServer) -> None:
    kept.profile(PROFILE.replace("trials = 10", "trials = 4"))
    assert kept.record(server, "--ctx-model=other").code == 0
    server.received.clear()
    kept.profile(PROFILE)
    kept.settings(max_age=0)
    given = ("--ctx-baseline=main", "--ctx-model=other")
    result = kept.record(server, *given)
    assert ended(result, server, "8 of 20 answers are recordings", "record again with --ctx-record all")
    assert kept.record(server, *given, mode="all").code == 11
    assert len(server.asked) == 20


def test_what_may_be_valid_is_asked(kept: Checkout, server: SimulatedServer) -> None:
    kept.file("cassettes/toy/line_retrieval/lines-5.jsonl").unlink()
    result = kept.record(server, "--ctx-baseline=main")
    assert (result.code, len(server.asked)) == (11, 10)
    assert result.says("Gate: inconclusive")


def test_a_baseline_that_is_damaged_further_down(kept: Checkout, server: SimulatedServer) -> None:
    file = kept.file("fixtures/baselines/main.jsonl")
    file.write_text(file.read_text()[:-20])
    for result in (kept.record(server, "--ctx-baseline=main", mode="all"), kept.pytest("--ctx-baseline=main")):
        assert result.code == 4
        assert result.says("fixtures/baselines/main.jsonl", "[bad-baseline]")
    assert not server.asked


def test_a_replay_that_cannot_be_matched_is_invalid_too(kept: Checkout, server: SimulatedServer) -> None:
    for model in ("one", "two"):
        assert kept.record(server, f"--ctx-model={model}").code == 0
    result = kept.pytest("--ctx-baseline=main", "--ctx-model=one", "--ctx-model=two")
    assert result.code == 12
    assert result.says("Gate: invalid", "[unclear-comparison]")
    assert kept.gate()["verdict"] == "invalid"
