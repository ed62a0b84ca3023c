"""What the server says has become of a batch."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from longctx import clocks
from longctx.live.batches.collect import BatchStatus, Clock, Statuses, no_answer_sentence, stamp
from longctx.live.batches.ledger import Batch, Ledger
from longctx.live.batches.service import Service
from longctx.live.server.client import Client
from tests.batch_server import BatchServer, Stored, Turned
from tests.live.batches.examples import AT, NAME, claimed
from tests.live.clients import called
from tests.recording.examples import line_cell
from tests.servers import failing

CELL = line_cell()
"""A batch of two requests."""


def status(
    server: BatchServer, folder: Path, batch: Batch, settles: bool = False, slept: list[float] | None = None
) -> BatchStatus:
    turned = Turned()

    async def look(client: Client) -> BatchStatus:
        plain = client.with_options(max_retries=0)
        statuses = Statuses(Service(plain), Ledger(folder), Clock(turned.now, turned.sleep))
        return await (statuses.settled(batch, turned.now()) if settles else statuses.of(batch))

    looked_at = called(server.url, look)
    if slept is not None:
        slept += turned.slept
    return looked_at


def ours(server: BatchServer, batch: Batch, ended: bool = True) -> Stored:
    return server.put(*(request.custom_id for request in batch.requests), ended=ended)


def test_by_its_id(tmp_path: Path) -> None:
    with BatchServer() as server:
        batch = claimed(tmp_path, server.url, CELL, "msgbatch_0000", stamp(clocks.now()))
        stored = ours(server, batch, ended=False)
        assert status(server, tmp_path, batch).kind == "running"
        server._end(stored)
        assert status(server, tmp_path, batch).kind == "ended"
        stored.archived = True
        gone = status(server, tmp_path, batch)
    assert gone.kind == "gone"
    assert no_answer_sentence(gone) == (
        "the results of batch msgbatch_0000 were kept for 29 days, and are gone. longctx models batches cancel "
        f"{NAME} --forget lets its 2 trials be sent, and paid for, again."
    )


def test_a_fresh_batch_may_yet_become_known_and_an_old_one_not(tmp_path: Path) -> None:
    with BatchServer() as server:
        fresh = status(server, tmp_path, claimed(tmp_path, server.url, CELL, "msgbatch_9", stamp(clocks.now())))
        assert (fresh.kind, fresh.why) == ("running", f"{server.url} does not know it yet")
        old = status(server, tmp_path, claimed(tmp_path, server.url, CELL, "msgbatch_9", AT))
    assert old.kind == "unknown"
    assert "it was deleted there, or the key is of another workspace" in no_answer_sentence(old)


@pytest.mark.parametrize("ended", [True, False])
def test_a_batch_of_another_number_of_requests_is_not_claimed(tmp_path: Path, ended: bool) -> None:
    """Not even by its custom ids: what it holds beyond them, or lacks of them, would be lost or paid twice.

    docs/security.md, foreign-batch
    """
    with BatchServer() as server:
        batch = claimed(tmp_path, server.url, CELL)
        ids = [request.custom_id for request in batch.requests]
        for stored in (server.put(*ids, "one-more", ended=ended), server.put(ids[0], ended=ended)):
            stored.created_at = datetime.datetime.now(datetime.UTC)
        assert status(server, tmp_path, batch).kind == "absent"
        assert not any(request.path.endswith("/results") for request in server.received)
    assert not Ledger(tmp_path).open()[0].id


def test_elsewhere_and_out_of_reach(tmp_path: Path) -> None:
    with BatchServer() as server:
        other = status(server, tmp_path, claimed(tmp_path, "http://other.test", CELL, "msgbatch_0"))
        assert (other.kind, server.received) == ("elsewhere", [])
        assert "it was created at http://other.test: longctx models batches collect fetches" in no_answer_sentence(
            other
        )
        batch = claimed(tmp_path, server.url, CELL, "msgbatch_0000")
        server.answer_other = lambda request: failing(503, "busy")({})  # type: ignore[method-assign]
        assert status(server, tmp_path, batch).kind == "unreached"
        server.answer_other = lambda request: failing(401, "bad key")({})  # type: ignore[method-assign]
        assert status(server, tmp_path, batch).fatal


def test_a_batch_without_id_is_found_by_its_custom_ids(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.page = 2
        batch = claimed(tmp_path, server.url, CELL, claimed_at=stamp(clocks.now()))
        ours(server, batch)
        for number in range(3):
            server.put(f"{number}a", f"{number}b")
        server.put("only one")
        state = status(server, tmp_path, batch)
        assert (state.kind, state.batch.id) == ("ended", "msgbatch_0000")
        assert Ledger(tmp_path).open() == [state.batch]


def test_one_of_as_many_requests_that_runs_may_be_it(tmp_path: Path) -> None:
    with BatchServer() as server:
        batch = claimed(tmp_path, server.url, CELL, claimed_at=stamp(clocks.now()))
        stranger = server.put("a", "b", ended=False)
        unsure = status(server, tmp_path, batch)
        assert unsure.kind == "unsure"
        assert (
            "it is not known yet whether it exists (msgbatch_0000 has as many requests and has not"
            in no_answer_sentence(unsure)
        )
        server._end(stranger)
        assert status(server, tmp_path, batch).kind == "absent"


def test_absence_is_sure_after_a_minute(tmp_path: Path) -> None:
    slept: list[float] = []
    with BatchServer() as server:
        batch = claimed(tmp_path, server.url, CELL, claimed_at=stamp(clocks.now()))
        assert status(server, tmp_path, batch, settles=True, slept=slept).kind == "absent"
        assert slept == [1, 2, 4, 8, 16, 29]


def test_older_batches_and_those_of_other_claims_are_not_it(tmp_path: Path) -> None:
    with BatchServer() as server:
        batch = claimed(tmp_path, server.url, CELL, claimed_at=stamp(clocks.now()))
        old = ours(server, batch)
        old.created_at -= datetime.timedelta(hours=2)
        assert status(server, tmp_path, batch).kind == "absent"


@pytest.mark.parametrize("code", [404, 501])
def test_a_server_that_lists_none_leaves_it_unsure(tmp_path: Path, code: int) -> None:
    with BatchServer() as server:
        server.listing = failing(code)
        batch = claimed(tmp_path, server.url, CELL)
        state = status(server, tmp_path, batch)
    assert state.kind == {404: "unsure", 501: "unreached"}[code]
    assert "--forget" in no_answer_sentence(state) or "answered 501" in no_answer_sentence(state)
