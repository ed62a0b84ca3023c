"""Tests of which nothing is recorded: a first-time project skips them, and what was recorded before is not green."""

from __future__ import annotations

import shutil

import pytest

from tests.integration.conftest import TOY, Checkout
from tests.servers import SimulatedServer, saying

TEST = """
import pytest


@pytest.mark.longctx(trials=2)
def test_old(ask, draw):
    assert ask("Say yes.", max_tokens=50).text
"""
FILE = "cassettes/toy/test_old/all.jsonl"


@pytest.fixture
def project(checkout: Checkout, server: SimulatedServer) -> Checkout:
    server.script = saying("yes")
    checkout.file("fixtures/profiles").mkdir(exist_ok=True)
    checkout.profile(TOY, name="fixtures/profiles/mine.toml")
    for each in checkout.file("tests_longctx").glob("test_*.py"):
        each.unlink()
    checkout.functions(TEST)
    assert plain(checkout, "--ctx-record=once", f"--ctx-base-url={server.url}")[0] == 0
    return checkout


def plain(project: Checkout, *arguments: str) -> tuple[int, str]:
    result = project.pytest("tests_longctx", *arguments, profile=None)
    return result.code, " ".join((result.out + result.err).split())


def test_a_first_time_project_skips_them_unless_it_is_strict(project: Checkout) -> None:
    shutil.rmtree(project.file("cassettes"))
    code, out = plain(project)
    assert (code, "1 test was skipped: no answer of toy is recorded." in out) == (0, True)
    code, out = plain(project, "-o", "longctx_strict=true")
    assert (code, f"2 of 2 trials have no recording in {FILE}" in out) == (1, True)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_recordings_that_a_baseline_has_are_missed(project: Checkout, workers: str) -> None:
    assert project.longctx("baseline", "save", "main").code == 0
    shutil.rmtree(project.file("cassettes"))
    code, out = plain(project, workers)
    assert code == 1
    assert (
        "invalid: no answer of toy is recorded, but the baseline main has answers to this test: restore "
        f"{FILE}, or save the baseline again without the test."
    ) in out
    project.functions(TEST.replace("test_old", "test_new"))
    assert plain(project, workers)[0] == 0, "another test is new"


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_renamed_test_is_not_green(project: Checkout, workers: str) -> None:
    project.functions(TEST.replace("test_old", "test_new"))
    code, out = plain(project, workers)
    assert (code, f"1 test has no recording, and no test uses 1 recording ({FILE}): was a test renamed?" in out) == (
        1,
        True,
    ), out
    code, out = plain(project, workers, "-k", "new")
    assert (code, "was a test renamed?" in out) == (0, False), "a part of the suite"
    project.functions(TEST + TEST.replace("test_old", "test_new"))
    code, out = plain(project, workers)
    assert (code, "was a test renamed?" in out) == (0, False), "a test was added"
