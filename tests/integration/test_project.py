"""The project that a run belongs to: found from a subfolder, and never another than that of its tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.integration.conftest import LINES, Checkout

INSTALLED = "-plongctx.plugin"
"""As an installed longctx is loaded: whatever pytest takes for the project's root."""


@pytest.fixture
def elsewhere(checkout: Checkout) -> Path:
    """A folder beside the project, with a profile."""
    folder = checkout.folder.parent / "elsewhere"
    folder.mkdir()
    (folder / "theirs.toml").write_text(LINES)
    return folder


@pytest.mark.parametrize("option", ["--ctx-profile", "--ctx-corpus", "--ctx-report"])
def test_the_value_of_an_option_is_not_taken_for_the_root(checkout: Checkout, elsewhere: Path, option: str) -> None:
    """pytest reads a value that stands apart as one more path."""
    value = elsewhere / "theirs.toml" if option == "--ctx-profile" else elsewhere
    result = checkout.pytest(INSTALLED, "--ctx-profile=tiny.toml", option, value, "--ctx-estimate", profile=None)
    assert result.code == 4
    root = elsewhere.parent
    assert result.says(f"pytest takes {root} for the root of the project, though the tests lie in {checkout.folder}")
    assert result.says("Write the value with an equals sign, such as --ctx-profile=PATH")
    assert not {one.name for one in root.iterdir()} - {"checkout", "elsewhere"}


def test_such_a_value_beside_the_tests_does_no_harm(checkout: Checkout, elsewhere: Path) -> None:
    profile = elsewhere / "theirs.toml"
    result = checkout.pytest(INSTALLED, "--ctx-profile", profile, "tests_longctx", "--ctx-estimate", profile=None)
    assert result.code == 0
    assert result.says("4 of 4 trials to ask")


def test_tests_of_two_projects(checkout: Checkout) -> None:
    other = checkout.folder.parent / "other"
    shutil.copytree(checkout.folder, other)
    (other / "conftest.py").unlink()
    result = checkout.pytest(INSTALLED, "tests_longctx", other / "tests_longctx", "--ctx-estimate")
    assert result.code == 4
    assert result.says(f"The tests lie in two projects, {checkout.folder} and {other}: run one at a time")


def test_a_root_that_is_given_counts(checkout: Checkout, elsewhere: Path) -> None:
    result = checkout.pytest(INSTALLED, f"--rootdir={elsewhere}", "tests_longctx", "--ctx-estimate", profile=None)
    assert result.code == 4
    assert result.says(f"{elsewhere} has none of its own in {elsewhere}/fixtures/profiles")
