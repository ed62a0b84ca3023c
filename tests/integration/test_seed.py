"""--ctx-seed: other trials of the same cells; the same trials for the same seed."""

from __future__ import annotations

from tests.integration.conftest import LINES, Checkout
from tests.servers import SimulatedServer


def test_another_seed_asks_other_questions(checkout: Checkout, server: SimulatedServer) -> None:
    for seed in (0, 7, 7):
        assert checkout.record(server, f"--ctx-seed={seed}").code == 0
    prompts = {body["messages"][0]["content"] for body in server.asked}
    assert len(prompts) == len(server.asked) == 8
    assert {row["seed"] for row in checkout.rows()} == {7}


def test_by_default_it_is_the_profiles(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "--ctx-seed=7")
    checkout.profile("seed = 7\n", LINES)
    assert checkout.pytest().code == 0
    assert {row["seed"] for row in checkout.rows()} == {7}


def test_a_seed_that_was_not_recorded(recorded: Checkout) -> None:
    result = recorded.pytest("--ctx-seed=7")
    assert result.code == 1
    assert result.says("2 of 2 trials have no recording")
