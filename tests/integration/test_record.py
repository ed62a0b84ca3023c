"""--ctx-record: none asks nothing, once what is missing, new_episodes also what is stale, all everything."""

from __future__ import annotations

import pytest

from longctx.recording.tape import only_writer
from tests.integration.conftest import LINES, PASSKEY, Checkout
from tests.servers import SimulatedServer, saying

HEADER = "fixtures/prompts/protocol/line_retrieval/header.txt"


def test_none_is_the_default_and_asks_nothing(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.pytest(f"--ctx-base-url={server.url}")
    assert result.code == 1
    assert result.says("2 of 2 trials have no recording in cassettes/toy/line_retrieval/lines-3.jsonl.")
    assert not server.received
    assert not checkout.file("cassettes").exists()
    assert {(row["outcome"], row["error"], row["source"]) for row in checkout.rows()} == {
        ("not_asked", "missing", None)
    }


def test_once_asks_what_is_missing_and_then_nothing(checkout: Checkout, server: SimulatedServer) -> None:
    first = checkout.record(server)
    assert first.code == 0
    assert first.says("line_retrieval on toy: 4 of 4 trials need a request", "Asked 4 of 4 trials", "4 live")
    assert len(server.asked) == checkout.episodes() == 4
    assert {row["source"] for row in checkout.rows()} == {"live"}
    second = checkout.record(server)
    assert second.code == 0
    assert second.says("0 of 4 trials need a request", "Asked 0 of 0 trials", "4 replayed")
    assert len(server.asked) == checkout.episodes() == 4
    assert {row["source"] for row in checkout.rows()} == {"replayed"}


def test_new_episodes_also_asks_what_is_stale(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server, "-k", "lines-3")
    checkout.file(HEADER).write_text("Another header\n")
    once = checkout.record(server, "-k", "lines-3")
    assert (once.code, len(server.asked)) == (1, 2)
    assert once.says("2 of 2 trials are stale", "--ctx-record new_episodes")
    new = checkout.record(server, mode="new_episodes")
    assert (new.code, len(server.asked)) == (0, 6)
    assert "Another header" in server.asked[-1]["messages"][0]["content"]


def test_two_runs_do_not_record_at_once(checkout: Checkout, server: SimulatedServer) -> None:
    with only_writer(checkout.file("cassettes")):
        refused = checkout.record(server)
    assert refused.code == 4
    assert refused.says("[recording-locked]")
    assert not server.asked
    assert checkout.record(server).code == 0


def test_all_asks_everything_again_and_keeps_what_there_was(recorded: Checkout, server: SimulatedServer) -> None:
    before = recorded.cassettes()
    server.script = saying("13")
    result = recorded.record(server, mode="all")
    assert (result.code, len(server.asked)) == (0, 4)
    assert {row["returned"] for row in recorded.rows()} == {"13"}
    assert all(content.startswith(before[name]) for name, content in recorded.cassettes().items())
    assert recorded.pytest().code == 0
    assert {row["returned"] for row in recorded.rows()} == {"13"}


def test_with_workers_one_process_asks(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.record(server, "-n2")
    assert result.code == 0
    assert result.says("Asked 4 of 4 trials", "4 live")
    assert len(server.asked) == 4


@pytest.mark.parametrize("selection", [("-k", "lines-3"), ("--deselect=tests_longctx/test_line_retrieval.py::x",)])
def test_only_what_is_selected_is_asked(checkout: Checkout, server: SimulatedServer, selection: tuple[str]) -> None:
    assert checkout.record(server, *selection).code == 0
    assert len(server.asked) == (2 if "-k" in selection else 4)


def test_a_model_is_measured_before_it_is_asked(checkout: Checkout, server: SimulatedServer) -> None:
    """Passkey places its needle by the model's tokens; measured once, kept in the model's profile, used at once."""
    checkout.profile(LINES, PASSKEY)
    result = checkout.record(server)
    assert result.code == 0, result.out
    assert result.says("passkey on toy: 4 of 4 trials need a request", "Asked 8 of 8 trials")
    assert {row["outcome"] for row in checkout.rows()} == {"correct"}
    measured = checkout.file("fixtures/models/toy.toml").read_text()
    assert 'test = "passkey"' in measured
    counted = len(server.received)
    assert checkout.record(server).code == 0
    assert [request.path for request in server.received[counted:]] == ["/v1/models/toy"]
    assert checkout.file("fixtures/models/toy.toml").read_text() == measured


def test_what_could_not_be_asked_says_why(checkout: Checkout, server: SimulatedServer) -> None:
    """Each trial that could not be asked has a row that was not measured; the others are measured."""
    server.script = lambda body: saying("42")(body) if len(server.asked) > 1 else (400, {}, b'{"error": "too odd"}')
    result = checkout.record(server, "--ctx-concurrency=1")
    assert result.code == 1
    assert result.says("Asked 3 of 4 trials", "invalid:", "answered 400")
    assert [row["outcome"] for row in checkout.rows()].count("infra_error") == 1
    assert [row["error"] for row in checkout.rows()].count("refused_request") == 1
    server.script = saying("42")
    assert checkout.record(server).code == 0
    assert checkout.episodes() == 4
