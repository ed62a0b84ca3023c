"""Writing the results of a batch to the tape."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from longctx.live.batches.collect import onto_tape
from longctx.live.batches.ledger import Batch
from longctx.recording.tape import NotRecorded, Tape
from tests.live.batches.examples import AT, claimed
from tests.recording.examples import LATER, line_case
from tests.servers import message

CASE = line_case(trials=3)


def right(custom_id: str, text: str = "42") -> dict[str, Any]:
    return {"custom_id": custom_id, "result": {"type": "succeeded", "message": json.loads(message(text))}}


def batch_in(folder: Path) -> Batch:
    return claimed(folder, "http://server", CASE, "msgbatch_1")


def texts(folder: Path, batch: Batch) -> list[str | None]:
    replies = [Tape(folder).reply(request.wanted) for request in batch.requests]
    return [reply and reply.text for reply in replies]


def test_in_any_order_with_strangers_and_twice(tmp_path: Path) -> None:
    batch = batch_in(tmp_path)
    first, second, third = (request.custom_id for request in batch.requests)
    odd = [{"custom_id": "other"}, {"result": 3}, {"custom_id": third, "result": {"type": "expired"}}]
    results = [right(second, "2"), *odd, right(first, "1"), right(first, "again")]
    collected = onto_tape(Tape(tmp_path, run="r"), batch, AT, results)
    assert (len(collected.answered), [failure.cause for failure in collected.failures.values()], collected.missing) == (
        2,
        ["expired"],
        0,
    )
    assert texts(tmp_path, batch) == ["1", "2", None]


def test_what_has_no_result_is_missing(tmp_path: Path) -> None:
    batch = batch_in(tmp_path)
    assert onto_tape(Tape(tmp_path), batch, AT, [right(batch.requests[0].custom_id)]).missing == 2


def test_what_was_recorded_before_a_kill_is_not_recorded_again(tmp_path: Path) -> None:
    batch = batch_in(tmp_path)
    results = [right(request.custom_id) for request in batch.requests]
    for some in (results[:2], results, results):
        assert len(onto_tape(Tape(tmp_path), batch, AT, some).answered) == len(some)
    assert sum(path.read_text().count("\n") for path in tmp_path.rglob("*.jsonl")) == 3


def test_an_earlier_answer_does_not_stand_in_its_way_and_a_later_one_does(tmp_path: Path) -> None:
    batch = batch_in(tmp_path)
    tape = Tape(tmp_path)
    results = [right(request.custom_id, "old") for request in batch.requests]
    onto_tape(tape, batch, AT, results)
    anew = dataclasses.replace(batch, id="msgbatch_2")
    onto_tape(tape, anew, LATER, [right(request.custom_id, "new") for request in batch.requests])
    assert texts(tmp_path, batch) == ["new"] * 3
    onto_tape(tape, batch, AT, results)
    assert texts(tmp_path, batch) == ["new"] * 3


def test_what_cannot_be_written_is_an_error_that_leaves_the_rest(tmp_path: Path) -> None:
    batch = batch_in(tmp_path)
    (tmp_path / CASE.file).mkdir(parents=True)
    tape = Tape(tmp_path)
    tape._index[CASE.file] = {}
    with pytest.raises(NotRecorded):
        onto_tape(tape, batch, AT, [right(batch.requests[0].custom_id)])
