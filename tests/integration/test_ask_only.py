"""LONGCTX_RECORD_ONLY: a run asks and records, and runs no tests."""

from __future__ import annotations

from tests.integration.conftest import RECORD_ONLY, Checkout
from tests.servers import SimulatedServer, failing, saying


def test_nothing_is_tested(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("13")
    checkout.options(min_rate=0.9)
    for workers in ("-n0", "-n2"):
        result = checkout.record(server, workers, env=RECORD_ONLY)
        assert result.code == 0
        assert result.says("Recorded. The tests were not run.")
        assert not any(word in result.out + result.err for word in ("failed", "Exit", "!!!"))
    assert len(server.asked) == checkout.episodes() == 4
    assert not checkout.file("reports").exists()


def test_a_server_that_answers_as_another_model_is_reported(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("13", model="other")
    result = checkout.record(server, env=RECORD_ONLY)
    assert result.code == 0
    assert result.says(
        "Asked 4 of 4 trials", "toy was requested, but by the server's answers other answered 4 of them."
    )


def test_what_could_not_be_asked_is_no_success(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = failing(400, "too odd")
    result = checkout.record(server, env=RECORD_ONLY)
    assert result.code == 1
    assert result.says("Asked 0 of 4 trials", "Recorded in part. The tests were not run.")
    assert result.says("answered 400: too odd")


def test_it_says_what_it_needs(checkout: Checkout) -> None:
    result = checkout.pytest(env=RECORD_ONLY)
    assert result.code == 4
    assert result.says("[ask-only-without-record]")
