"""The CI workflow and the GitLab example: who may do what, and that every option they use exists."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest

from longctx.config.arguments import RECORD_MODES
from tests.workflow import FILE, GUIDE, SCRIPT, gitlab, steps, workflow

JOBS = "replay", "live", "comment"
LIVE = {"Is there a key?", "Gate"}
"""The steps that see the key."""


def scripts(job: str) -> list[str]:
    return [one["run"] for one in steps(job) if "run" in one]


def commands() -> list[list[str]]:
    """Every call of the gate, split as a shell does."""
    lines = [line for job in JOBS for script in scripts(job) for line in script.splitlines()]
    lines += [job["script"] for job in gitlab().values() if isinstance(job.get("script"), str)]
    return [shlex.split(line) for line in lines if line.startswith(".ci/gate")]


def test_no_job_has_a_permission_that_it_does_not_need() -> None:
    assert workflow()["permissions"] == {}
    assert {job: workflow()["jobs"][job]["permissions"] for job in workflow()["jobs"]} == {
        "replay": {"contents": "read"},
        "live": {"contents": "read"},
        "comment": {"pull-requests": "write"},
    }


def test_code_of_a_fork_never_runs_with_the_rights_of_the_repository() -> None:
    triggers = workflow()[True]  # YAML reads the word `on` so
    assert set(triggers) == {"push", "pull_request", "workflow_dispatch"}
    for job in ("live", "comment"):
        assert "github.event.pull_request.head.repo.full_name == github.repository" in workflow()["jobs"][job]["if"]


def test_the_job_that_may_write_runs_no_code_of_the_repository() -> None:
    assert [one["uses"].partition("@")[0] for one in steps("comment") if "uses" in one] == ["actions/download-artifact"]
    assert not any(word in script for script in scripts("comment") for word in (".ci/", "pip ", "pytest", "python"))


@pytest.mark.parametrize("job", JOBS)
def test_nothing_is_written_into_a_script(job: str) -> None:
    assert scripts(job)
    assert not [script for script in scripts(job) if "${{" in script]


def test_the_key_is_seen_by_the_steps_that_use_it() -> None:
    seeing = {(job, one["name"]) for job in JOBS for one in steps(job) if "secrets." in str(one)}
    assert seeing == {("live", name) for name in LIVE}
    assert "secrets." not in str({name: part for name, part in workflow().items() if name != "jobs"})
    assert workflow()["jobs"]["live"]["environment"] == "longctx-live"


@pytest.mark.parametrize("job", JOBS)
def test_actions_are_pinned_by_major_version(job: str) -> None:
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", one["uses"]) for one in steps(job) if "uses" in one)


@pytest.mark.parametrize("job", JOBS)
def test_no_failure_is_swallowed(job: str) -> None:
    assert "continue-on-error" not in str(workflow()["jobs"][job])
    assert not any("|| true" in script for script in scripts(job))


def test_each_call_of_the_gate_is_a_step_of_its_own() -> None:
    """Nothing that follows it can hide its exit status."""
    assert [script for job in JOBS for script in scripts(job) if ".ci/gate" in script] == [
        ".ci/gate",
        '.ci/gate --ctx-record "$RECORD" --ctx-max-cost "$MAX_COST"',
    ]


def test_every_option_exists(pytestconfig: pytest.Config) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (FILE, SCRIPT, GUIDE))
    options = set(re.findall(r"--(ctx-[a-z-]+)", text))
    assert {"ctx-baseline", "ctx-report", "ctx-profile", "ctx-record", "ctx-max-cost"} <= options
    assert [one for one in options if not hasattr(pytestconfig.option, one.replace("-", "_"))] == []


def test_a_live_run_has_a_mode_that_exists_and_a_cap() -> None:
    live = [one for one in commands() if "--ctx-record" in one]
    assert len(live) == 2
    assert all("--ctx-max-cost" in one for one in live)
    assert live[1][live[1].index("--ctx-record") + 1] in RECORD_MODES
    choices: dict[str, Any] = workflow()[True]["workflow_dispatch"]["inputs"]["record"]
    assert {*choices["options"]} < {*RECORD_MODES}
    assert choices["default"] in choices["options"]


def test_gitlab_calls_the_same_script_and_asks_nothing_for_a_fork() -> None:
    found = gitlab()
    assert found["replay"]["script"] == ".ci/gate"
    assert found["live"]["rules"][0] == {
        "if": "$ANTHROPIC_API_KEY == null || $CI_MERGE_REQUEST_SOURCE_PROJECT_ID != $CI_MERGE_REQUEST_PROJECT_ID",
        "when": "never",
    }
    assert found["comment"]["variables"]["GIT_STRATEGY"] == "none"


def test_cassettes_merge_by_union_and_baselines_do_not() -> None:
    text = FILE.parents[2].joinpath(".gitattributes").read_text(encoding="utf-8")
    assert [line.split()[0] for line in text.splitlines() if "merge=union" in line] == ["cassettes/**/*.jsonl"]


def test_the_script_may_be_run() -> None:
    assert SCRIPT.stat().st_mode & 0o111


def test_all_checks_end_with_the_gate_of_the_tree_against_its_own_baseline() -> None:
    last = SCRIPT.with_name("run").read_text(encoding="utf-8").splitlines()[-1]
    assert last.startswith("BASE=HEAD ")
    assert ".ci/gate" in last
