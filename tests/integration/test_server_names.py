"""--ctx-server: recordings are kept under the name of the server that answers, and servers never mix."""

from __future__ import annotations

import json

import pytest

from tests.integration.conftest import MANY, Checkout
from tests.servers import Saying, SimulatedServer, saying

NAMED = "toy,server=q4"


@pytest.fixture
def recorded(checkout: Checkout, server: SimulatedServer) -> Checkout:
    """A project with recordings of a server without a name, which are its baseline."""
    checkout.profile(MANY)
    assert checkout.record(server).code == 0
    assert checkout.longctx("baseline", "save", "main").code == 0
    return checkout


def folders(checkout: Checkout) -> set[str]:
    return {path.name for path in checkout.file("cassettes").iterdir() if path.is_dir()}


def test_recordings_are_kept_under_the_name(recorded: Checkout, server: SimulatedServer) -> None:
    before = recorded.cassettes()
    server.script = saying("7")
    run = recorded.record(server, "--ctx-server=q4", "--ctx-baseline=main", "-n2")
    assert run.code == 10
    assert run.says("Changed: server without a name → q4.")
    assert folders(recorded) == {"toy", NAMED}
    assert before.items() <= recorded.cassettes().items(), "nothing is added to those without a name"
    assert {row["server"] for row in recorded.rows()} == {"q4"}
    sent = len(server.asked)
    assert recorded.pytest("--ctx-server=q4", "--ctx-baseline=main", "-n2").code == 10
    assert recorded.pytest("--ctx-baseline=main").code == 0, "a replay without a name has its own answers"
    assert len(server.asked) == sent


def test_trials_of_two_servers_are_paired(recorded: Checkout, server: SimulatedServer) -> None:
    assert recorded.record(server, "--ctx-server=f16", "--ctx-save-baseline=f16").code == 0
    [line] = recorded.file("fixtures/baselines/f16.jsonl").read_text().splitlines()[1:]
    assert json.loads(line)["server"] == "f16"
    server.script = saying("7")
    run = recorded.record(server, "--ctx-server=q4", "--ctx-baseline=f16")
    assert run.code == 10
    assert run.says("Changed: server f16 → q4.")


@pytest.mark.parametrize("given", [(), ("-n2",)])
def test_what_a_named_server_says_is_kept_once_a_run_and_its_difference_shown(
    checkout: Checkout, given: tuple[str, ...]
) -> None:
    checkout.profile(MANY)
    with Saying() as named:
        assert checkout.record(named, "--ctx-server=f16", "--ctx-save-baseline=f16", *given).code == 0
        assert checkout.record(named, "--ctx-server=f16", *given).code == 0
        assert [request.path for request in named.received].count("/version") == 1, "the second had nothing to send"
        named.said = {"/version": {"version": "0.30.0"}}
        assert checkout.record(named, "--ctx-server=new", *given).code == 0
    run = checkout.pytest("--ctx-server=new", "--ctx-baseline=f16", *given)
    assert run.code == 0
    assert run.says("server f16 → new", "the server says: software vLLM 0.29.0 → vLLM 0.30.0")


def test_a_baseline_without_a_name_is_as_before(recorded: Checkout) -> None:
    lines = recorded.file("fixtures/baselines/main.jsonl").read_text().splitlines()
    assert not any("server" in json.loads(line) for line in lines)


def test_recordings_that_were_moved_there_are_those_of_the_server(recorded: Checkout) -> None:
    """Their lines name no server: the folder does."""
    recorded.file("cassettes/toy").rename(recorded.file(f"cassettes/{NAMED}"))
    assert recorded.pytest("--ctx-server=q4", "--ctx-baseline=main").code == 0
    assert recorded.pytest().says("There are recordings of this model on the server q4")


def test_a_server_of_which_there_is_no_answer_never_passes(recorded: Checkout) -> None:
    run = recorded.pytest("--ctx-server=q4", "--ctx-baseline=main")
    assert run.code == 12
    assert run.says("Nothing was asked of q4: 80 of 80 answers are recordings of another")


def test_a_server_to_which_nothing_was_sent_is_named(recorded: Checkout, server: SimulatedServer) -> None:
    sent = len(server.asked)
    run = recorded.record(server, "--ctx-baseline=main", "-q")
    assert run.code == 0
    assert len(server.asked) == sent
    assert run.says(f"longctx: nothing was sent to {server.url}: 80 of 80 answers are recordings of")
    assert run.says(f"Nothing was sent to {server.url}: 80 of 80 answers are recordings of")


def test_a_gate_that_asked_again_assumes_its_server_unchanged(recorded: Checkout, server: SimulatedServer) -> None:
    again = recorded.record(server, "--ctx-baseline=main", mode="all")
    assert again.says("The server is assumed to be unchanged since the baseline")
    named = recorded.record(server, "--ctx-server=q4", "--ctx-baseline=main")
    assert not named.says("assumed to be unchanged")


def test_a_run_of_another_server_is_no_repeat(recorded: Checkout, server: SimulatedServer) -> None:
    assert recorded.record(server, "--ctx-server=q4").code == 0
    added = recorded.longctx("baseline", "save", "main", "--add")
    assert added.code == 2
    assert added.says("[run-of-other-trials]")


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".hidden", "a,b", "x" * 41, "q4.", "a b", "q\n4"])
def test_a_name_that_could_lead_elsewhere_is_refused(checkout: Checkout, name: str) -> None:
    refused = checkout.pytest(f"--ctx-server={name}")
    assert refused.code == 4
    assert refused.says("[bad-server-name]")
