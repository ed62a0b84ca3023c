"""--ctx-shard: the jobs of a matrix make up one run, which longctx merge gives a verdict on."""

from __future__ import annotations

from typing import Any

from tests.integration.conftest import LINES, PASSKEY, Checkout
from tests.servers import SimulatedServer, saying

GRID = LINES.replace("[3, 5]", "[3, 5, 7]").replace("trials = 2", "trials = 5"), PASSKEY


def verdict(checkout: Checkout, folder: str) -> dict[str, Any]:
    gate = checkout.gate(folder)
    return {name: value for name, value in gate.items() if name != "document"}


def rows(checkout: Checkout, folder: str) -> list[dict[str, Any]]:
    return [{**row, "run": "", "source": ""} for row in checkout.rows(folder)]


def test_shards_have_the_verdict_of_one_process(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(*GRID)
    checkout.record(server, "--ctx-report=before")
    server.script = saying("0")
    assert checkout.record(server, "--ctx-baseline=before", "--ctx-report=whole", mode="all").code == 10
    for number, workers in ((1, "-n0"), (2, "-n2")):
        arguments = f"--ctx-shard={number}/2", f"--ctx-report=s{number}", "--ctx-baseline=before", workers
        result = checkout.pytest(*arguments)
        assert (result.code, result.says("Gate:")) == (0, False)
        assert result.says(f"This is shard {number}/2 of its grid: longctx merge merges it with the others")
        manifest = checkout.read(f"s{number}/run.json")
        assert (manifest["shard"], manifest["left_out"]) == (f"{number}/2", [])
    result = checkout.longctx("merge", "s2", "s1", "--out=both", "--no-page", "--baseline=before")
    assert (result.code, result.says("Gate: regression - ", "Merged 2 runs, 19 trials")) == (10, True)
    assert rows(checkout, "both") == rows(checkout, "whole")
    assert verdict(checkout, "both") == verdict(checkout, "whole")
    result = checkout.longctx("merge", "s2", "--out=part", "--no-page", "--baseline=before")
    assert (result.code, result.says("Gate: invalid - shard 1/2 of its grid is missing")) == (12, True)


def test_each_shard_asks_its_own_part_and_minimum_rates_are_tested_once(
    checkout: Checkout, server: SimulatedServer
) -> None:
    """One cell, so that one of both has none; it is there all the same."""
    checkout.profile(GRID[0].replace("3, 5, 7", "3"), "min_rate = 0.9\n")
    server.script = saying("0")
    for number in (1, 2):
        assert checkout.record(server, f"--ctx-shard={number}/2", f"--ctx-report=s{number}").code == 0
    assert sorted(len(checkout.rows(name)) for name in ("s1", "s2")) == [0, 5]
    assert len(server.asked) == 5
    result = checkout.longctx("merge", "s1", "s2", "--out=both", "--no-page")
    assert (result.code, result.says("is significantly below min_rate")) == (1, True)


def test_mistakes_are_sentences(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-shard=3/2")
    assert (result.code, result.says("'3/2'", "[bad-shard]")) == (4, True)
