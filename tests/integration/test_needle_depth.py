"""The depth of one of several texts that a test function inserts: the one that it marks as the needle."""

from __future__ import annotations

import pytest

from tests.integration.conftest import Checkout
from tests.integration.functions import ask, echo
from tests.servers import SimulatedServer

TESTS = """
import pytest


@pytest.mark.longctx(trials=4)
@pytest.mark.parametrize("marks", [0, 1])
def test_functions(ask, draw, marks):
    text = draw.filler(400).insert("The lamp costs 11.", 0.1).insert("The sofa costs 22.", 0.9, needle=bool(marks))
    assert "22" in ask(f"{text}\\n\\nWhat does the sofa cost?").text
"""


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_the_depth_is_that_of_the_marked_text(checkout: Checkout, workers: str) -> None:
    checkout.functions(TESTS)
    with SimulatedServer(echo) as server:
        assert ask(checkout, server, workers).code == 0
    depths = {row["params"]["marks"]: row["depth"] for row in checkout.rows()}
    assert depths[0] is None
    assert depths[1] == pytest.approx(0.9, abs=0.1)
