"""The file of a batch before, during and after its creation."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from longctx.live.batches.ledger import FOLDER, Ledger
from tests.live.batches.examples import AT, NAME, claimed
from tests.recording.examples import line_case
from tests.refusals import refused


def test_a_claim_is_read_back_and_gets_its_id(tmp_path: Path) -> None:
    batch = claimed(tmp_path, "http://server/", line_case())
    assert Ledger(tmp_path).open() == [batch]
    known = Ledger(tmp_path).created(batch, "msgbatch_1", AT)
    assert (known.id, known.created_at, known.requests) == ("msgbatch_1", AT, batch.requests)
    assert Ledger(tmp_path).open() == [known]
    assert (str(batch), str(known)) == (NAME, "msgbatch_1")


def test_the_file_tells_custom_ids_and_digests(tmp_path: Path) -> None:
    batch = claimed(tmp_path, "http://server/", line_case())
    claim = json.loads((tmp_path / FOLDER / f"{NAME}.json").read_text())
    assert [request["custom_id"] for request in claim["requests"]] == [request.custom_id for request in batch.requests]
    assert [request["wanted"]["sha256"] for request in claim["requests"]] == [
        request.wanted.sha256 for request in batch.requests
    ]


def test_it_is_on_disk_before_claim_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    real = os.fsync

    def told(descriptor: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", told)
    claimed(tmp_path, "http://server/", line_case())
    assert [Path(path).name.startswith(f".{NAME}") for path in synced] == [True, False]
    assert Path(synced[1]) == tmp_path / FOLDER


def test_what_a_killed_writer_left_is_no_claim_and_goes(tmp_path: Path) -> None:
    part = tmp_path / FOLDER / f".{NAME}.json.1.part"
    part.parent.mkdir()
    part.write_text('{"name')
    assert Ledger(tmp_path).open() == []
    claimed(tmp_path, "http://server/", line_case())
    assert not part.exists()


def test_a_dropped_claim_leaves_nothing(tmp_path: Path) -> None:
    batch = claimed(tmp_path, "http://server/", line_case())
    Ledger(tmp_path).drop(batch)
    assert not (tmp_path / FOLDER).exists()
    Ledger(tmp_path).drop(batch)
    Ledger(tmp_path).created(batch, "msgbatch_1", AT)
    assert Ledger(tmp_path).open() == [], "a look at a batch that was collected meanwhile does not bring it back"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"requests": [{}]}', '{"name": 1, "requests": []}', '<<<<<<< HEAD\n{"name": "x"}']
)
def test_a_broken_file_is_an_error_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / FOLDER / f"{NAME}.json"
    path.parent.mkdir()
    path.write_text(text)
    with refused("bad-batch-record", f"{NAME}.json"):
        Ledger(tmp_path).open()
