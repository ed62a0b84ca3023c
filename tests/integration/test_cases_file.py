"""A file of cases is data: neither a profile nor a link leads out of the project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.conftest import TOY, Checkout, Launcher

TEST = """
import pytest


@pytest.mark.longctx(cases="cases.jsonl")
def test_it(ask, case):
    assert ask(case.text).text
"""
SECRET = json.dumps({"id": "one", "text": "a secret of somebody else"})


@pytest.fixture
def project(launcher: Launcher, tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path / "project", launcher)
    made.file("tests_longctx").mkdir(parents=True)
    made.file("pytest.ini").write_text("[pytest]\n")
    made.file("tests_longctx/test_it.py").write_text(TEST)
    (tmp_path / "secret.jsonl").write_text(SECRET)
    made.profile(TOY)
    return made


def refused(project: Checkout) -> None:
    result = project.pytest("-plongctx.plugin", "tests_longctx", "--ctx-estimate")
    assert result.code != 0
    assert result.says("[leads-outside]"), result
    assert "secret of" not in result.out + result.err


@pytest.mark.parametrize("path", ["../secret.jsonl", "{outside}/secret.jsonl"])
def test_a_profile_names_no_file_outside(project: Checkout, path: str) -> None:
    """docs/security.md, cases-file."""
    named = path.format(outside=project.folder.parent)
    project.profile(f'models = ["toy"]\n[test_it]\ncases = "{named}"\n')
    refused(project)


def test_a_link_leads_to_no_file_outside(project: Checkout) -> None:
    """docs/security.md, cases-file."""
    project.file("tests_longctx/cases.jsonl").symlink_to(project.folder.parent / "secret.jsonl")
    refused(project)


def test_a_link_leads_to_no_hidden_file(project: Checkout) -> None:
    """docs/security.md, cases-file."""
    project.file(".env").write_text(SECRET)
    project.file("tests_longctx/cases.jsonl").symlink_to(project.file(".env"))
    refused(project)
