"""LONGCTX_BASE and LONGCTX_TRUST: which answers are not recorded on the branch that a change is judged against."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.conftest import LINES, MANY, Checkout, needs_git
from tests.integration.pages import blocks, missing
from tests.servers import SimulatedServer, saying

pytestmark = needs_git

WRONG = "3141592"
FILE = "cassettes/toy/line_retrieval/lines-3.jsonl"
GATED = "--ctx-baseline=before"
MAIN = {"LONGCTX_BASE": "main"}
TRUSTED = MAIN | {"LONGCTX_TRUST": "base"}


@pytest.fixture(scope="module")
def original(fresh: Callable[[], Checkout]) -> Checkout:
    """Return a project whose branch main has 80 wrong answers, in order, and whose run `before` is the baseline."""
    made = fresh()
    made.profile(MANY)
    with SimulatedServer(saying(WRONG)) as server:
        assert made.record(server, "--ctx-report=before", "--ctx-concurrency=1").code == 0
    made.git("init", "--quiet", "--initial-branch=main")
    made.git("add", "cassettes")
    made.git("commit", "--quiet", "--message", "Recordings")
    return made


@pytest.fixture
def project(original: Checkout, tmp_path: Path, server: SimulatedServer) -> Checkout:
    server.script = saying(WRONG)
    return original.copied(tmp_path / "checkout")


def edit(checkout: Checkout, number: int) -> None:
    """Replace this number of recorded wrong answers."""
    text, edited = re.subn(WRONG, "2718281", checkout.file(FILE).read_text(), count=number)
    assert edited == number
    checkout.file(FILE).write_text(text)


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_answers_that_were_edited_are_counted_and_named(project: Checkout, workers: tuple[str, ...]) -> None:
    """docs/security.md, edited-answers"""
    same = project.pytest(GATED, *workers, env=MAIN)
    assert same.says("Of 80 answers, 0 are new on this branch: they are not recorded on main.")
    edit(project, 3)
    step = project.file("step.md")
    result = project.pytest(GATED, *workers, env=MAIN | {"GITHUB_STEP_SUMMARY": str(step)})
    says = "Of these, 3 changed although their request did not: line_retrieval lines-3#0 of toy, prompts protocol; "
    [shown] = (text for kind, text in blocks("ci.md") if kind == "text" and text.startswith("Of 80 answers"))
    assert result.says("Of 80 answers, 3 are new on this branch: they are not recorded on main.", says)
    assert not missing(shown, result.out), result.out
    gate = project.file("reports/latest/gate.md").read_text()
    for page in (gate, step.read_text()):
        assert "3 changed although their request did not" in " ".join(page.split())
    assert {row["origin"] for row in project.rows()} == {"base", "changed"}


@pytest.mark.parametrize("workers", [(), ("-n1",)])
def test_trust_base_accepts_no_other_answer_and_asks_for_them(
    project: Checkout, server: SimulatedServer, workers: tuple[str, ...]
) -> None:
    """docs/security.md, edited-answers"""
    edit(project, 3)
    refused = project.pytest(GATED, *workers, env=TRUSTED)
    assert refused.says("Gate: invalid", "3 of 80 trials have no recording", "LONGCTX_TRUST=base does not accept")
    project.profile('looks = "once"\n', MANY)  # the baseline has nothing to lose, so looks stop
    asked = project.record(server, GATED, *workers, env=TRUSTED)
    assert asked.says("3 of 80 trials need a request", "Asked 3 of 3", "0 are new on this branch")
    assert asked.says("and 3 were asked by this run.")
    assert {row["origin"] for row in project.rows()} == {"base", "asked"}


def test_a_line_that_was_appended_or_taken_away_is_found(project: Checkout) -> None:
    """Of two answers to one request the later one counts, so that either hides an answer of the base."""
    first, *rest = project.file(FILE).read_text().splitlines(keepends=True)
    later = first.replace(WRONG, "2718281").replace('"recorded_at":"2', '"recorded_at":"3')
    project.file(FILE).write_text("".join([first, *rest, later]))
    assert project.pytest(GATED, env=MAIN).says("1 changed although", "lines-3#0")
    assert project.pytest(GATED, env=TRUSTED).says("0 are new on this branch")
    project.git("add", "cassettes")
    project.git("commit", "--quiet", "--message", "A later answer")
    project.file(FILE).write_text("".join([first, *rest]))
    assert project.pytest(GATED, env=MAIN).says("1 changed although", "lines-3#0")


def test_an_answer_to_a_changed_request_is_new(project: Checkout, server: SimulatedServer) -> None:
    project.file("fixtures/models/toy.toml").write_text('effort = "low"')
    assert project.record(server, mode="new_episodes").code == 0
    result = project.pytest(GATED, env=MAIN)
    assert result.says("Of 80 answers, 80 are new on this branch")
    assert not result.says("changed although")


def test_shards_say_it_together(project: Checkout) -> None:
    project.profile(LINES.replace("trials = 2", "trials = 40"))
    edit(project, 2)
    for shard in (1, 2):
        project.pytest(f"--ctx-shard={shard}/2", GATED, f"--ctx-report=s{shard}", env=MAIN)
    merged = project.longctx("merge", "s1", "s2", "--out=both", "--no-page", "--baseline=before")
    assert merged.says("2 are new on this branch: they are not recorded on main.", "2 changed although")


@pytest.mark.parametrize(
    ("given", "env", "code"),
    [
        ((), {"LONGCTX_TRUST": "base"}, "trust-without-base"),
        ((GATED,), {"LONGCTX_BASE": "nowhere"}, "unknown-base"),
        ((GATED,), {"LONGCTX_BASE": "--output=x"}, "unknown-base"),
        ((), {"LONGCTX_BASE": "nowhere", "LONGCTX_TRUST": "base"}, "unknown-base"),
    ],
)
def test_a_base_that_git_does_not_know(
    project: Checkout, given: tuple[str, ...], env: dict[str, str], code: str
) -> None:
    result = project.pytest(*given, env=env)
    assert (result.code, result.says(f"[{code}]")) == (4, True)


def test_a_file_of_the_project_does_not_choose_the_base(project: Checkout) -> None:
    """docs/security.md, edited-answers"""
    edit(project, 3)
    project.git("checkout", "--quiet", "-b", "mine")
    project.git("commit", "--quiet", "--all", "--message", "Edited")
    project.settings(base="mine")
    assert project.pytest(GATED, env=MAIN).says("3 are new on this branch")
    assert project.pytest(GATED).says("0 are new on this branch")
