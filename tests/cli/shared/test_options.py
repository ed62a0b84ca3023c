"""The commands take what [tool.longctx] of pyproject.toml states, where their own line says nothing."""

from __future__ import annotations

import subprocess
from argparse import Namespace
from pathlib import Path

import pytest

from longctx.cli import make_parser
from longctx.cli.shared_options import fill_from_project
from longctx.engine.settings import OPTIONS
from longctx.workspace import Workspace
from tests.refusals import refused

TABLE = """[tool.longctx]
profile = "mine"
concurrency = 9
alpha = 0.01
max_age = 3
on_inconclusive = "pass"
lock = false
trial_run = false
text = false
"""
COMMAND_LINES = (
    "plan", "gate a b", "merge a b --out c --baseline main", "upgrade old new", "data questions try f --model m",
    "data questions write --corpus c --model m --out f", "window s --model m", "chunks d --model m", "show test",
    "data corpus diff a b --questions q", "models probe m", "models batches cancel b",
)  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(TABLE, encoding="utf-8")
    return tmp_path


def parsed(folder: Path, line: str) -> Namespace:
    options, _ = make_parser().parse_known_args(line.split())
    options.workspace = Workspace(folder)
    fill_from_project(options)
    return options


def test_a_command_takes_what_the_table_states(project: Path) -> None:
    plan = parsed(project, "plan")
    assert (plan.profile, plan.alpha) == ("mine", 0.01)
    gate = parsed(project, "gate old new")
    assert (gate.alpha, gate.max_age, gate.on_inconclusive, gate.margin) == (0.01, 3.0, "pass", None)
    upgrade = parsed(project, "upgrade old new")
    assert (upgrade.profile, upgrade.concurrency, upgrade.alpha) == ("mine", 9, 0.01)
    assert (upgrade.no_lock, upgrade.no_canary, upgrade.no_text) == (True, True, True)


def test_the_command_line_counts_first(project: Path) -> None:
    options = parsed(project, "upgrade old new --profile smoke --concurrency 4 --alpha 0.05")
    assert (options.profile, options.concurrency, options.alpha) == ("smoke", 4, 0.05)


def test_a_merge_without_a_verdict_takes_no_terms(project: Path) -> None:
    assert parsed(project, "merge a b --out c").alpha == 0.05
    assert parsed(project, "merge a b --out c --baseline main").alpha == 0.01


def test_a_mistake_in_the_table_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.longctx]\nprofiles = 'x'\n", encoding="utf-8")
    with refused("unknown-project-setting", "Did you mean 'profile'?"):
        parsed(tmp_path, "plan")


def test_each_command_shares_options_that_the_table_may_state(tmp_path: Path) -> None:
    for line in COMMAND_LINES:
        options, _ = make_parser().parse_known_args(line.split())
        assert any(OPTIONS[name].entry for name in options.shared), line
        assert all(OPTIONS[name].key in options for name in options.shared), line


def test_a_change_cannot_loosen_the_terms_of_its_base(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(project))
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "base")):
        subprocess.run([*git, *arguments], check=True)
    (project / "pyproject.toml").write_text("[tool.longctx]\nalpha = 0.5\nprofile = 'changed'\n", encoding="utf-8")
    assert parsed(project, "plan").alpha == 0.5
    monkeypatch.setenv("LONGCTX_BASE", "HEAD")
    options = parsed(project, "plan")
    assert (options.alpha, options.profile) == (0.01, "changed")


def test_a_file_alone_does_not_decide_where_a_key_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.longctx]\nbase_url = "http://a.example"\n', encoding="utf-8")
    with refused("server-not-confirmed", "[tool.longctx] of the project"):
        parsed(tmp_path, "upgrade old new")
    with refused("server-not-confirmed"):
        parsed(tmp_path, "models probe some-model")
    assert parsed(tmp_path, "upgrade old new --base-url http://b.example").base_url == "http://b.example"
    monkeypatch.setenv("LONGCTX_TRUSTED_HOSTS", "a.example")
    assert parsed(tmp_path, "upgrade old new").base_url == "http://a.example"
