"""The CI workflow, its action and the examples of the guide: permissions, and that all they name exists."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # vcrpy brings it

from longctx.config.arguments import RECORD_MODES
from tests.workflow import ACTION, FILE, GUIDE, RECIPES, SCRIPT, action, action_steps, example, gitlab, steps, workflow

JOBS = "replay", "live", "comment"
KEY = {"Begin", "Gate"}
"""The steps of the action that see the API key."""
WRITES = {"Fetch the verdicts", "Write the comment, or edit the one there is"}
"""The steps of the action that run in the job with write permission."""
WORKFLOWS = FILE.parent
EXAMPLE = "longctx-shards.yml"


def scripts() -> list[str]:
    """Return the scripts of all steps of the workflow and of the action."""
    all_steps = [*(step for job in JOBS for step in steps(job)), *action_steps()]
    return [step["run"] for step in all_steps if "run" in step]


def used(jobs: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the inputs that the jobs of a workflow give the action."""
    given = [step for job in jobs.values() for step in job["steps"] if step.get("uses") == "./"]
    return [step.get("with", {}) for step in given]


@pytest.mark.parametrize(
    ("file", "name", "installs"),
    [
        ("pyproject.toml", "pytest-longctx", ["-r pins", "--no-deps --no-build-isolation -e ."]),
        ("pyproject.toml", "my-shop", ["-r pins"]),
        ("setup.cfg", "pytest-longctx", ["-r pins"]),
    ],
)
def test_a_checkout_of_longctx_installs_its_command_and_no_other_project_is_installed(
    file: str, name: str, installs: list[str], tmp_path: Path
) -> None:
    (tmp_path / file).write_text(f'[project]\nname = "{name}"\n')
    (tmp_path / "pip").write_text('#!/bin/sh\necho "$@" >> calls\n')
    (tmp_path / "pip").chmod(0o755)
    [script] = [step["run"] for step in action_steps() if step.get("name") == "Install"]
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "INSTALL": "-r pins"}
    subprocess.run(["sh", "-e", "-c", script], cwd=tmp_path, env=env, check=True)
    assert (tmp_path / "calls").read_text().splitlines() == [f"install {each}" for each in installs]


def test_no_job_has_a_permission_that_it_does_not_need() -> None:
    assert workflow()["permissions"] == {}
    assert {job: workflow()["jobs"][job]["permissions"] for job in workflow()["jobs"]} == {
        "replay": {"contents": "read"},
        "live": {"contents": "read"},
        "comment": {"contents": "read", "pull-requests": "write"},
    }


def test_code_of_a_fork_never_runs_with_the_rights_of_the_repository() -> None:
    triggers = workflow()[True]  # YAML reads the word `on` so
    assert set(triggers) == {"push", "pull_request", "workflow_dispatch"}
    for job in ("live", "comment"):
        assert "github.event.pull_request.head.repo.full_name == github.repository" in workflow()["jobs"][job]["if"]


def test_the_job_that_may_write_runs_no_code_of_the_pull_request() -> None:
    """The only file that it checks out is from the target branch."""
    for jobs in (workflow()["jobs"], example(EXAMPLE)["jobs"]):
        checkout, comment = jobs["comment"]["steps"]
        assert checkout["uses"].startswith("actions/checkout@")
        assert checkout["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"
        assert checkout["with"]["sparse-checkout"] == "action.yml"
        assert comment == {"uses": "./", "with": {"do": "comment"}}
    writing = [step for step in action_steps() if step["if"] == "${{ inputs.do == 'comment' }}"]
    assert {step["name"] for step in writing} == WRITES
    assert [step["uses"].partition("@")[0] for step in writing if "uses" in step] == ["actions/download-artifact"]
    [script] = (step["run"] for step in writing if "run" in step)
    assert not any(word in script for word in (".ci/", "pip ", "pytest", "python", "git "))


def test_no_other_step_runs_in_the_job_that_may_write() -> None:
    for step in action_steps():
        if step["name" if "name" in step else "uses"] not in WRITES:
            assert "steps.begin.outputs.go" in step["if"] or step["if"] == "${{ inputs.do != 'comment' }}"


def test_nothing_is_written_into_a_script() -> None:
    assert scripts()
    assert not [script for script in scripts() if "${{" in script]


def test_the_key_and_the_token_are_seen_by_the_steps_that_use_them() -> None:
    seeing = {(job, step["uses"]) for job in JOBS for step in steps(job) if "secrets." in str(step)}
    assert seeing == {("live", "./")}
    assert "secrets." not in str({name: part for name, part in workflow().items() if name != "jobs"})
    assert workflow()["jobs"]["live"]["environment"] == "longctx-live"
    assert {step["name"] for step in action_steps() if "-api-key" in str(step)} == KEY
    for vendor in ("ANTHROPIC", "OPENAI", "GEMINI"):
        assert any(f"{vendor}_API_KEY" in step.get("env", {}) for step in action_steps())
        assert f"secrets.{vendor}_API_KEY" in str(steps("live"))
    assert {step["name"] for step in action_steps() if "github.token" in str(step)} < WRITES
    assert "secrets." not in ACTION.read_text(encoding="utf-8")


def test_actions_are_official_and_pinned_by_commit() -> None:
    files = [ACTION, GUIDE, RECIPES / EXAMPLE, *FILE.parent.glob("*.yml")]
    uses = [line for file in files for line in re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))]
    loose = [line for line in uses if not re.fullmatch(r"\./|actions/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)]
    assert len(uses) > 10
    assert loose == []


def test_every_shell_step_of_the_action_names_its_shell() -> None:
    """GitHub refuses an action with a shell step that names no shell."""
    assert {step["shell"] for step in action_steps() if "run" in step} == {"sh"}


def test_no_failure_is_swallowed() -> None:
    assert "continue-on-error" not in str(workflow()) + str(action())
    assert not any("|| true" in script for script in scripts())


def test_the_gate_is_the_last_command_of_a_step_of_its_own() -> None:
    """No later command of the step can hide its exit status."""
    [script] = (script for script in scripts() if ".ci/gate" in script)
    assert "\n" not in script
    assert script.endswith('"$GITHUB_ACTION_PATH/.ci/gate" $OPTIONS')


def test_what_the_workflow_and_the_example_give_the_action_are_its_inputs() -> None:
    given = [*used(workflow()["jobs"]), *used(example(EXAMPLE)["jobs"])]
    assert len(given) == 6
    assert {name for inputs in given for name in inputs} <= action()["inputs"].keys()
    assert {inputs["do"] for inputs in given if "do" in inputs} == {"merge", "comment"}


def test_the_example_has_as_many_shards_as_it_says() -> None:
    jobs = example(EXAMPLE)["jobs"]
    numbers = jobs["shard"]["strategy"]["matrix"]["shard"]
    assert numbers == [f"{number}/{len(numbers)}" for number in range(1, len(numbers) + 1)]
    assert jobs["shard"]["strategy"]["fail-fast"] is False
    assert jobs["gate"]["needs"] == "shard"
    assert "!cancelled()" in jobs["gate"]["if"]


def test_every_option_exists(pytestconfig: pytest.Config) -> None:
    files = FILE, ACTION, SCRIPT, GUIDE, *RECIPES.glob("*.yml"), RECIPES / "shards.sh"
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    options = set(re.findall(r"--(ctx-[a-z-]+)", text))
    assert {"ctx-baseline", "ctx-report", "ctx-profile", "ctx-record", "ctx-max-cost"} <= options
    assert [option for option in options if not hasattr(pytestconfig.option, option.replace("-", "_"))] == []


def test_a_live_run_has_a_mode_that_exists_and_a_cap() -> None:
    [live] = (inputs for inputs in used(workflow()["jobs"]) if "record" in inputs)
    assert live["max-cost"]
    command = shlex.split(gitlab()["live"]["script"])
    assert command[0].removeprefix("EARLIER=") in gitlab()["live"]["cache"]["paths"]
    assert command[command.index("--ctx-record") + 1] in RECORD_MODES
    assert "--ctx-max-cost" in command
    choices: dict[str, Any] = workflow()[True]["workflow_dispatch"]["inputs"]["record"]
    assert {*choices["options"]} < {*RECORD_MODES}
    assert choices["default"] in choices["options"]


def test_gitlab_calls_the_same_script_and_asks_nothing_for_a_fork() -> None:
    pipeline = gitlab()
    assert pipeline["replay"]["script"] == ".ci/gate"
    assert pipeline["live"]["rules"][0] == {
        "if": "$ANTHROPIC_API_KEY == null && $OPENAI_API_KEY == null && $GEMINI_API_KEY == null || "
        "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID != $CI_MERGE_REQUEST_PROJECT_ID",
        "when": "never",
    }
    assert pipeline["comment"]["variables"]["GIT_STRATEGY"] == "none"


def test_cassettes_merge_by_union_and_baselines_do_not() -> None:
    text = FILE.parents[2].joinpath(".gitattributes").read_text(encoding="utf-8")
    assert [line.split()[0] for line in text.splitlines() if "merge=union" in line] == ["cassettes/**/*.jsonl"]


def test_recordings_show_as_text_in_a_diff(tmp_path: Path) -> None:
    """docs/security.md, binary-diff"""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    git("init", "--quiet")
    shutil.copy2(FILE.parents[2] / ".gitattributes", tmp_path)
    file = tmp_path / "cassettes" / "toy" / "passkey" / "k-1.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("wrong\n")
    git("add", ".")
    file.write_text("right\n")
    assert "-wrong\n+right\n" in git("diff")
    assert git("check-attr", "linguist-generated", str(file.relative_to(tmp_path))).endswith(": unset\n")


def test_the_script_may_be_run() -> None:
    assert SCRIPT.stat().st_mode & 0o111


def test_all_checks_gate_the_tree_against_its_own_baseline_and_fail_with_it() -> None:
    script = SCRIPT.with_name("run").read_text(encoding="utf-8")
    assert re.search(r"^ +BASE=HEAD .* \.ci/gate\n\) > .*suite\.log", script, re.MULTILINE)
    assert "set -euo pipefail" in script
    assert 'wait "${beside[0]}" || status=$?' in script
    assert '[ "$status" = 0 ] || exit "$status"' in script


def test_a_release_is_built_without_the_right_to_write() -> None:
    release = yaml.safe_load((WORKFLOWS / "release.yml").read_text(encoding="utf-8"))
    assert release["permissions"] == {}
    assert {name: job["permissions"] for name, job in release["jobs"].items()} == {
        "build": {"contents": "read"},
        "draft": {"contents": "write"},
        "publish": {"id-token": "write"},
    }
    for name in ("draft", "publish"):  # what may write or publish runs no code of the repository
        used = [step.get("uses", "").partition("@")[0] for step in release["jobs"][name]["steps"]]
        assert used == ["actions/download-artifact", ""]
    build = "\n".join(step.get("run", "") for step in release["jobs"]["build"]["steps"])
    assert build.index("--target sdist") < build.index("--target wheel") < build.index("longctx demo")


def test_every_python_that_is_claimed_is_tested() -> None:
    checks = yaml.safe_load((WORKFLOWS / "checks.yml").read_text(encoding="utf-8"))["jobs"]
    matrix = checks["pythons"]["strategy"]["matrix"]
    tested = {"3.11", *matrix["python"]}
    claimed = re.findall(r"Python :: (3\.\d+)", (SCRIPT.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    assert tested == {*claimed}
    assert {each["os"] for each in matrix["include"]} == {"macos-latest"}
