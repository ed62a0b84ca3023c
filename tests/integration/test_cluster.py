"""The recipes for a Slurm array and an indexed job of Kubernetes: as written, for two shards."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.integration.conftest import ROOT, UNWANTED, Checkout
from tests.integration.programs import programs
from tests.servers import SimulatedServer

LINES_OF_A_RECIPE = 12
Job = Callable[[Path, int], tuple[str, dict[str, str]]]


def recipe(name: str) -> str:
    return (ROOT / "docs/recipes" / name).read_text(encoding="utf-8")


def slurm(project: Path, number: int) -> tuple[str, dict[str, str]]:
    names = {"SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": str(number), "SLURM_ARRAY_TASK_COUNT": "2"}
    return recipe("shards.sh"), {**names, "SCRATCH": str(project.parent / "clones")}


def kubernetes(project: Path, number: int) -> tuple[str, dict[str, str]]:
    job = yaml.safe_load(recipe("kubernetes.yml"))
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert container["env"] == [{"name": "SHARDS", "value": str(job["spec"]["completions"])}]
    shell, options, script = container["command"]
    assert (shell, options) == ("bash", "-ec")
    script = script.replace("/data/project", str(project)).replace("/data/clones", str(project.parent / "clones"))
    return f"set -e\n{script}", {"JOB_COMPLETION_INDEX": str(number - 1), "SHARDS": "2"}


@pytest.mark.parametrize("job", [slurm, kubernetes])
def test_the_shards_of_a_recipe_merge(checkout: Checkout, server: SimulatedServer, job: Job, tmp_path: Path) -> None:
    project = checkout.folder
    commit = "init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm all"
    subprocess.run(f"git {commit}", shell=True, cwd=project, check=True)
    common = {**checkout.launcher.env, "PYTEST_ADDOPTS": UNWANTED, "LONGCTX_PAGE": "0"}
    common |= {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "none"}
    with programs(tmp_path, checkout.launcher) as bin_folder:
        common["PATH"] = f"{bin_folder}:{os.environ['PATH']}"
        for number in (1, 2):
            script, env = job(project, number)
            script = script.replace("--ctx-profile P", "--ctx-profile tiny.toml")
            for _ in range(2 if (job, number) == (slurm, 1) else 1):  # the first is started again
                done = subprocess.run(
                    ["bash", "-c", script], cwd=project, env=common | env, capture_output=True, text=True
                )
                assert done.returncode == 0, done.stdout + done.stderr
    shards = sorted(str(folder) for folder in (project.parent / "clones").rglob("reports/shard"))
    assert len(shards) == 2
    assert checkout.longctx("merge", *shards, "--out=merged", "--no-page").code == 0
    assert len(checkout.rows("merged")) == len(server.asked) == 4


def test_a_recipe_is_short_and_parses() -> None:
    script = recipe("shards.sh")
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert "#SBATCH --job-name=longctx --array=1-8 " in script
    for text in (script, recipe("kubernetes.yml")):
        assert text.count("\n") <= LINES_OF_A_RECIPE
    assert yaml.safe_load(recipe("kubernetes.yml"))["kind"] == "Job"
