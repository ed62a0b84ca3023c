"""Writing the results of a batch to the tape."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from longctx.live.batches.collect import Collected, Collecting
from longctx.live.batches.ledger import Batch
from longctx.recording.tape import NotRecorded, Tape
from tests.live.batches.examples import AT, claimed
from tests.recording.examples import LATER, line_cell
from tests.servers import message

CELL = line_cell(trials=3)


def right(custom_id: str, text: str = "42") -> dict[str, Any]:
    return {"custom_id": custom_id, "result": {"type": "succeeded", "message": json.loads(message(text))}}


def batch_in(folder: Path) -> Batch:
    return claimed(folder, "http://server", CELL, "msgbatch_1")


def onto_tape(tape: Tape, batch: Batch, ended_at: str, results: Sequence[dict[str, Any]]) -> Collected:
    collecting = Collecting(tape, batch, ended_at)
    for result in results:
        collecting.note(result)
    return collecting.finished("no download holds it")


def causes(collected: Collected) -> list[str]:
    return sorted(failure.cause for failure in collected.failures.values())


def texts(folder: Path, batch: Batch) -> list[str | None]:
    replies = [Tape(folder).reply(request.place) for request in batch.requests]
    return [reply and reply.text for reply in replies]


def test_in_any_order_with_strangers_and_twice(tmp_path: Path) -> None:
    batch = batch_in(tmp_path)
    first, second, third = (request.custom_id for request in batch.requests)
    odd = [{"custom_id": "other"}, {"result": 3}, {"custom_id": third, "result": {"type": "expired"}}]
    results = [right(second, "2"), *odd, right(first, "1"), right(first, "again")]
    collected = onto_tape(Tape(tmp_path, run="r"), batch, AT, results)
    assert (len(collected.answered), causes(collected)) == (2, ["expired"])
    assert texts(tmp_path, batch) == ["1", "2", None]


def test_what_has_no_result_is_missing(tmp_path: Path) -> None:
    batch = batch_in(tmp_path)
    collected = onto_tape(Tape(tmp_path), batch, AT, [right(batch.requests[0].custom_id)])
    assert causes(collected) == ["no_result"] * 2


def test_several_downloads_are_joined(tmp_path: Path) -> None:
    batch = batch_in(tmp_path)
    collecting = Collecting(Tape(tmp_path), batch, AT)
    for request in batch.requests:
        assert request.custom_id in collecting.missing
        collecting.note(right(request.custom_id))
        assert Tape(tmp_path).reply(request.place), "it is on the tape as soon as it arrives"
    assert not collecting.missing
    assert len(collecting.answered()) == 3


def test_collected_answers_are_on_disk_before_they_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    fsync = os.fsync

    def spied(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        fsync(descriptor)

    batch = batch_in(tmp_path)
    monkeypatch.setattr(os, "fsync", spied)
    onto_tape(Tape(tmp_path), batch, AT, [right(request.custom_id) for request in batch.requests])
    assert synced == [tmp_path / CELL.file]


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
    (tmp_path / CELL.file).mkdir(parents=True)
    tape = Tape(tmp_path)
    tape._index[CELL.file] = {}
    with pytest.raises(NotRecorded):
        onto_tape(tape, batch, AT, [right(batch.requests[0].custom_id)])
