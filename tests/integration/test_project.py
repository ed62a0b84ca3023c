"""The project that a run belongs to: found from a subfolder, and never another than that of its tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from longctx.workspace import packaged
from tests.integration.conftest import LINES, RECORD_ONLY, Checkout
from tests.servers import SimulatedServer

INSTALLED = "-plongctx.plugin"
"""Loads longctx as an installed plugin is loaded, before pytest determines its root."""


@pytest.fixture
def elsewhere(checkout: Checkout) -> Path:
    """Return a folder outside the project that holds a profile."""
    folder = checkout.folder.parent / "elsewhere"
    folder.mkdir()
    (folder / "theirs.toml").write_text(LINES)
    return folder


@pytest.mark.parametrize("option", ["--ctx-profile", "--ctx-report"])
def test_the_value_of_an_option_is_not_taken_for_the_root(checkout: Checkout, elsewhere: Path, option: str) -> None:
    """pytest reads a value that stands apart as one more path."""
    value = elsewhere / "theirs.toml" if option == "--ctx-profile" else elsewhere
    result = checkout.pytest(INSTALLED, "--ctx-profile=tiny.toml", option, value, "--ctx-estimate", profile=None)
    assert result.code == 4
    root = elsewhere.parent
    assert result.says(f"{root} ", str(checkout.folder), "[root-is-elsewhere]")
    assert not {path.name for path in root.iterdir()} - {"checkout", "elsewhere"}


def test_such_a_value_beside_the_tests_does_no_harm(checkout: Checkout, elsewhere: Path) -> None:
    profile = elsewhere / "theirs.toml"
    result = checkout.pytest(INSTALLED, "--ctx-profile", profile, "tests_longctx", "--ctx-estimate", profile=None)
    assert result.code == 0
    assert result.says("4 of 4 trials need a request")


def test_tests_of_two_projects(checkout: Checkout) -> None:
    other = checkout.folder.parent / "other"
    shutil.copytree(checkout.folder, other)
    (other / "conftest.py").unlink()
    result = checkout.pytest(INSTALLED, "tests_longctx", other / "tests_longctx", "--ctx-estimate")
    assert result.code == 4
    assert result.says(f"{checkout.folder} and {other}", "[tests-in-two-projects]")


def test_a_root_that_is_given_counts(checkout: Checkout, elsewhere: Path) -> None:
    result = checkout.pytest(INSTALLED, f"--rootdir={elsewhere}", "tests_longctx", "--ctx-estimate", profile=None)
    assert result.code == 4
    assert result.says(f"{elsewhere}/fixtures/profiles", "[no-profile]")


def test_a_project_without_a_profile(checkout: Checkout) -> None:
    """A project of test functions alone needs none."""
    for arguments in ((), ("--ctx-estimate",)):
        result = checkout.pytest(*arguments, profile=None, page=True)
        assert result.says(str(checkout.folder), "[no-profile]")
        assert result.code == 4
    result = checkout.longctx("plan", "--model=toy")
    assert (result.code, result.says("[no-profile]")) == (2, True)
    assert not checkout.file("reports").exists()


@pytest.mark.parametrize("mode", ["none", "once", "all"])
def test_a_project_that_cannot_be_written(checkout: Checkout, server: SimulatedServer, mode: str) -> None:
    """The project's root is a folder in which not even root may write."""
    result = checkout.record(server, "--rootdir=/proc", "tests_longctx", mode=mode)
    assert result.code != 0
    assert result.says("/proc/", "not-writable]")
    assert not server.asked
    assert not checkout.file("reports").exists()


@pytest.mark.parametrize("testpaths", ["testpaths = tests_longctx", "testpaths = gone", ""])
def test_commands_measure_the_projects_own_tests(checkout: Checkout, server: SimulatedServer, testpaths: str) -> None:
    """The command runs in a folder without tests."""
    checkout.file("pytest.ini").write_text(f"[pytest]\n{testpaths}\n")
    within = Checkout(checkout.file("fixtures"), checkout.launcher)
    checkout.file("fixtures/profiles").mkdir(exist_ok=True)
    checkout.profile(LINES, name="fixtures/profiles/mine.toml")
    assert checkout.record(server, "tests_longctx").code == 0
    result = within.longctx("show", "--orphans")
    assert result.code == 0, result.out + result.err
    assert result.says("A test of the project uses every recording.")
    checkout.file("tests_longctx/test_line_retrieval.py").unlink()
    assert within.longctx("show", "--orphans").says("toy/line_retrieval/lines-3.jsonl")


def test_questions_are_tried_from_a_folder_of_the_project_and_need_no_test_of_it(checkout: Checkout) -> None:
    other_tests(checkout)
    questions = str(packaged() / "questions" / "register.jsonl")
    checkout.take("cassettes/qwen2.5-coder-0.5b/control")
    within = Checkout(checkout.file("fixtures"), checkout.launcher)
    recorded = ("--model", "qwen2.5-coder-0.5b", "--prompts", "tagged", "--longest", 600, "--max-tokens", 300)
    result = within.longctx("data", "questions", "try", questions, *recorded, "--trials", 5, "--no-page")
    assert result.says("15 trials: 0 live (0%); 15 replayed (100%)"), result.out + result.err
    assert not within.file("reports").exists()


def other_tests(checkout: Checkout) -> None:
    """Tests of the project's that measure nothing; one would leave a trace."""
    shutil.rmtree(checkout.file("tests_longctx"))
    checkout.file("tests_longctx").mkdir()
    checkout.file("tests_longctx/test_other.py").write_text("def test_other():\n    open('trace', 'w')\n")


@pytest.mark.parametrize("given", [(), ("--ctx-estimate",), ("-n1",)])
def test_a_project_whose_tests_measure_nothing(
    checkout: Checkout, server: SimulatedServer, given: tuple[str, ...]
) -> None:
    other_tests(checkout)
    result = checkout.record(server, "tests_longctx", *given, env=RECORD_ONLY)
    assert result.code == 4
    assert result.says(" tests_longctx.", "[nothing-to-ask]", "longctx init")
    assert not checkout.file("trace").exists()


def test_a_folder_without_tests(checkout: Checkout) -> None:
    """pytest itself runs the tests of the folder that it is started in."""
    within = Checkout(checkout.file("fixtures"), checkout.launcher)
    result = within.pytest("--ctx-estimate", profile="../tiny.toml")
    assert result.code == 4
    assert result.says("this folder.", "[nothing-to-ask]")


def test_a_selection_without_any_case_says_why(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.record(server, "tests_longctx", "-k", "passkey", env=RECORD_ONLY)
    assert result.code == 4
    assert result.says("[passkey]", "[nothing-to-ask]")
    result = checkout.record(server, "tests_longctx", "-k", "lines-77", env=RECORD_ONLY)
    assert result.code == 4
    assert result.says(" tests_longctx.", "[nothing-to-ask]")


def test_help_beside_an_option_is_shown(checkout: Checkout) -> None:
    shown = checkout.pytest(INSTALLED, "--ctx-profile=tiny.toml", "--help", profile=None)
    assert shown.code == 0
    assert "--ctx-baseline" in shown.out
