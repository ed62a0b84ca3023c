"""A live run and its replay rest on the same answers, so they come to the same verdict, whatever the kind of run."""

from __future__ import annotations

import pytest

from tests.integration.conftest import Checkout
from tests.integration.functions import ask, codes, gate, run
from tests.servers import SimulatedServer

FUNCTION = """
import pytest


@pytest.mark.longctx(trials=52)
def test_code(ask, draw):
    code = draw.integer(10_000, 99_999)
    assert ask(f"The refund code is {code}. What is the refund code?").integer() == code
"""


@pytest.mark.parametrize(("looks", "code"), [("equal", 11), ("few", 0)])
def test_a_function_that_was_asked_in_looks_to_its_end_is_judged_so_live_and_replayed(
    checkout: Checkout, looks: str, code: int
) -> None:
    """52 equal pairs have a bound of 0.049 at once, as `few` judges them, and of 0.055 in two looks."""
    file = checkout.file("tests_longctx/test_functions.py")
    file.write_text(FUNCTION)
    checkout.profile(f'looks = "{looks}"\nmodels = ["toy"]\n', name="looks.toml")
    gated = "--ctx-baseline=first", "--ctx-profile=looks.toml"
    with SimulatedServer(codes) as server:
        assert ask(checkout, server, "--ctx-report=first").code == 0
        file.write_text(FUNCTION.replace("What is", "Say:"))
        live = ask(checkout, server, *gated, mode="new_episodes")
    judged = gate(checkout)
    replayed = run(checkout, *gated)
    assert (gate(checkout)["families"], replayed.code) == (judged["families"], live.code)
    assert live.code == code
