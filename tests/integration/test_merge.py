"""python -m longctx merge: shards and labelled checkpoints as one run."""

from __future__ import annotations

from tests.integration.conftest import LINES, PASSKEY, Checkout
from tests.servers import SimulatedServer, saying


def test_shards_become_the_run_that_they_are_parts_of(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(LINES, PASSKEY)
    checkout.record(server, "--ctx-report=whole")
    checkout.pytest("--ctx-report=a", "-k", "lines")
    checkout.pytest("--ctx-report=b", "-k", "passkey")
    result = checkout.longctx("merge", "b", "a", "--out", "both", "-v")
    assert result.code == 0, result.err
    assert result.says("Merged 2 runs, 8 trials: both/index.html", "Passkey: effective window in tokens")
    unnamed = [[{**row, "run": "", "source": ""} for row in checkout.rows(name)] for name in ("whole", "both")]
    assert unnamed[0] == unnamed[1]
    assert checkout.file("both/views.jsonl").read_bytes() == checkout.file("whole/views.jsonl").read_bytes()
    manifest = checkout.read("both/run.json")
    assert (manifest["run"], manifest["profile"], len(manifest["merged"])) == ("both", "tiny", 2)
    again = checkout.longctx("merge", "whole", "both", "--out", "all", "--no-page")
    assert again.says("8 trials")


def test_checkpoints_are_a_table_of_windows(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(PASSKEY.replace("trials = 2", "trials = 5"))
    names = []
    for steps in ("200", "400"):
        names.append(f"steps{steps}")
        checkout.record(server, f"--ctx-report={names[-1]}", f"--ctx-label=steps={steps}", mode="all")
        server.script = saying("0")
    result = checkout.longctx("merge", *names, "--out", "all", "--no-page", "-v")
    assert result.says(
        "by steps model prompts window steps=200 steps=400", "toy protocol 256 256 [256, 256] - [0, 256]"
    )


def test_two_answers_to_one_trial_are_refused(checkout: Checkout, server: SimulatedServer) -> None:
    for name in ("a", "b"):
        checkout.record(server, f"--ctx-report={name}", "-k", "lines-3", mode="all")
        for path in checkout.file("cassettes").rglob("*.jsonl"):
            path.unlink()
        server.script = saying("0")
    result = checkout.longctx("merge", "a", "b", "--out", "both")
    assert result.code == 2
    assert result.says("line_retrieval/lines-3#")
    assert not checkout.file("both").exists()


def test_the_output_is_a_run_s_folder_of_its_own(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "--ctx-report=a")
    result = checkout.longctx("merge", "a", "--out", "a")
    assert result.code == 2
    assert result.says("[folder-not-empty]")
