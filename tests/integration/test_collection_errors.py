"""A file that pytest cannot collect: what is sent nevertheless, and what is said."""

from __future__ import annotations

import pytest

from tests.integration.conftest import TOY, Checkout
from tests.servers import SimulatedServer, saying

GOOD = """
import pytest


@pytest.mark.longctx(trials=2)
def test_good(ask):
    assert ask("Say yes.", max_tokens=50).text
"""
WHY = "tests_longctx/test_bad.py: NameError: name 'undefined' is not defined"


@pytest.fixture
def project(checkout: Checkout) -> Checkout:
    checkout.profile(TOY)
    checkout.functions(GOOD)
    checkout.file("tests_longctx/test_bad.py").write_text("undefined\n")
    return checkout


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["", "workers"])
def test_nothing_is_sent_and_why(project: Checkout, workers: tuple[str, ...]) -> None:
    with SimulatedServer(saying("yes")) as server:
        result = project.record(server, "tests_longctx", *workers)
        assert not server.asked
    assert result.code in (1, 2)
    assert (
        "No requests were sent, because pytest cannot collect all tests. Correct this, or run the others with "
        f"--continue-on-collection-errors: {WHY}"
    ) in " ".join(result.out.split()), result


def test_the_others_are_asked_if_that_is_wanted(project: Checkout) -> None:
    with SimulatedServer(saying("yes")) as server:
        live = ("--ctx-record=once", f"--ctx-base-url={server.url}", "--continue-on-collection-errors")
        result = project.pytest("tests_longctx/test_functions.py", "tests_longctx/test_bad.py", *live)
        assert len(server.asked) == 2
    assert f"Not run, because pytest cannot collect it: {WHY}" in " ".join(result.out.split()), result
    assert "1 passed" in result.out
    assert project.pytest("tests_longctx/test_functions.py").code == 0
