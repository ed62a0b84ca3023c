"""The gate in CI: the shell steps of the workflow, as they stand there, in a clone made with git."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.conftest import LINES, NOT_PASSED_ON, ROOT, Checkout
from tests.servers import SimulatedServer, saying
from tests.workflow import step

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")

BASELINE = "fixtures/baselines/main.jsonl"
MANY = LINES.replace("[3, 5]", "[3]").replace("trials = 2", "trials = 80")
"""Enough for a verdict."""

GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$GH_LOG"
case "$*" in *--jq*) printf '%s' "$FOUND" ;; esac
"""


@dataclass(frozen=True, slots=True)
class Clone:
    """A checkout under git, whose branch origin/main has been fetched. It runs steps as a job would."""

    checkout: Checkout

    @property
    def summary(self) -> Path:
        """Beside the clone, as a runner has it."""
        return self.checkout.folder.parent / "step.md"

    def git(self, *arguments: str) -> str:
        return self._run(["git", *arguments], {}).stdout

    def commit(self, *, push: bool = False) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "A step")
        if push:
            self.git("update-ref", "refs/remotes/origin/main", "HEAD")

    def run(self, job: str, name: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a step of a job, once."""
        shutil.rmtree(self.checkout.folder / "reports", ignore_errors=True)
        self.summary.unlink(missing_ok=True)
        script = step(job, name)["run"]
        return self._run(["sh", "-e", "-c", script], env, check=False)

    def replay(self, **env: str) -> subprocess.CompletedProcess[str]:
        return self.run("replay", "Gate", **env)

    def report(self, name: str) -> str:
        return (self.checkout.folder / "reports/gate" / name).read_text()

    def _run(self, command: list[str], env: dict[str, str], check: bool = True) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)}
        ours = {
            "PATH": f"{Path(sys.executable).parent}:{kept['PATH']}",
            "HOME": "/nonexistent",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PYTHONPATH": str(ROOT),
            **{f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "PROFILE": "tiny.toml",
            "WORKERS": "0",
            "PYTEST_ADDOPTS": "--ctx-no-page -pno:cacheprovider",
        }
        return subprocess.run(
            command, cwd=self.checkout.folder, env=kept | ours | env, check=check, capture_output=True, text=True
        )


@pytest.fixture
def clone(checkout: Checkout) -> Clone:
    """Pushed to the main branch, without recordings and without a baseline."""
    for name in (".ci", ".gitattributes", ".gitignore"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy2)(ROOT / name, checkout.folder / name)
    made = Clone(checkout)
    made.git("init", "--quiet", "--initial-branch=main")
    checkout.file(".git/info/exclude").write_text("/stdout\n/stderr\n")
    made.commit(push=True)
    return made


@pytest.fixture
def gated(clone: Clone, server: SimulatedServer) -> Clone:
    """With recordings enough for a verdict, and the baseline of them."""
    clone.checkout.profile(MANY)
    assert clone.checkout.record(server).code == 0
    assert clone.checkout.longctx("baseline", "save", "main").code == 0
    clone.commit(push=True)
    return clone


def test_the_first_run_has_no_baseline_and_says_so(clone: Clone, server: SimulatedServer) -> None:
    assert clone.checkout.record(server).code == 0
    result = clone.replay()
    assert result.returncode == 0, result.stdout + result.stderr
    assert clone.report("gate.md").startswith("# No gate: origin/main has no baseline yet\n")
    assert clone.summary.read_text().startswith("\n# No gate: origin/main has no baseline yet\n")
    assert clone.report("summary.md") in clone.summary.read_text()


def test_with_a_baseline_the_verdict_comes_first(gated: Clone) -> None:
    result = gated.replay()
    assert result.returncode == 0, result.stdout + result.stderr
    assert gated.report("gate.md").startswith("# Gate: pass - ")
    assert gated.summary.read_text().startswith("\n" + gated.report("gate.md"))


def test_a_branch_cannot_bring_its_own_baseline(gated: Clone, server: SimulatedServer) -> None:
    """Answers got worse, and the branch saved them as the baseline: the main branch's counts."""
    server.script = saying("13")
    assert gated.checkout.record(server, mode="all").code == 0
    assert gated.checkout.longctx("baseline", "save", "main", "--force").code == 0
    gated.commit()
    result = gated.replay()
    assert result.returncode == 10, result.stdout + result.stderr
    assert gated.report("gate.md").startswith("# Gate: regression - ")


def test_a_changed_prompt_is_stale_and_asks_for_a_live_run(gated: Clone) -> None:
    output = gated.summary.with_name("output")
    assert gated.run("replay", "Have prompts changed?", BASE="origin/main", GITHUB_OUTPUT=str(output)).returncode == 0
    assert not output.exists()
    gated.checkout.file("fixtures/prompts/seed/line_retrieval/header.txt").write_text("Another header\n")
    gated.commit()
    assert gated.run("replay", "Have prompts changed?", BASE="origin/main", GITHUB_OUTPUT=str(output)).returncode == 0
    assert output.read_text() == "changed=true\n"
    assert gated.replay().returncode == 12
    assert gated.report("gate.md").startswith("# Gate: invalid - ")
    assert "--ctx-record new_episodes" in gated.report("gate.md")


def test_live_asks_and_its_recordings_can_be_committed(gated: Clone, server: SimulatedServer) -> None:
    gated.checkout.file("fixtures/models/toy.toml").write_text(
        'model = "toy"\n[prices]\ninput = 1\noutput = 1\ndated = 2026-11-22\n'
    )
    gated.checkout.file("fixtures/prompts/seed/line_retrieval/header.txt").write_text("Another header\n")
    gated.commit(push=True)
    asking = {"RECORD": "new_episodes", "MAX_COST": "5", "ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": server.url}
    result = gated.run("live", "Gate", **asking)
    assert result.returncode == 0, result.stdout + result.stderr
    assert gated.report("gate.md").startswith("# Gate: pass - ")
    assert gated.run("live", "Collect the recordings").returncode == 0
    gated.git("stash", "--quiet")
    assert gated.replay().returncode == 12
    subprocess.run(["tar", "xzf", "recordings.tar.gz"], cwd=gated.checkout.folder, check=True)
    assert gated.replay().returncode == 0


def test_a_fork_is_told_what_its_run_cannot_show(gated: Clone) -> None:
    assert gated.replay(FORK="true").returncode == 0
    assert "It cannot show what a model says to a changed prompt" in gated.summary.read_text()
    assert gated.summary.read_text().startswith("\n# Gate: pass")


def test_a_main_branch_that_was_not_fetched_is_no_first_run(clone: Clone) -> None:
    result = clone.replay(BASE="origin/other")
    assert (result.returncode, result.stdout) == (4, "")
    assert "fetch it first" in result.stderr


def test_a_job_without_a_key_says_so(clone: Clone) -> None:
    output = clone.summary.with_name("output")
    assert clone.run("live", "Is there a key?", KEY="", GITHUB_OUTPUT=str(output)).returncode == 0
    assert not output.exists()
    assert clone.summary.read_text().startswith("**Not asked:**")
    assert clone.run("live", "Is there a key?", KEY="k", GITHUB_OUTPUT=str(output)).returncode == 0
    assert output.read_text() == "there=true\n"


@pytest.mark.parametrize(("found", "method"), [("", ""), ("17\n23\n", "PATCH")])
@pytest.mark.parametrize("left", [(), ("replay",), ("replay", "live")])
def test_one_comment_is_written_and_then_edited(tmp_path: Path, found: str, method: str, left: tuple[str, ...]) -> None:
    gh = tmp_path / "bin/gh"
    gh.parent.mkdir()
    gh.write_text(GH)
    gh.chmod(0o755)
    for job in left:
        folder = tmp_path / f"reports/longctx-{job}"
        folder.mkdir(parents=True)
        (folder / "gate.md").write_text(f"# Gate: of the {job}\n")
    env = {
        "PATH": f"{gh.parent}:{os.environ['PATH']}",
        "GH_LOG": str(tmp_path / "log"),
        "FOUND": found,
        **{"GITHUB_SERVER_URL": "https://host", "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "5"},
        **{"NUMBER": "7", "COMMIT": "abc"},
    }
    script = step("comment", "Write the comment, or edit the one there is")["run"]
    subprocess.run(["sh", "-e", "-c", script], cwd=tmp_path, env=env, check=True)
    mark, verdict, *rest = (tmp_path / "comment.md").read_text().splitlines()
    assert mark == "<!-- longctx-gate -->"
    assert verdict == (
        f"# Gate: of the {left[-1]}" if left else "# Gate: no verdict - the replay stopped before its end"
    )
    assert "Commit abc. [The run, with its whole report](https://host/o/r/actions/runs/5)" in rest
    last = (tmp_path / "log").read_text().splitlines()[-1]
    place = "repos/o/r/issues/comments/17" if method else "repos/o/r/issues/7/comments"
    assert place in last
    assert "--field body=@comment.md" in last
    assert ("--method PATCH" in last) == bool(method)


def test_two_branches_that_recorded_the_same_trials_merge(clone: Clone, server: SimulatedServer) -> None:
    """Both episodes stay in the file; of one request, the latest counts."""
    name = "toy/line_retrieval/lines-3.jsonl"
    clone.checkout.profile(LINES.replace("[3, 5]", "[3]"))
    clone.checkout.record(server)
    clone.commit(push=True)
    assert clone.checkout.cassettes()[name].count(b"\n") == 2
    for branch, answer, year in (("early", "11", 2098), ("late", "12", 2099)):
        clone.git("checkout", "--quiet", "-b", branch, "main")
        server.script = saying(answer)
        clone.checkout.record(server, mode="all")
        file = clone.checkout.file(f"cassettes/{name}")
        lines = file.read_text().splitlines()
        lines[2:] = [re.sub(r'("recorded_at":\s*")\d+', rf"\g<1>{year}", line) for line in lines[2:]]
        file.write_text("\n".join(lines) + "\n")
        clone.commit()
    clone.git("merge", "--quiet", "--no-edit", "early")
    assert clone.checkout.cassettes()[name].count(b"\n") == 6
    assert clone.checkout.pytest().code == 0
    assert {(row["returned"], row["recorded_at"][:4]) for row in clone.checkout.rows()} == {("12", "2099")}
