"""--ctx-trials: how many trials a cell has, instead of the profile's."""

from __future__ import annotations

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer


def test_fewer_trials_are_the_first_of_more(checkout: Checkout, server: SimulatedServer) -> None:
    assert checkout.record(server, "--ctx-trials=1").code == 0
    assert len(server.asked) == 2
    assert checkout.record(server, "--ctx-trials=3").code == 0
    assert len(server.asked) == 6
    assert [row["trial"] for row in checkout.rows()] == [0, 1, 2] * 2
    assert checkout.pytest("--ctx-trials=2").code == 0
    assert [row["trial"] for row in checkout.rows()] == [0, 1] * 2


def test_more_than_were_recorded_are_missing(recorded: Checkout) -> None:
    result = recorded.pytest("--ctx-trials=5")
    assert result.code == 1
    assert result.says("3 of 5 trials have no recording", "4 replayed", "6 not measured")
