"""--ctx-only: a single trial of each cell."""

from __future__ import annotations

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer


def test_one_trial_is_asked_and_measured(checkout: Checkout, server: SimulatedServer) -> None:
    assert checkout.record(server, "--ctx-only=7", "-k", "lines-5").code == 0
    assert len(server.asked) == 1
    assert [row["trial"] for row in checkout.rows()] == [7]


def test_the_same_trial_is_in_the_complete_run(recorded: Checkout) -> None:
    whole = recorded.rows()
    assert recorded.pytest("-n1", "--ctx-only=1").code == 0
    alone = recorded.rows()
    assert [row["trial"] for row in alone] == [1, 1]
    asked = {row["prompt_sha256"] for row in whole}
    assert all(row["prompt_sha256"] in asked for row in alone)


def test_a_trial_that_no_cell_has(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.record(server, "--ctx-only=q7", "-k", "lines-5")
    assert result.code == 1
    assert result.says("there is no trial 'q7': its trials are numbered from 0 [unknown-trial]")
    assert "no question" not in result.out
    assert server.asked == []


def test_a_number_that_is_none(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-only=-1")
    assert result.code == 4
    assert result.says("[bad-trial]", "use a number from 0, or the id of a question or case")
