"""What is imported when: by a collection nothing heavy, by an estimate or a replay no SDK, and never pandas."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.integration.conftest import ROOT, Checkout, Launcher

PLUGIN = """
import sys

def pytest_unconfigure(config):
    names = ("anthropic", "vcr", "pandas", "pyarrow", "rich", "longctx.plugin")
    with open("worker" if hasattr(config, "workerinput") else "main", "w") as file:
        print(*(name for name in names if name in sys.modules), file=file)
"""


@pytest.mark.parametrize(
    ("arguments", "imported"),
    [
        (("--collect-only",), {"main": ["longctx.plugin"]}),
        (("--ctx-estimate",), {"main": ["vcr", "longctx.plugin"]}),
        (("-n0",), {"main": ["vcr", "longctx.plugin"]}),
        (("-n1",), {"main": ["longctx.plugin"], "worker": ["vcr", "longctx.plugin"]}),
    ],
    ids=["collection", "estimate", "one process", "controller and worker"],
)
def test_imports(recorded: Checkout, arguments: tuple[str], imported: dict[str, list[str]]) -> None:
    recorded.file("show_imports.py").write_text(PLUGIN)
    command = [sys.executable, "-m", "pytest", "-p", "show_imports", "-p", "no:cacheprovider"]
    command += ["--ctx-profile=tiny.toml", *arguments]
    env = recorded.launcher.env
    done = subprocess.run(command, cwd=recorded.folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert {name: recorded.file(name).read_text().split() for name in imported} == imported


UNNEEDED = {
    "anthropic": "the SDK",
    "longctx.corpus.question_bank": "a question bank",
    "longctx.functions.ask": "what runs a trial",
    "tiktoken": "the vocabulary",
    "vcr": "a recording",
}
"""What no collection needs, by the module that loads it."""


def test_the_recorded_suite_is_collected_without_banks_vocabulary_and_recordings(launcher: Launcher) -> None:
    arguments = ["tests_longctx", "--collect-only", "-q", "--ctx-profile=recorded", "-pno:cacheprovider"]
    code = f"import sys, pytest; pytest.main({arguments}); print(*({{*{[*UNNEEDED]}}} & sys.modules.keys()))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=launcher.env, capture_output=True, text=True, check=True)
    *collected, loaded = done.stdout.splitlines()
    assert "tests collected" in collected[-1]
    assert [UNNEEDED[name] for name in loaded.split()] == []
