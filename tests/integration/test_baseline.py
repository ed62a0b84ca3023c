"""--ctx-baseline: a verdict on a run against an earlier one, in the terminal, in its folder and as the exit status."""

from __future__ import annotations

import itertools

import pytest

from longctx.results.run_folders import FILES
from tests.integration.conftest import LINES, PASSKEY, Checkout, Result, copied, with_baseline
from tests.servers import Answer, Body, SimulatedServer, failing, message, prompt_of, right, saying

PROFILE = """
[line_retrieval]
models = ["toy"]
lines = [3, 5]
orders = ["ordered"]
trials = {trials}
bands = {{ short = 3, long = 5 }}
"""


TERMS = 'margin = 0.2\nlooks = "once"\n'
"""With this margin, 20 trials are enough for a verdict."""


original = with_baseline(TERMS + PROFILE.format(trials=20), "--ctx-concurrency=1")
kept = copied("original")
"""A project with recordings of a model that is always right, and with their baseline, `main`."""


def wrong_in_long_files(body: Body) -> Answer:
    """Answer files of three lines rightly and files of five lines wrongly."""
    return right(body) if "line 5:" not in prompt_of(body) else (200, {}, message("0", body))


def asked_again(checkout: Checkout, server: SimulatedServer, *arguments: str) -> Result:
    """Ask everything again, gated against the baseline."""
    return checkout.record(server, "--ctx-baseline=main", *arguments, mode="all")


def test_a_run_has_the_files_that_no_run_may_replace(kept: Checkout) -> None:
    """--ctx-report refuses a folder that holds any of them."""
    assert kept.pytest("--ctx-baseline=main", page=True).code == 0
    seldom = {"results.parquet", "by_base.json"}  # written on request, and where the base's test code judges
    assert {path.name for path in kept.file("reports/latest/").iterdir()} == set(FILES) - seldom


def test_the_same_answers_pass(kept: Checkout) -> None:
    result = kept.pytest("--ctx-baseline=main", "-n1")
    assert result.code == 0
    assert result.says("Gate: pass - ", "the baseline's own answers")
    assert result.says("The baseline's own recorded answers, replayed and judged the same: every band.")
    assert kept.gate()["verdict"] == "pass"
    assert kept.file("reports/latest/gate.md").read_text().startswith("### ✅ longctx: ")
    assert "### ✅ longctx: " in kept.file("reports/latest/summary.md").read_text()


def test_a_collapse_in_the_longest_band_is_exit_status_10(kept: Checkout, server: SimulatedServer) -> None:
    server.script = wrong_in_long_files
    result = asked_again(kept, server)
    assert result.code == 10
    assert result.says("Gate: regression - line_retrieval -1.000 in long")


def test_few_trials_are_inconclusive_unless_that_may_pass(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(PROFILE.format(trials=5))
    checkout.record(server)
    checkout.longctx("baseline", "save", "main")
    result = asked_again(checkout, server)
    assert result.code == 11
    assert result.says(
        "Gate: inconclusive",
        "line_retrieval, short: about",
        "trials are needed to decide in the next run, which counts these and is judged at 0.5%; the run has 5.",
    )
    assert checkout.pytest("--ctx-baseline=main", "--ctx-on-inconclusive=pass").code == 0
    checkout.options(margin=0.5)
    assert checkout.pytest("--ctx-baseline=main").code == 0
    checkout.settings(alpha=0.001)
    assert checkout.pytest("--ctx-baseline=main").code == 11


@pytest.mark.parametrize("other", [[], ["--ctx-model=other"]], ids=["asked again", "asked first"])
def test_a_server_that_fails_for_a_tenth_is_exit_status_12(
    kept: Checkout, server: SimulatedServer, other: list[str]
) -> None:
    server.script = lambda body: failing(400)(body) if len(server.asked) % 10 == 0 else right(body)
    result = asked_again(kept, server, "--ctx-concurrency=1", *other)
    assert result.code == 12
    assert result.says("Gate: invalid", "4 of 40 trials were not measured (4 refused_request)")


@pytest.mark.parametrize(
    ("cut", "left_out"),
    [(["-k", "lines-3"], "1 of 2 cells was"), (["--ctx-only=1"], "2 of 2 cells were")],
    ids=["-k", "--ctx-only"],
)
def test_a_run_that_is_cut_down_is_exit_status_12(kept: Checkout, cut: list[str], left_out: str) -> None:
    result = kept.pytest("--ctx-baseline=main", *cut)
    assert result.code == 12
    assert result.says("Gate: invalid", f"{left_out} left out (-k, -x, --lf, --ctx-only): run all")


@pytest.mark.parametrize("cut", [["-k", "lines-3"], ["--ctx-only=1"]], ids=["-k", "--ctx-only"])
def test_a_run_that_is_cut_down_is_no_baseline_unless_forced(kept: Checkout, cut: list[str]) -> None:
    assert kept.pytest(*cut).code == 0
    refused = kept.longctx("baseline", "save", "part")
    assert refused.code == 2
    assert refused.says("is incomplete: it left out", "of its grid's cells: line_retrieval/lines-", "--force")
    assert kept.longctx("baseline", "save", "part", "--force").says("is incomplete", "Commit it.")


def test_shards_that_are_complete_together_are_a_baseline(kept: Checkout) -> None:
    for lines in ("3", "5"):
        kept.pytest("-k", f"lines-{lines}", f"--ctx-report=shard-{lines}")
    assert kept.longctx("merge", "shard-3", "shard-5", "--out", "merged", "--no-page").code == 0
    assert kept.longctx("baseline", "save", "merged", "merged").code == 0


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_run_that_measures_nothing_is_exit_status_12(kept: Checkout, workers: str) -> None:
    kept.file("tests_longctx/test_other.py").write_text("def test_other():\n    pass\n")
    result = kept.pytest("--ctx-baseline=main", "-k", "test_other", workers)
    assert result.code == 12
    assert result.says("Gate: invalid - no cell was measured")
    assert kept.pytest("--ctx-baseline=main", "--collect-only").code == 0


def test_changed_prompts_are_never_passed_from_old_answers(kept: Checkout) -> None:
    header = kept.file("fixtures/prompts/protocol/line_retrieval/header.txt")
    header.write_text("Another header\n")
    result = kept.pytest("--ctx-baseline=main")
    assert result.code == 12
    assert result.says("40 trials have only stale recordings", "--ctx-record new_episodes")


def test_a_changed_model_is_judged_from_live_answers_or_young_recordings(
    kept: Checkout, server: SimulatedServer
) -> None:
    asked = kept.record(server, "--ctx-baseline=main", "--ctx-model=other")
    assert asked.code == 0
    assert asked.says("Gate: pass", "model: toy → other")
    assert kept.pytest("--ctx-baseline=main", "--ctx-model=other").code == 0
    kept.settings(max_age=0)
    old = kept.pytest("--ctx-baseline=main", "--ctx-model=other")
    assert old.code == 12
    assert old.says("the model has changed", "where 0 are allowed (max_age)")


def test_failed_tests_and_a_pass_are_exit_status_1(kept: Checkout, server: SimulatedServer) -> None:
    """Every other answer is right: enough for a gate, which needs something to lose, and too few for the minimum."""
    answered = itertools.count()
    server.script = lambda body: right(body) if next(answered) % 2 else (200, {}, message("0", body))
    kept.options(min_rate=0.9)
    seldom = kept.record(server, mode="all")
    assert seldom.code == 1
    kept.longctx("baseline", "save", "seldom")
    assert kept.pytest("--ctx-baseline=seldom").code == 1


def test_k_max_is_reported_and_held_against_a_stated_minimum(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(PASSKEY.replace("trials = 2", "trials = 60\nmin_k_max = 256"))
    checkout.record(server)
    checkout.longctx("baseline", "save", "main")
    result = checkout.pytest("--ctx-baseline=main")
    assert result.code == 0
    assert result.says("k_max (tokens)", "256 [256, 256]", "256: reached")
    server.script = saying("none")
    checkout.settings(trial_run=False)
    result = asked_again(checkout, server)
    assert result.code == 10
    assert result.says("passkey: k_max 0 [0, 0] in a window of 256, below the minimum of 256", "256: missed")


def test_a_runs_folder_is_a_baseline(kept: Checkout) -> None:
    kept.pytest("--ctx-report=first")
    assert kept.pytest("--ctx-baseline=first").says("Gate: pass - ", "the baseline's own answers")


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--ctx-baseline=mian", "[unknown-baseline]"),
        ("--ctx-baseline=tiny.toml", "[bad-baseline]"),
        ("--ctx-on-inconclusive=maybe", "invalid choice: 'maybe'"),
    ],
)
def test_mistakes(kept: Checkout, option: str, says: str) -> None:
    result = kept.pytest(option)
    assert result.code == 4
    assert result.says(says)


def test_a_model_that_never_answers_passes_nothing(checkout: Checkout, server: SimulatedServer) -> None:
    """Its replies are the baseline's own, so that no test of statistics would find a change."""
    checkout.profile(LINES.replace("trials = 2", "trials = 10"))
    server.script = saying("Sorry, I cannot say.")
    checkout.settings(trial_run=False)
    checkout.record(server)
    assert checkout.longctx("baseline", "save", "main").says("No run can pass against it: line_retrieval of toy")
    result = checkout.pytest("--ctx-baseline=main", "-n1")
    assert result.code == 12
    assert result.says(
        "Line retrieval, toy, prompts protocol: 100% of 20 replies are unparseable.",
        "Gate: invalid - the baseline has nothing to lose in line_retrieval, all",
        "line_retrieval, all: 20 of the baseline's 20 replies are unreadable or cut off",
    )
    warned = checkout.record(server, "--ctx-baseline=main", mode="all")
    assert warned.code == 12
    assert warned.says("No run can pass: line_retrieval of toy, prompts protocol, all: 20 of the baseline's 20 replies")


def test_a_table_that_is_left_out_of_the_gate_is_not_judged(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(TERMS, LINES.replace("trials = 2", "trials = 10"), f"{PASSKEY}gated = false\n")
    checkout.record(server)
    checkout.longctx("baseline", "save", "main")
    result = checkout.pytest("--ctx-baseline=main")
    assert result.code == 0
    assert result.says("Gate: pass", "passkey of toy, prompts protocol is not judged: the profile leaves it out")
    plan = checkout.longctx("plan", "-v", "--profile=tiny.toml")
    assert plan.says("over 1 band.")


def test_terms_without_a_baseline_are_reported_as_ignored(kept: Checkout) -> None:
    """The first run of a gate in CI has no baseline yet, and goes on."""
    for options in ([], ["-n1"], ["--ctx-estimate"]):
        result = kept.pytest("--ctx-on-inconclusive=pass", *options)
        assert result.code == 0, result.out
        assert result.out.count("--ctx-on-inconclusive is ignored: there is no verdict without") == 1
    assert "ignored" not in kept.pytest("--ctx-on-inconclusive=pass", "--ctx-baseline=main").out
    merged = kept.longctx("merge", "reports/latest", "--out=merged", "--alpha=0.01")
    assert merged.code == 0
    assert merged.says("--alpha is ignored: there is no verdict without --baseline NAME.")


def test_the_verdict_is_shown_last(kept: Checkout) -> None:
    passkey = kept.file("tests_longctx/test_passkey.py")
    assert passkey.exists()  # it is deselected: the profile has no such table
    for out in (kept.pytest("--ctx-baseline=main").out, kept.pytest("--ctx-baseline=main", "-n1").out):
        skipped, verdict = out.index("1 test was deselected"), out.index("Gate: pass")
        assert out.index("Report: ") < skipped < verdict
