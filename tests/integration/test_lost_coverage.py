"""What a baseline holds and a run does not judge: it is named, and a change cannot loosen the terms that judge it."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.integration.conftest import LINES, PASSKEY, Checkout, copied, with_baseline
from tests.servers import SimulatedServer, prompt_of, right, saying

MARGIN = "margin = 0.2\n"
LINES_TABLE = LINES.replace("trials = 2", "trials = 20")
PASSKEY_TABLE = PASSKEY.replace("trials = 2", "trials = 20")


original = with_baseline(MARGIN + LINES_TABLE + PASSKEY_TABLE)
kept = copied("original")


@pytest.fixture
def regressed(kept: Checkout, server: SimulatedServer) -> Checkout:
    """Long files are lost; everything else is committed as `base`."""
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message=A"], ["tag", "base"]):
        kept.git(*command)
    server.script = lambda body: saying("13")(body) if "line 5:" in prompt_of(body) else right(body)
    kept.settings(trial_run=False)
    assert kept.record(server, "-k", "line_retrieval", mode="all").code == 0
    assert kept.pytest("--ctx-baseline=main").code == 10
    return kept


def drop_the_table(checkout: Checkout) -> None:
    checkout.profile(MARGIN, PASSKEY_TABLE)


def leave_it_out(checkout: Checkout) -> None:
    checkout.profile(MARGIN, LINES_TABLE, "gated = false\n", PASSKEY_TABLE)


def delete_the_test(checkout: Checkout) -> None:
    checkout.file("tests_longctx/test_line_retrieval.py").unlink()


@pytest.mark.parametrize("edit", [drop_the_table, leave_it_out])
def test_coverage_that_is_lost_is_invalid_however_it_is_lost(kept: Checkout, edit: Callable[[Checkout], None]) -> None:
    edit(kept)
    result = kept.pytest("--ctx-baseline=main")
    assert result.code == 12
    title = next(line for line in result.out.splitlines() if line.startswith("Gate: "))
    assert "the run does not judge 2 of the 4 cells that its baseline judges (line_retrieval/lines-3" in title


def test_a_model_that_is_removed_is_lost_coverage(kept: Checkout, server: SimulatedServer) -> None:
    assert kept.record(server, "--ctx-model=toy", "--ctx-model=other").code == 0
    assert kept.longctx("baseline", "save", "both").code == 0
    result = kept.pytest("--ctx-baseline=both")
    assert result.code == 12
    assert result.says("the run does not judge 4 of the 8 cells that its baseline judges")


def test_another_profile_may_judge_a_part_and_the_title_says_so(kept: Checkout) -> None:
    kept.profile(MARGIN, LINES_TABLE, name="part.toml")
    result = kept.pytest("--ctx-baseline=main", "--ctx-profile=part.toml")
    assert result.code == 0
    title = next(line for line in result.out.splitlines() if line.startswith("Gate: "))
    assert "the run does not judge 2 of the 4 cells that its baseline judges (passkey/" in title


def test_trials_that_are_removed_are_missing(kept: Checkout) -> None:
    kept.profile(MARGIN, LINES_TABLE.replace("20", "19"), PASSKEY_TABLE)
    result = kept.pytest("--ctx-baseline=main")
    assert result.code == 12
    assert result.says(
        "2 of 40 trials of the baseline are not in this run (19): they were skipped, deselected or removed"
    )


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_the_terms_are_those_of_the_base_branch(regressed: Checkout) -> None:
    """A wide margin lets the band pass; the run as a hypothesis of its own still has its own margin."""
    shown, hidden = "GATE: REGRESSION in 1 of 2 bands (exit 10)", "GATE: REGRESSION in all bands together (exit 10)"
    gated, base = "--ctx-baseline=main", {"LONGCTX_BASE": "base"}
    assert shown in regressed.pytest(gated, env=base).out
    leave_it_out(regressed)
    assert shown in regressed.pytest(gated, env=base).out
    regressed.profile("margin = 0.99\n", LINES_TABLE, PASSKEY_TABLE)
    assert hidden in regressed.pytest(gated).out
    assert shown in regressed.pytest(gated, env=base).out
    shutil.copy(regressed.file("tiny.toml"), regressed.file("new.toml"))
    assert shown in regressed.pytest(gated, "--ctx-profile=new.toml", env=base).out
    regressed.profile(MARGIN, LINES_TABLE, PASSKEY_TABLE)
    regressed.settings(alpha=1e-9)
    assert shown not in regressed.pytest(gated).out
    assert shown in regressed.pytest(gated, env=base).out
    for edit in (drop_the_table, delete_the_test):
        edit(regressed)
        assert regressed.pytest(gated, env=base).code == 12
