"""The trial run of a live run, and `trial_run = false`."""

from __future__ import annotations

import pytest

from tests.batch_server import BatchServer
from tests.integration.conftest import NO_TEXT, RECORD_ONLY, Checkout
from tests.integration.pages import blocks, missing
from tests.servers import SimulatedServer, message, saying

MANY = '[line_retrieval]\nmodels = ["toy"]\nlines = [3]\norders = ["ordered"]\ntrials = 30\n'


@pytest.fixture(autouse=True)
def _many(checkout: Checkout) -> None:
    checkout.profile(MANY)


def test_a_test_whose_replies_cannot_be_read_stops(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("Sorry, I cannot say.")
    result = checkout.record(server, env=RECORD_ONLY)
    assert result.code == 1
    assert len(server.asked) == checkout.episodes() == 10
    [shown] = (text for kind, text in blocks("live-runs.md") if kind == "text" and text.startswith("The first trial"))
    assert not missing(shown, result.out), result.out
    assert result.says(
        "trial_run = false in [tool.longctx] continues anyway",
        "Asked 10 of 30 trials",
        "line_retrieval on toy: 0 of 10 correct, 0.00 [0.00, 0.28]; 10 unparseable.",
    )


@pytest.mark.parametrize("workers", [[], ["-n1"]])
def test_its_trials_were_not_asked(checkout: Checkout, server: SimulatedServer, workers: list[str]) -> None:
    server.script = saying("Sorry, I cannot say.")
    assert checkout.record(server, *workers).code == 1
    rows = checkout.rows()
    assert [row["error"] for row in rows].count("unreadable") == 20
    assert {row["outcome"] for row in rows} == {"unparseable", "not_asked"}


def test_it_can_be_switched_off(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("Sorry, I cannot say.")
    checkout.settings(trial_run=False)
    result = checkout.record(server, env=RECORD_ONLY)
    assert result.code == 0
    assert len(server.asked) == 30
    assert "The first trial of" not in result.out


def test_a_reply_is_not_shown_where_no_text_is_kept(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("Sorry, I cannot say.")
    result = checkout.record(server, env=NO_TEXT)
    assert result.says("The first trial of line_retrieval on toy is unparseable")
    assert "I cannot say" not in result.out


def test_batches_ask_a_few_directly_first(checkout: Checkout) -> None:
    with BatchServer() as server:
        server.looks = 1
        result = checkout.record(server, "--ctx-batch", env=RECORD_ONLY)
        assert result.code == 0, result.out + result.err
        assert len(server.asked) == 3
        assert checkout.episodes() == 30


def test_no_batch_is_created_where_no_reply_can_be_read(checkout: Checkout) -> None:
    with BatchServer(script=lambda body: (200, {}, message("Sorry, I cannot say.", body))) as server:
        result = checkout.record(server, "--ctx-batch", env=RECORD_ONLY)
        assert result.code == 1
        assert len(server.asked) == checkout.episodes() == 10
        assert not [request for request in server.received if request.path == "/v1/messages/batches" and request.body]


def test_a_recording_ends_with_outcomes_and_cost(checkout: Checkout, server: SimulatedServer) -> None:
    prices = "[prices]\ninput = 1\noutput = 1\ndated = 2026-01-01\n"
    checkout.file("fixtures/models/toy.toml").write_text(prices)
    result = checkout.record(server, env=RECORD_ONLY)
    assert result.says("Asked 30 of 30 trials", "line_retrieval on toy: 30 of 30 correct, 1.00 [0.89, 1.00].")
    assert result.says("30 answers cost $0.0")
