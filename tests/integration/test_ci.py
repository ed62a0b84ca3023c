"""The gate in CI: the steps of the action and of the workflow, as they stand there, in a clone made with git."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.github import BOT, GitHub
from tests.integration.conftest import LINES, MANY, NOT_PASSED_ON, ROOT, UNWANTED, WANTED, Checkout, Launcher, needs_git
from tests.integration.programs import programs
from tests.runner import Done, run_action
from tests.servers import SimulatedServer, saying
from tests.workflow import step, workflow

pytestmark = needs_git

BASELINE = "fixtures/baselines/main.jsonl"
PUSH = {"event_name": "push", "base_ref": "", "event": {"repository": {"default_branch": "main"}}}
FORK = {
    "event_name": "pull_request",
    "base_ref": "main",
    "repository": "o/r",
    "event": {"pull_request": {"head": {"repo": {"full_name": "other/r"}}}},
}
PULL = {"number": 7, "head": {"sha": "abc"}}
MARK = "<!-- longctx-gate -->"


@dataclass(frozen=True, slots=True)
class Clone:
    """A git repository with a fetched branch origin/main, in which the action and workflow steps run as in a job."""

    checkout: Checkout
    programs: Path

    @property
    def summary(self) -> Path:
        """The file of GITHUB_STEP_SUMMARY, which lies outside the clone as on a runner."""
        return self.checkout.folder.parent / "step.md"

    @property
    def artifacts(self) -> Path:
        return self.checkout.folder.parent / "artifacts"

    def git(self, *arguments: str) -> str:
        return self._run(["git", *arguments], {}).stdout

    def commit(self, *, push: bool = False) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "A step")
        if push:
            self.git("update-ref", "refs/remotes/origin/main", "HEAD")

    def begin(self) -> None:
        """Leave the working folder as a new job finds it."""
        shutil.rmtree(self.checkout.folder / "reports", ignore_errors=True)
        self.summary.unlink(missing_ok=True)
        self.artifacts.mkdir(exist_ok=True)

    def run(self, job: str, name: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a step of a job of the workflow, once."""
        self.begin()
        return self._shell(step(job, name)["run"], env)

    def act(self, github: dict[str, Any] = PUSH, env: dict[str, str] | None = None, **inputs: str) -> Done:
        """Run the action as the only step of a job. inputs: their names have _ in place of -."""
        self.begin()
        given = {"profile": "tiny.toml", **{name.replace("_", "-"): value for name, value in inputs.items()}}

        def shell(script: str, of_step: dict[str, str]) -> subprocess.CompletedProcess[str]:
            return self._shell(script, of_step | (env or {}))

        return run_action(shell, self.checkout.folder, self.artifacts, given, github)

    def report(self, name: str) -> str:
        return (self.checkout.folder / "reports/gate" / name).read_text()

    def _shell(self, script: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return self._run(["sh", "-e", "-c", script], env, check=False)

    def _run(self, command: list[str], env: dict[str, str], check: bool = True) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)}
        ours = {
            "PATH": f"{self.programs}:{kept['PATH']}",
            "HOME": "/nonexistent",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PYTHONPATH": str(ROOT),
            **{f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_ACTION_PATH": str(self.checkout.folder),
            "WORKERS": "0",
            "PYTEST_ADDOPTS": UNWANTED,
            "LONGCTX_PAGE": "0",
            **WANTED,
        }
        return subprocess.run(
            command, cwd=self.checkout.folder, env=kept | ours | env, check=check, capture_output=True, text=True
        )


@pytest.fixture(scope="module")
def installed(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with programs(tmp_path_factory.mktemp("bin"), launcher) as folder:
        yield folder


@pytest.fixture
def clone(checkout: Checkout, installed: Path) -> Clone:
    return cloned(checkout, installed)


def cloned(checkout: Checkout, installed: Path) -> Clone:
    """Return a clone, pushed to the main branch, without recordings and without a baseline."""
    checkout.take(".ci", ".gitattributes", ".gitignore")
    made = Clone(checkout, installed)
    made.git("init", "--quiet", "--initial-branch=main")
    checkout.file(".git/info/exclude").write_text("/stdout\n/stderr\n")
    made.commit(push=True)
    return made


@pytest.fixture(scope="module")
def gated_once(fresh: Callable[[], Checkout], installed: Path) -> Clone:
    """Return a clone with enough recordings for a verdict, and with their baseline."""
    clone = cloned(fresh(), installed)
    clone.checkout.profile(MANY)
    with SimulatedServer() as server:
        assert clone.checkout.record(server).code == 0
    assert clone.checkout.longctx("baseline", "save", "main").code == 0
    clone.commit(push=True)
    return clone


@pytest.fixture
def gated(gated_once: Clone, tmp_path: Path) -> Clone:
    return Clone(gated_once.checkout.copied(tmp_path / "checkout"), gated_once.programs)


def test_the_first_run_has_no_baseline_and_says_so(clone: Clone, server: SimulatedServer) -> None:
    assert clone.checkout.record(server).code == 0
    done = clone.act()
    assert done.failed is None, done.failed
    assert (done.outputs["status"], done.outputs["verdict"]) == ("0", "")
    assert clone.report("gate.md").startswith("### longctx: no gate, origin/main has no baseline yet\n")
    assert clone.summary.read_text().startswith("\n### longctx: no gate, origin/main has no baseline yet\n")
    assert clone.report("summary.md") in clone.summary.read_text()


def test_with_a_baseline_the_verdict_comes_first_and_a_fork_is_told_what_it_cannot_show(gated: Clone) -> None:
    done = gated.act(FORK)
    assert done.ran == ["Begin", "actions/setup-python", "Install", "Gate", "Keep the report"]
    assert done.failed is None, done.failed
    assert done.outputs == {"status": "0", "verdict": "pass", "report": "reports/gate"}
    assert gated.report("gate.md").startswith("### ✅ longctx: ")
    assert gated.summary.read_text().startswith("\n" + gated.report("gate.md"))
    assert (gated.artifacts / "longctx-replay/gate.md").read_text() == gated.report("gate.md")
    assert "It cannot show what a model says to a changed prompt" in gated.summary.read_text()


def test_a_branch_cannot_bring_its_own_baseline(gated: Clone, server: SimulatedServer) -> None:
    """Answers got worse, and the branch saved them as the baseline: the main branch's counts. Shards say the same."""
    server.script = saying("13")
    assert gated.checkout.record(server, mode="all").code == 0
    assert gated.checkout.longctx("baseline", "save", "main", "--force").code == 0
    gated.commit()
    done = gated.act()
    assert (done.status, done.outputs["status"], done.outputs["verdict"]) == (10, "10", "regression")
    assert gated.report("gate.md").startswith("### ❌ longctx: ")
    assert "Keep the report" in done.ran
    verdict = gated.report("gate.md")
    assert gated.act(shard="1/2").outputs == {"status": "0", "verdict": "", "report": "reports/gate"}
    assert gated.act(shard="2/2").status == 0
    done = gated.act(do="merge", options="--no-page")
    assert (done.status, done.outputs["status"], done.outputs["verdict"]) == (10, "10", "regression")
    merged = gated.report("gate.md")
    assert merged.replace("reports/shards/baseline.jsonl", "reports/gate/baseline.jsonl") == verdict
    assert gated.summary.read_text().startswith("\n" + merged)
    assert {path.name for path in gated.artifacts.glob("*/")} == {
        "longctx-replay",
        "shard-replay-1-2",
        "shard-replay-2-2",
    }


def test_shards_of_which_none_ran_are_a_sentence(clone: Clone) -> None:
    done = clone.act(do="merge")
    assert done.status == 4
    assert done.failed
    assert done.failed.stderr == "No shard left a run in reports/shards: there is nothing to merge.\n"


def test_a_changed_prompt_is_noticed(clone: Clone) -> None:
    output = clone.summary.with_name("output")
    env = {"BASE": "origin/main", "GITHUB_OUTPUT": str(output), "LIVE_PATHS": workflow()["env"]["LIVE_PATHS"]}
    assert clone.run("replay", "Have prompts changed?", **env).returncode == 0
    assert not output.exists()
    clone.checkout.file("fixtures/prompts/protocol/line_retrieval/header.txt").write_text("Another header\n")
    clone.commit()
    assert clone.run("replay", "Have prompts changed?", **env).returncode == 0
    assert output.read_text() == "changed=true\n"


def test_live_asks_and_its_recordings_can_be_committed(gated: Clone, server: SimulatedServer) -> None:
    """The prompt has changed, so its recordings are stale. Each of two shards may spend half of the cap."""
    gated.checkout.file("fixtures/models/toy.toml").write_text(
        'model = "toy"\n[prices]\ninput = 1\noutput = 1\ndated = 2026-11-22\n'
    )
    gated.checkout.file("fixtures/prompts/protocol/line_retrieval/header.txt").write_text("Another header\n")
    gated.commit(push=True)
    to_server = {"ANTHROPIC_BASE_URL": server.url}
    recorded = len(server.asked)
    done = gated.act(env=to_server, record="new_episodes", api_key="k", max_cost="0.001", shard="1/2")
    assert done.status == 1
    assert 1 <= len(server.asked) - recorded < 10  # at about 0.006 cents each; without a part, 15
    done = gated.act(env=to_server, record="new_episodes", api_key="k")
    assert done.failed is None, done.failed
    assert len(server.asked) == recorded + 80
    assert gated.report("gate.md").startswith("### ✅ longctx: ")
    gated.git("stash", "--quiet")
    assert gated.act().status == 12
    assert gated.report("gate.md").startswith("### ⛔ longctx: ")
    assert "--ctx-record new_episodes" in gated.report("gate.md")
    kept = gated.artifacts / "recordings/recordings.tar.gz"
    subprocess.run(["tar", "xzf", kept], cwd=gated.checkout.folder, check=True)
    assert gated.act().status == 0


def test_setting_the_label_again_replays_what_an_earlier_run_of_the_branch_recorded(
    gated: Clone, server: SimulatedServer
) -> None:
    gated.checkout.file("fixtures/models/toy.toml").write_text(
        'model = "toy"\n[prices]\ninput = 1\noutput = 1\ndated = 2026-11-22\n'
    )
    gated.checkout.file("fixtures/prompts/protocol/line_retrieval/header.txt").write_text("Another header\n")
    gated.commit(push=True)
    given: dict[str, Any] = {"env": {"ANTHROPIC_BASE_URL": server.url}, "record": "new_episodes", "api_key": "k"}
    assert gated.act(**given).failed is None
    recorded = len(server.asked)
    gated.git("clean", "-fdx", "--quiet", "reports", "recordings.tar.gz")
    gated.git("checkout", "--quiet", "cassettes")
    gated.git("clean", "-fd", "--quiet", "cassettes")
    assert gated.act().status == 12, "a replay sees what is committed"
    again = gated.act(**given)
    assert again.failed is None, again.failed
    assert len(server.asked) == recorded
    assert len(gated.checkout.file("cassettes/verdicts.jsonl").read_text().splitlines()) == 1
    gated.act(**{**given, "record": "all"})
    assert len(server.asked) > recorded


def test_shards_of_a_branch_are_remembered_by_the_job_that_merges_them(gated: Clone, server: SimulatedServer) -> None:
    gated.checkout.file("fixtures/models/toy.toml").write_text(
        'model = "toy"\n[prices]\ninput = 1\noutput = 1\ndated = 2026-11-22\n'
    )
    gated.checkout.file("fixtures/prompts/protocol/line_retrieval/header.txt").write_text("Another header\n")
    gated.commit(push=True)
    server.script = saying("13")
    to_server: dict[str, Any] = {"env": {"ANTHROPIC_BASE_URL": server.url}, "api_key": "k"}
    for number, record in enumerate(("new_episodes", "all"), start=1):
        for shard in ("1/2", "2/2"):
            assert gated.act(**to_server, record=record, shard=shard).failed is None
        gated.git("checkout", "--quiet", "cassettes")
        gated.git("clean", "-fdx", "--quiet", "reports", "recordings.tar.gz", "verdicts.tar.gz", "cassettes")
        merged = gated.act(do="merge", options="--no-page", record=record)
        assert merged.outputs["verdict"] == "regression", merged.failed
        assert ("run 2 of this change: regression" in gated.report("gate.md")) == (number == 2)
        gated.git("checkout", "--quiet", "cassettes")
        gated.git("clean", "-fdx", "--quiet", "reports", "recordings.tar.gz", "verdicts.tar.gz", "cassettes")


def test_a_main_branch_that_was_not_fetched_is_no_first_run(clone: Clone) -> None:
    done = clone.act(base="origin/other")
    assert done.failed
    assert (done.status, done.failed.stdout) == (4, "")
    assert "fetch it first" in done.failed.stderr


def test_a_job_without_a_key_says_so(clone: Clone) -> None:
    done = clone.act(record="new_episodes")
    assert (done.status, done.ran) == (0, ["Begin"])
    assert clone.summary.read_text().startswith("**No requests were sent:**")


def test_what_is_to_be_done_is_one_of_three(clone: Clone) -> None:
    done = clone.act(do="gates")
    assert done.failed
    assert (done.status, done.failed.stderr) == (2, "do: must be gate, merge or comment, not gates.\n")


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub(*[("someone", MARK), (BOT, "another job's")] * 60) as server:
        yield server


def comment(folder: Path, github: GitHub, token: str = "a-token") -> Done:
    env = {
        "PATH": os.environ["PATH"],
        **{"GITHUB_API_URL": github.url, "GITHUB_SERVER_URL": "https://host"},
        **{"GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "5"},
    }

    def shell(script: str, of_step: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-e", "-c", script], cwd=folder, env=env | of_step, check=False, capture_output=True, text=True
        )

    context = {"event_name": "pull_request", "token": token, "event": {"pull_request": PULL}}
    return run_action(shell, folder, folder.with_name("artifacts"), {"do": "comment"}, context)


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_one_comment_is_written_and_then_edited(tmp_path: Path, github: GitHub) -> None:
    """The comment is on the second page of the issue's comments; nobody else's comment is edited."""
    left: list[str] = []
    for job in ("", "replay", "live"):
        if job:
            left.append(job)
            kept = tmp_path / f"artifacts/longctx-{job}"
            kept.mkdir()
            (kept / "gate.md").write_text(f"# Gate: of the {job}\n")
        folder = tmp_path / f"job-{job}"
        for directory in (folder, tmp_path / "artifacts"):
            directory.mkdir(exist_ok=True)
        done = comment(folder, github)
        assert done.failed is None, done.failed
        assert len(github.comments) == 121
        mark, verdict, *rest = github.comments[-1]["body"].splitlines()
        assert mark == MARK
        assert verdict == (
            f"# Gate: of the {job}" if job else "### longctx: no verdict, the run stopped before its end"
        )
        assert "Commit abc. [The run, with its whole report](https://host/o/r/actions/runs/5)" in rest
        assert ("# Gate: of the replay" in rest) == (job == "live")
    assert [request.split()[0] for request in github.asked] == ["GET", "GET", "POST", *["GET", "GET", "PATCH"] * 2]


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_a_comment_that_may_not_be_written_fails_the_job(tmp_path: Path, github: GitHub) -> None:
    for name in ("job", "artifacts"):
        (tmp_path / name).mkdir()
    assert comment(tmp_path / "job", github, token="another").status == 22
    assert len(github.comments) == 120


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
    episodes = [line for line in clone.checkout.cassettes()[name].splitlines() if b'"interactions":[{' in line]
    assert len(episodes) == 6
    assert clone.checkout.pytest().code == 0
    assert {(row["returned"], row["recorded_at"][:4]) for row in clone.checkout.rows()} == {("12", "2099")}


@pytest.mark.parametrize("option", ["--collect-only", "--help"])
def test_a_run_that_an_option_of_the_branch_ends_early_is_invalid(gated: Clone, option: str) -> None:
    """test_last_line.py has more such options."""
    gated.checkout.file("pytest.ini").write_text(f"[pytest]\naddopts = {option}\n")
    done = gated.act()
    assert (done.status, done.outputs["status"], done.outputs["verdict"]) == (12, "12", "")


def test_a_run_that_ends_well_without_a_verdict_is_invalid(gated: Clone) -> None:
    gated.checkout.file("conftest.py").write_text("import os\n\nos._exit(0)\n")
    done = gated.act()
    assert done.failed
    assert (done.status, "ended without a verdict" in done.failed.stderr) == (12, True)
