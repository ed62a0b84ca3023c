"""`longctx models batches`: what is listed, collected, canceled and forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from longctx import clocks
from longctx.cli import main
from longctx.live.batches.collect import stamp
from longctx.live.batches.ledger import Ledger, custom_id
from longctx.recording.missing import missing
from longctx.recording.request import Place
from longctx.recording.tape import Tape, only_writer
from longctx.workspace import Workspace
from tests.batch_server import BatchServer, Stored
from tests.live.batches.examples import NAME, claimed
from tests.recording.examples import line_cell, requests_of

CELL = line_cell()


@pytest.fixture
def server(within_mine: Workspace) -> Iterator[BatchServer]:
    with BatchServer() as server:
        yield server


def running(server: BatchServer, mine: Workspace) -> Stored:
    """Return a batch of two requests that a run has left, whose file has its id."""
    batch = claimed(mine.cassettes, server.url, CELL, "msgbatch_0000", stamp(clocks.now()))
    bodies = [request.ready().body for request in requests_of(CELL)]
    requests = [
        {"custom_id": request.custom_id, "params": body} for request, body in zip(batch.requests, bodies, strict=True)
    ]
    server.looks = 100
    return server._store(requests)


def test_where_there_is_none(within_mine: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["list"], ["collect"]):
        assert main(["models", "batches", *command]) == 0
        assert capsys.readouterr().out == "No batch is waiting to be collected: cassettes/batches is empty.\n"
    assert not within_mine.cassettes.exists()
    assert main(["models", "batches", "cancel", "x"]) == 2
    assert "[unknown-batch]" in capsys.readouterr().err


def test_from_the_list_to_the_tape(server: BatchServer, mine: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    stored = running(server, mine)
    assert main(["models", "batches", "list"]) == 0
    assert "in progress, 0 of 2 have ended" in capsys.readouterr().out
    assert main(["models", "batches", "collect"]) == 1
    assert "Pending in batch msgbatch_0000: once it has ended" in capsys.readouterr().out
    server._end(stored)
    assert main(["models", "batches", "list"]) == 0
    assert "ended: longctx models batches collect, by 20" in capsys.readouterr().out
    assert main(["models", "batches", "collect", NAME]) == 0
    assert capsys.readouterr().out == "Batch msgbatch_0000 has ended: 2 answers are recorded.\n"
    assert not missing(Tape(mine.cassettes, "once"), [CELL])
    assert not Ledger(mine.cassettes).open()


def test_a_batch_is_canceled_and_then_collected(
    server: BatchServer, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    running(server, mine)
    assert main(["models", "batches", "cancel", "msgbatch_0009"]) == 2
    assert "Did you mean 'msgbatch_0000'?" in capsys.readouterr().err
    assert main(["models", "batches", "cancel", "msgbatch_0000"]) == 0
    assert "Batch msgbatch_0000 is being canceled" in capsys.readouterr().out
    assert main(["models", "batches", "cancel", "msgbatch_0000"]) == 0
    assert "has ended by itself" in capsys.readouterr().out
    assert main(["models", "batches", "collect"]) == 0
    assert capsys.readouterr().out == "Batch msgbatch_0000 has ended: 0 answers are recorded; 2 canceled.\n"


def test_a_batch_is_forgotten_without_its_server(
    server: BatchServer, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    running(server, mine)
    assert main(["models", "batches", "cancel", NAME, "--forget"]) == 0
    assert "Batch msgbatch_0000 is forgotten: its requests will be sent again." in capsys.readouterr().out
    assert not server.received
    assert not Ledger(mine.cassettes).open()


def test_a_batch_that_may_not_have_been_created(
    server: BatchServer, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    claimed(mine.cassettes, server.url, CELL, claimed_at=stamp(clocks.now()))
    assert main(["models", "batches", "list"]) == 0
    assert "it seems that it was never" in capsys.readouterr().out
    server.put("a", "b", ended=False)
    assert main(["models", "batches", "cancel", NAME]) == 2
    assert "[batch-not-cancelable]" in capsys.readouterr().err


def test_while_a_run_records_nothing_is_collected(
    server: BatchServer, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    running(server, mine)
    with only_writer(mine.cassettes):
        assert main(["models", "batches", "collect"]) == 2
        assert "[recording-locked]" in capsys.readouterr().err
        assert main(["models", "batches", "list"]) == 0


def test_a_broken_file_is_a_sentence(
    mine: Workspace, within_mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    claimed(mine.cassettes, "http://server", CELL)
    (within_mine.cassettes / "batches" / f"{NAME}.json").write_text("{")
    assert main(["models", "batches", "list"]) == 2
    assert "[bad-batch-record]" in capsys.readouterr().err


def test_the_address_in_a_file_gets_no_key(
    server: BatchServer, mine: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/security.md, ledger-server."""
    running(server, mine)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    for command, code in (("list", 0), ("collect", 1), ("cancel msgbatch_0000", 2)):
        assert main(["models", "batches", *command.split()]) == code
        output = capsys.readouterr()
        assert "names the server" in " ".join((output.out + output.err).replace("|", " ").split())
    assert not server.received
    assert len(Ledger(mine.cassettes).open()) == 1
    assert main(["models", "batches", "list", "--base-url", server.url]) == 0
    assert server.received


def test_batches_of_other_servers_are_still_collected(
    server: BatchServer, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    server._end(running(server, mine))
    record = mine.cassettes / "batches" / f"{NAME}.json"
    other = "20260101T000000-0123abce"
    text = record.read_text().replace(NAME, other).replace(server.url, "http://stranger.test")
    batch = json.loads(text)
    for request in batch["requests"]:
        request["custom_id"] = custom_id(other, Place(**request["wanted"]))
    record.with_name(f"{other}.json").write_text(json.dumps(batch))
    assert main(["models", "batches", "collect"]) == 1
    out = capsys.readouterr().out
    assert "2 answers are recorded" in out
    assert "[server-not-confirmed]" in out
    assert [batch.name for batch in Ledger(mine.cassettes).open()] == [other]
    assert main(["models", "batches", "cancel", other, "--forget"]) == 0
