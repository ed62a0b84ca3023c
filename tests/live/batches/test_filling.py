"""Asking in batches: what is created, collected and paid, whatever the server does and whenever a run dies."""

from __future__ import annotations

import datetime
import itertools
from pathlib import Path

import pytest

from longctx.live.batches import ledger
from longctx.live.batches.ledger import Ledger
from longctx.recording.missing import missing
from longctx.recording.tape import Tape
from tests.batch_server import BatchServer, Stored, Turned, errored, expired
from tests.given import dollars
from tests.live.batches.examples import Ran, claimed, lacking, run
from tests.recording.examples import line_cell, replies
from tests.refusals import refused
from tests.servers import Answer as Response
from tests.servers import failing, giving

CELLS = [line_cell(3), line_cell(5)]
PRICES = dollars(1000, batch_discount=0.5)


def test_answers_come_as_the_same_episodes(tmp_path: Path) -> None:
    with BatchServer() as server:
        ran = run(server, tmp_path / "batch", CELLS)
        assert ran.asked.answered == 4
        assert not ran.asked.failures
        assert len(server.created) == 1
        assert not server.asked
    recorded = replies(Tape(tmp_path / "batch", "none", "run"), *CELLS)
    assert [reply.text for reply in recorded] == [
        trial.build().expected for cell in CELLS for trial in cell.each_trial()
    ]
    assert {(reply.latency_s, reply.batched, reply.live) for reply in recorded} == {(None, True, True)}
    ended = server.created[0].ended_at
    assert ended is not None
    assert {reply.recorded_at for reply in recorded} == {ended.isoformat(timespec="seconds")}
    assert list(ran.told.results.values()).count(recorded[0]) == 1
    assert not list((tmp_path / "batch").rglob("batches"))


def test_a_batch_is_sent_with_the_betas_of_its_questions(tmp_path: Path) -> None:
    cells = [line_cell(3), line_cell(5, model="other", betas=("b-2026", "a-2026"))]
    with BatchServer() as server:
        assert run(server, tmp_path, cells).asked.answered == 4
        sent = [request for request in server.received if request.path == "/v1/messages/batches" and request.body]
    assert [(request.headers.get("anthropic-beta"), len(request.body["requests"])) for request in sent] == [
        ("a-2026,b-2026", 2),
        (None, 2),
    ]
    assert not [body for request in sent for body in request.body["requests"] if "extra_headers" in body["params"]]


def test_parts_are_bound_by_bytes_and_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MOST_REQUESTS", 3)
    with BatchServer() as server:
        assert run(server, tmp_path / "requests", CELLS).asked.answered == 4
        assert [len(batch.requests) for batch in server.created] == [3, 1]
        monkeypatch.setattr(ledger, "MOST_BYTES", 1000)
        run(server, tmp_path / "bytes", CELLS)
        assert [len(batch.requests) for batch in server.created[2:]] == [2, 1, 1], "a thousand bytes"


def test_a_slow_batch_unknown_at_first_is_waited_for(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.unknown, server.looks = 2, 7
        ran = run(server, tmp_path, CELLS)
    assert ran.asked.answered == 4
    assert ran.slept == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert "does not know it yet" in ran.told.waits[0]
    assert ran.told.waits[-1] == "batch msgbatch_0000 (0 of 4 requests have ended), checked again in 60 s"


def test_a_run_that_leaves_is_resumed_by_the_next(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.looks = 4
        left = run(server, tmp_path, CELLS, wait_s=0)
        assert left.causes == ["pending"] * 4
        assert left.slept == []
        [failure, *_] = left.asked.failures.values()
        assert failure.fatal, "it is not asked, and no fault"
        assert "pending in batch msgbatch_0000: once it has ended" in failure.message
        assert "--ctx-batch collects it, or longctx models batches collect." in failure.message
        waits = run(server, tmp_path, CELLS, wait_s=1)
        assert (waits.causes, waits.slept) == (["pending"] * 4, [1])
        ran = run(server, tmp_path, [*CELLS, line_cell(7)])
    assert ran.said[0] == "Batch msgbatch_0000 has ended: 4 answers are recorded."
    assert ran.asked.answered == 2
    assert [len(batch.requests) for batch in server.created] == [4, 2]
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize("mode", ["all", "new_episodes"])
def test_what_was_collected_at_first_is_not_asked_again_in_any_mode(tmp_path: Path, mode: str) -> None:
    with BatchServer() as server:
        run(server, tmp_path, CELLS, mode=mode, wait_s=0, turned=_late(server))
        ran = run(server, tmp_path, CELLS, mode=mode)
        assert ran.asked.answered == 0
        assert lacking(tmp_path, CELLS) == 0
        assert len(server.created) == 1
        if mode == "all":
            run(server, tmp_path, CELLS, mode=mode)
            assert len(server.created) == 2, "and the next run asks all anew"


def _late(server: BatchServer) -> Turned:
    server.looks = 1
    return Turned()


def test_what_may_be_asked_again_is_in_another_batch(tmp_path: Path) -> None:
    with BatchServer() as server:
        turns = iter([errored("api_error"), expired, errored("overloaded_error"), errored("rate_limit_error")])
        right = server.result
        server.result = lambda params: next(turns, right)(params)
        ran = run(server, tmp_path, CELLS)
    assert ran.asked.answered == 4
    assert [len(batch.requests) for batch in server.created] == [4, 4]
    assert len(ran.told.results) == 4


def test_so_often_and_no_more(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.result = expired
        ran = run(server, tmp_path, CELLS)
        assert ran.causes == ["expired"] * 4
        assert len(server.created) == 3
    assert not Ledger(tmp_path).open(), "a later run asks them anew"


def test_what_is_refused_is_not_asked_again(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.result = errored("invalid_request_error", "temperature is not supported")
        ran = run(server, tmp_path, CELLS)
    assert ran.causes == ["refused_request"] * 4
    assert ran.asked.stopped is None
    assert len(server.created) == 1


def test_a_model_that_is_not_there_is_told_as_by_direct_requests(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.result = errored("not_found_error", "model: toy")
        ran = run(server, tmp_path, CELLS)
    assert ran.asked.stopped is not None
    assert ran.asked.stopped.cause == "no_such_model"


def test_a_canceled_batch(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.looks = 9
        turned = Turned()
        turned.at_sleep = lambda: server._end(_cancel(server))
        ran = run(server, tmp_path, CELLS, turned=turned)
        assert ran.causes == ["canceled"] * 4
    assert not Ledger(tmp_path).open()


def _cancel(server: BatchServer):  # type: ignore[no-untyped-def]
    server.created[0].canceled = True
    return server.created[0]


def test_results_that_are_missing_a_line_are_downloaded_again(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.lost_results = 1
        turned = Turned()

        def mend() -> None:
            server.lost_results = 0

        turned.at_sleep = mend
        ran = run(server, tmp_path, CELLS, turned=turned)
        assert ran.asked.answered == 4
        assert (
            f"{server.url} gave no result for 1 of 4 requests. The results are downloaded again in 1 s." in ran.said[1]
        )
    assert [path.read_text().count("\n") for path in tmp_path.rglob("*.jsonl")] == [2, 2], "none is recorded twice"


def test_a_malformed_message_is_paid_and_not_asked_again_by_itself(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.result = lambda params: {"type": "succeeded", "message": {"content": "odd"}}
        assert run(server, tmp_path, CELLS).causes == ["malformed_answer"] * 4
        assert len(server.created) == 1


def priced(server: BatchServer, folder: Path, cap: float) -> Ran:
    """Return cells of four requests of about 85 and 115 tokens, at half of $1 per thousand tokens."""
    return run(server, folder, [line_cell(3, prices=PRICES), line_cell(5, prices=PRICES)], cap=cap)


def test_the_cap_is_kept_before_anything_is_created(tmp_path: Path) -> None:
    with BatchServer() as server:
        ran = priced(server, tmp_path, 0.0)
        assert ran.asked.stopped is not None
        assert ran.asked.stopped.cause == "budget"
        assert not server.created
        few = priced(server, tmp_path, 0.12)
        assert 0 < few.asked.answered < 4
        assert few.causes == ["budget"] * (4 - few.asked.answered)
        assert few.asked.stopped is not None
        assert priced(server, tmp_path, 1.0).asked.answered == 4 - few.asked.answered


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_without_batches_is_a_sentence_before_anything_is_asked(tmp_path: Path, status: int) -> None:
    with BatchServer() as server:
        server.listing = failing(status, "no such way")
        with refused("server-without-batches", f"answered {status}: no such way"):
            run(server, tmp_path, CELLS)
        server.listing = giving(b"<html>welcome</html>")
        with refused("server-without-batches"):
            run(server, tmp_path, CELLS)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_that_lists_batches_but_takes_none(tmp_path: Path, status: int) -> None:
    with BatchServer() as server:
        server.creating = failing(status)
        if status == 501:
            server._store = lambda requests: None  # type: ignore[method-assign, assignment, return-value]
        with refused("server-without-batches"):
            run(server, tmp_path, CELLS)
    assert not Ledger(tmp_path).open()


def test_a_key_that_is_refused_stops_it(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.creating = failing(401, "bad key")
        ran = run(server, tmp_path, CELLS)
    assert ran.causes == ["bad_key"] * 4
    assert ran.asked.stopped is not None
    assert not Ledger(tmp_path).open()


def test_what_was_not_reached_when_it_stopped_is_reported_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MOST_REQUESTS", 1)
    with BatchServer() as server:
        server.creating = failing(401, "bad key")
        ran = run(server, tmp_path, CELLS, cap=None)
    assert ran.causes == ["bad_key"] * 4
    assert len(ran.told.results) == 4


def test_a_request_without_a_result_is_asked_again_and_the_others_are_kept(tmp_path: Path) -> None:
    """docs/security.md, server-results"""
    with BatchServer() as server:
        server.lost_results = 1
        ran = run(server, tmp_path, CELLS, wait_s=0)
        assert (ran.asked.answered, ran.causes) == (3, ["pending"])
        assert [len(batch.requests) for batch in server.created] == [4, 1]
        server.lost_results = 0
        assert "1 answers are recorded" in run(server, tmp_path, CELLS).said[0]
    assert sum(path.read_text().count("\n") for path in tmp_path.rglob("*.jsonl")) == 4


def test_a_request_that_never_has_a_result_is_given_up_after_three_batches(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.lost_results = 1
        ran = run(server, tmp_path, CELLS)
        assert (ran.asked.answered, ran.causes) == (3, ["no_result"])
        assert len(server.created) == 3
        message = next(iter(ran.asked.failures.values())).message
    assert message.endswith("and 5 downloads of its results contain none for this request, which is sent again.")
    assert not Ledger(tmp_path).open()


def test_a_request_without_a_result_may_have_been_paid_and_counts_against_the_cap(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.lost_results = 1
        cell = line_cell(5, trials=1, prices=PRICES)
        ran = run(server, tmp_path, [cell], cap=0.2)
        assert len(server.created) == 2
    assert ran.causes == ["budget"]


def test_what_arrives_before_a_download_breaks_off_is_kept(tmp_path: Path) -> None:
    """What may lie behind the break is not asked again, because it may have been paid for.

    docs/security.md, server-results
    """
    with BatchServer() as server:
        whole, arrived = server._results, itertools.cycle([2, 3, 1])

        def broken(batch: Stored) -> Response:
            status, headers, payload = whole(batch)
            length = {"content-length": str(len(payload)), "connection": "close"}
            return status, {**headers, **length}, b"\n".join([*payload.split(b"\n")[: next(arrived)], b""])

        server._results = broken  # type: ignore[method-assign]
        ran = run(server, tmp_path, CELLS, wait_s=5)
        assert (ran.asked.answered, ran.causes, len(server.created)) == (3, ["pending"], 1)
        assert "closed the connection" in next(iter(ran.asked.failures.values())).message
        server._results = whole  # type: ignore[method-assign]
        assert run(server, tmp_path, CELLS).asked.answered == 0, "it was collected before anything was asked"
        assert len(server.created) == 1
    assert len(replies(Tape(tmp_path, "none", "run"), *CELLS)) == 4


def test_results_are_gone_after_29_days(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.looks = 1
        run(server, tmp_path, CELLS, wait_s=0)
        later = Turned()
        later.moment += datetime.timedelta(days=30)
        server._end(server.created[0])
        server._results = lambda batch: failing(404)({})  # type: ignore[method-assign]
        ran = run(server, tmp_path, CELLS, turned=later)
        assert ran.slept == [], "nothing is to be waited for"
        assert "were kept for 29 days, and are gone" in next(iter(ran.asked.failures.values())).message
    assert len(server.created) == 1, "and nobody pays again unasked"


def test_a_server_without_room_is_asked_again(tmp_path: Path) -> None:
    with BatchServer() as server:
        answers = iter([failing(429, **{"retry-after": "7"}), failing(413, "too large")])
        server.creating = lambda body: next(answers)(body)
        ran = run(server, tmp_path, CELLS)
    assert ran.causes == ["context_too_long"] * 4
    assert ran.slept == [7]


def test_a_batch_that_was_created_though_the_answer_was_lost_is_found(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.creating = failing(500)
        server.put(*"abcd"), server.put(*"efgh", ended=False), server.put("one")
        server.unknown = 0
        turned = Turned()
        turned.at_sleep = lambda: None
        ran = run(server, tmp_path, CELLS, turned=turned, wait_s=5)
        assert ran.causes == ["pending"] * 4, "its batch has not ended, nor has another of as many requests"
        assert "it is not known yet whether it exists" in next(iter(ran.asked.failures.values())).message
        server._end(server.created[-1])
        again = run(server, tmp_path, CELLS, wait_s=5)
    assert "4 answers are recorded" in again.said[0]
    assert lacking(tmp_path, CELLS) == 0
    assert set(server.paid.values()) == {1}


def test_a_batch_that_was_surely_not_created_is_created_again(tmp_path: Path) -> None:
    with BatchServer() as server:
        store = server._store
        failures = iter([failing(500), failing(529)])

        def failed(body):  # type: ignore[no-untyped-def]
            answer = next(failures, None)
            server._store = (lambda requests: None) if answer else store
            return answer(body) if answer else None

        server.creating = failed
        ran = run(server, tmp_path, CELLS)
        assert ran.asked.answered == 4
        assert sum(ran.slept[:6]) == 60, "the list is looked at for a minute"
    assert len(server.created) == 1


def test_a_batch_that_was_never_created_keeps_its_requests_from_nobody(tmp_path: Path) -> None:
    with BatchServer() as server:
        claimed(tmp_path, server.url, CELLS[0])
        ran = run(server, tmp_path, CELLS)
    assert ran.asked.answered == 4
    assert Ledger(tmp_path).open() == []
    assert [len(batch.requests) for batch in server.created] == [4]


def test_an_answer_that_is_no_batch_is_looked_up(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.creating = giving(b"{}")
        server.looks = 1
        turned = Turned()
        turned.at_sleep = lambda: server._end(server.created[0])
        ran = run(server, tmp_path, CELLS, turned=turned)
    assert ran.asked.answered == 4
    assert set(server.paid.values()) == {1}


def test_questions_of_other_runs_are_left_to_them(tmp_path: Path) -> None:
    """A question that a batch holds is not asked; one that this run does not ask is collected all the same."""
    with BatchServer() as server:
        server.looks = 1
        run(server, tmp_path, CELLS, wait_s=0)
        ran = run(server, tmp_path, [line_cell(9)], wait_s=0)
        assert ran.causes == ["pending"] * 2
        assert not missing(Tape(tmp_path, "once"), CELLS)
