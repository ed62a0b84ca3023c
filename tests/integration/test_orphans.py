"""`longctx show --orphans`: recordings that no test asks for are listed, and stay."""

from __future__ import annotations

import pytest

from tests.integration.conftest import LINES, TOY, Checkout
from tests.servers import SimulatedServer, saying

TEST = """
import pytest


@pytest.mark.longctx(trials=2)
@pytest.mark.parametrize("tokens", [100, 200])
def test_old(ask, draw, tokens):
    assert ask("Say yes.", max_tokens=50).text
"""


@pytest.fixture
def project(checkout: Checkout, server: SimulatedServer) -> Checkout:
    server.script = saying("yes")
    checkout.file("fixtures/profiles").mkdir(exist_ok=True)
    checkout.profile(TOY, LINES, name="fixtures/profiles/mine.toml")
    checkout.functions(TEST)
    assert checkout.record(server, profile="mine").code in (0, 1)
    return checkout


def test_a_renamed_test_and_a_dropped_cell(project: Checkout) -> None:
    none = project.longctx("show", "--orphans")
    assert none.says("A test of the project uses every recording."), none
    test = project.file("tests_longctx/test_functions.py")
    test.write_text(TEST.replace("[100, 200]", "[100]"))
    dropped = project.longctx("show", "--orphans")
    assert dropped.says("toy/test_old/tokens-200.jsonl", "no cell of the test is recorded there", "1 file of"), dropped
    test.write_text(TEST.replace("test_old", "test_renamed"))
    before = project.cassettes()
    renamed = project.longctx("show", "--orphans")
    assert renamed.code == 0
    assert renamed.says("toy/test_old/tokens-100.jsonl", "no test of this name", "2 files of"), renamed
    assert "line_retrieval" not in renamed.out
    assert project.cassettes() == before


def test_tests_that_cannot_be_collected(project: Checkout) -> None:
    project.functions("undefined\n")
    result = project.longctx("show", "--orphans")
    assert result.code == 2
    assert result.says(
        "because the tests cannot be collected under the profile mine: tests_longctx/test_functions.py"
    ), result


def test_nothing_to_show(checkout: Checkout) -> None:
    assert checkout.longctx("show").says("Name a CELL[#TRIAL] to show, or use --orphans. [nothing-to-show]")
