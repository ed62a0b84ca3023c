"""--ctx-batch, `batch_wait`, and the command batches: asking in Message Batches."""

from __future__ import annotations

import json
import os
import shutil
import signal

import pytest

from tests.batch_server import BatchServer
from tests.given import served
from tests.integration.conftest import LINES, NO_TEXT, Checkout
from tests.servers import SimulatedServer

PRICES = "[prices]\ninput = 10000\noutput = 0\nbatch_discount = 0.5\ndated = 2026-01-01\n"
"""Four trials are counted at 248 tokens by the server: 2.48 USD, and 1.24 in batches."""


server = served(kind=BatchServer)


def test_the_tape_is_filled_and_replayed_at_the_price_of_a_batch(checkout: Checkout, server: BatchServer) -> None:
    checkout.file("fixtures/models/toy.toml").write_text(PRICES)
    result = checkout.record(server, "--ctx-batch", "-n1")
    assert result.code == 0, result.out + result.err
    assert result.says("about $1.24 in batches ($2.48 asked directly)", "Asked 4 of 4 trials")
    assert not server.asked
    rows = checkout.rows()
    assert {(row["outcome"], row["source"], row["latency_s"]) for row in rows} == {("correct", "live", None)}
    assert sum(row["cost_usd"] for row in rows) == pytest.approx(1.24)
    assert "nan" not in checkout.file("reports/latest/summary.json").read_text().lower()
    assert "nan" not in checkout.file("reports/latest/summary.md").read_text().lower()
    replayed = checkout.pytest()
    assert replayed.code == 0
    assert [row["cost_usd"] for row in checkout.rows()] == [row["cost_usd"] for row in rows]


def test_a_run_leaves_and_others_collect(checkout: Checkout, server: BatchServer) -> None:
    server.looks = 100
    checkout.settings(batch_wait=0)
    left = checkout.record(server, "--ctx-batch")
    assert left.code == 1
    assert left.says("Batch msgbatch_0000 holds 4 requests.", "Asked 0 of 4 trials")
    assert left.says("4 were not answered: pending in batch msgbatch_0000: once it has ended, the same command with")
    assert {(row["outcome"], row["error"]) for row in checkout.rows()} == {("not_asked", "pending")}
    direct = checkout.record(server)
    assert direct.says("Asked 0 of 4 trials", "pending in batch msgbatch_0000")
    assert not server.asked, "nor does a run without batches ask what one holds"
    assert checkout.pytest("--ctx-estimate").says("4 more are in batches that are not collected")
    server.looks = 0
    collected = checkout.longctx("models", "batches", "collect", "msgbatch_0000")
    assert collected.code == 0
    assert collected.says("Batch msgbatch_0000 has ended: 4 answers are recorded.")
    assert checkout.pytest().code == 0
    assert set(server.paid.values()) == {1}


def test_more_trials_of_a_test_that_a_batch_holds_need_no_trial_run(checkout: Checkout, server: BatchServer) -> None:
    server.looks = 10**6
    checkout.settings(batch_wait=0)
    checkout.profile(LINES.replace("trials = 2", "trials = 12"))
    assert checkout.record(server, "--ctx-batch").code == 1
    sent = len(server.asked)
    assert 1 <= sent <= 3
    checkout.profile(LINES.replace("trials = 2", "trials = 20"))
    assert checkout.record(server, "--ctx-batch").code == 1
    assert len(server.asked) == sent
    assert [len(batch.requests) for batch in server.created] == [24 - sent, 16]


def test_ctrl_c_leaves_the_batch_running(checkout: Checkout, server: BatchServer) -> None:
    server.looks = 1000
    pid = checkout.start(f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-batch")
    server.wait_for(1, "/v1/messages/batches/msgbatch_0000")
    os.kill(pid, signal.SIGINT)
    result = checkout.wait()
    assert result.code == 2
    assert result.says(
        "Stopped: 0 of 4 trials were answered",
        "Batch msgbatch_0000 goes on without this run, with 4 requests: the same command collects the answers, or "
        "longctx models batches collect. Nothing is sent or paid for twice.",
    )
    assert checkout.file("cassettes/batches").is_dir()


def test_kill_9_between_creation_and_its_answer(checkout: Checkout, server: BatchServer) -> None:
    """The server has created the batch, and the run dies before it is told so."""
    server.held_after_creation = True
    pid = checkout.start(f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-batch")
    server.wait_for_creation()
    checkout.kill(pid)
    server.release.set()
    server.held_after_creation = False
    server.lists_end = True
    result = checkout.record(server, "--ctx-batch")
    assert result.code == 0, result.out + result.err
    assert result.says("Batch msgbatch_0000 has ended: 4 answers are recorded.")
    assert len(server.created) == 1
    assert set(server.paid.values()) == {1}


def test_the_cap_holds_before_a_batch_is_created(checkout: Checkout, server: BatchServer) -> None:
    checkout.file("fixtures/models/toy.toml").write_text(PRICES)
    result = checkout.record(server, "--ctx-batch", "--ctx-max-cost=0.80")
    assert result.says("Asked 2 of 4 trials: the cap of $0.80 leaves no room for it")
    assert [len(batch.requests) for batch in server.created] == [2]


@pytest.mark.parametrize(
    ("given", "env", "sentence"),
    [
        ((), {}, "[batch-without-record]"),
        (("--ctx-record=once",), NO_TEXT, "[batch-with-no-text]"),
    ],
)
def test_what_it_does_not_go_with_is_reported(
    checkout: Checkout, given: tuple[str, ...], env: dict[str, str], sentence: str
) -> None:
    result = checkout.pytest("--ctx-batch", *given, env=env)
    assert result.code == 4
    assert result.says(sentence)


def test_a_server_or_a_provider_without_batches(checkout: Checkout) -> None:
    with SimulatedServer() as plain:
        result = checkout.record(plain, "--ctx-batch")
        assert result.code == 4
        assert result.says("[server-without-batches]", "answered 404: not found.")
        assert not plain.asked
    checkout.file("fixtures/models/toy.toml").write_text('provider = "vertex"\n')
    result = checkout.pytest("--ctx-batch", "--ctx-record=once")
    assert result.code == 4
    assert result.says("toy", "vertex", "[provider-without-batches]")


def test_one_wording_under_two_names_is_one_request(checkout: Checkout, server: BatchServer) -> None:
    shutil.copytree(checkout.file("fixtures/prompts/protocol"), checkout.file("fixtures/prompts/same"))
    result = checkout.record(server, "--ctx-batch", "--ctx-prompts=protocol", "--ctx-prompts=same")
    assert result.code == 0, result.out + result.err
    assert [len(batch.requests) for batch in server.created] == [4]


def test_a_record_of_a_batch_deletes_nothing_else(checkout: Checkout, server: BatchServer) -> None:
    """docs/security.md, ledger-paths."""
    server.looks = 100
    checkout.settings(batch_wait=0)
    checkout.record(server, "--ctx-batch")
    [record] = checkout.file("cassettes/batches").iterdir()
    batch = json.loads(record.read_text())
    precious = checkout.file("precious.json")
    precious.write_text("{}")
    record.write_text(json.dumps(batch | {"name": "../../precious", "id": "", "created_at": ""}))
    server.batches.clear()
    for refused in (
        checkout.record(server, "-n1"),
        checkout.longctx("models", "batches", "collect"),
        checkout.longctx("models", "batches", "cancel", "../../precious", "--forget"),
    ):
        assert refused.code != 0
        assert refused.says("[bad-batch-record]")
    assert precious.read_text() == "{}"
