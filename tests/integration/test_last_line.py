"""The last line of a gated run: its verdict and its exit status, at every verbosity."""

from __future__ import annotations

import pytest

from tests.integration.conftest import LINES, Checkout, Result, copied, with_baseline
from tests.servers import SimulatedServer, saying

MANY = "margin = 0.2" + LINES.replace("trials = 2", "trials = 20\nbands = { short = 3, long = 5 }")


original = with_baseline(MANY)


@pytest.fixture(scope="module")
def lost(original: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Return the project with answers that are all wrong."""
    made = original.copied(tmp_path_factory.mktemp("lost") / "checkout")
    with SimulatedServer(saying("13")) as server:
        made.settings(trial_run=False)
        assert made.record(server, mode="all").code == 0
    return made


kept = copied("original")


def last(result: Result) -> str:
    return (result.out + result.err).rstrip().splitlines()[-1]


@pytest.mark.parametrize("arguments", [("-v",), ("-q",), ("-qq",), ("-v", "-n1"), ("-qq", "-n1")])
def test_it_is_printed_at_every_verbosity(original: Checkout, lost: Checkout, arguments: tuple[str, ...]) -> None:
    passed = original.pytest("--ctx-baseline=main", *arguments)
    assert (passed.code, last(passed)) == (0, "GATE: PASS in 2 of 2 bands (exit 0) · 2 passed, 1 deselected")
    failed = lost.pytest("--ctx-baseline=main", *arguments)
    assert (failed.code, last(failed)) == (
        10,
        "GATE: REGRESSION in 2 of 2 bands (exit 10) · 2 failed, 2 passed, 1 deselected",
    )


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_it_is_printed_where_the_run_asks(kept: Checkout, server: SimulatedServer, workers: str) -> None:
    server.script = saying("13")
    result = kept.record(server, "--ctx-baseline=main", "-q", workers, mode="all")
    assert (result.code, last(result)) == (
        10,
        "GATE: REGRESSION in 2 of 2 bands (exit 10) · 2 failed, 2 passed, 1 deselected",
    )


def test_a_run_without_a_verdict_says_so(kept: Checkout) -> None:
    cut = kept.pytest("--ctx-baseline=main", "-k", "lines-3", "-qq")
    assert last(cut).startswith("GATE: INVALID in the whole run (exit 12) · 1 failed, 1 passed")
    nothing = kept.pytest("--ctx-baseline=main", "-k", "nothing", "-qq")
    assert last(nothing).startswith("GATE: INVALID in the whole run (exit ")
    before_asking = kept.pytest("--ctx-baseline=main", "--ctx-record=all", "-k", "lines-3")
    assert (before_asking.code, last(before_asking)) == (12, "GATE: INVALID in the whole run (exit 12)")
    assert "GATE" not in kept.pytest("-qq").out


def test_a_merged_run_ends_with_it_too(kept: Checkout) -> None:
    for shard in "12":
        assert "GATE" not in kept.pytest("--ctx-baseline=main", f"--ctx-shard={shard}/2", f"--ctx-report={shard}").out
    merged = kept.longctx("merge", "1", "2", "--out=merged", "--no-page", "--baseline=main")
    assert (merged.code, last(merged)) == (0, "GATE: PASS in 2 of 2 bands (exit 0)")


@pytest.mark.parametrize("option", ["--collect-only", "--co", "--ctx-estimate", "--markers"])
def test_an_option_in_a_file_of_the_project_does_not_pass_the_gate(kept: Checkout, option: str) -> None:
    assert kept.pytest("--ctx-baseline=main", option).code == 0
    kept.file("pytest.ini").write_text(f"[pytest]\naddopts = {option}\n")
    assert kept.pytest(option).code == 0
    ended = kept.pytest("--ctx-baseline=main")
    assert (ended.code, last(ended)) == (12, "GATE: INVALID in the whole run (exit 12)")
    assert ended.says("no verdict: a file of the project")
