"""The file of a batch before, during and after its creation."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from longctx.live.batches.ledger import FOLDER, Ledger, custom_id
from longctx.recording.request import Place
from tests.live.batches.examples import AT, NAME, claimed
from tests.recording.examples import line_cell
from tests.refusals import refused


def test_a_claim_is_read_back_and_gets_its_id(tmp_path: Path) -> None:
    batch = claimed(tmp_path, "http://server/", line_cell())
    assert Ledger(tmp_path).open() == [batch]
    known = Ledger(tmp_path).created(batch, "msgbatch_1", AT)
    assert (known.id, known.created_at, known.requests) == ("msgbatch_1", AT, batch.requests)
    assert Ledger(tmp_path).open() == [known]
    assert (str(batch), str(known)) == (NAME, "msgbatch_1")


def test_the_file_tells_custom_ids_and_digests(tmp_path: Path) -> None:
    batch = claimed(tmp_path, "http://server/", line_cell())
    claim = json.loads((tmp_path / FOLDER / f"{NAME}.json").read_text())
    assert [request["custom_id"] for request in claim["requests"]] == [request.custom_id for request in batch.requests]
    assert [request["wanted"]["sha256"] for request in claim["requests"]] == [
        request.place.sha256 for request in batch.requests
    ]


def test_it_is_on_disk_before_claim_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    real = os.fsync

    def told(descriptor: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", told)
    claimed(tmp_path, "http://server/", line_cell())
    assert [Path(path).name.startswith(f".{NAME}") for path in synced] == [True, False]
    assert Path(synced[1]) == tmp_path / FOLDER


def test_what_a_killed_writer_left_is_no_claim_and_goes(tmp_path: Path) -> None:
    part = tmp_path / FOLDER / f".{NAME}.json.1.part"
    part.parent.mkdir()
    part.write_text('{"name')
    assert Ledger(tmp_path).open() == []
    claimed(tmp_path, "http://server/", line_cell())
    assert not part.exists()


def test_a_dropped_claim_leaves_nothing(tmp_path: Path) -> None:
    batch = claimed(tmp_path, "http://server/", line_cell())
    Ledger(tmp_path).drop(batch)
    assert not (tmp_path / FOLDER).exists()
    Ledger(tmp_path).drop(batch)
    Ledger(tmp_path).created(batch, "msgbatch_1", AT)
    assert Ledger(tmp_path).open() == [], "a look at a batch that was collected meanwhile does not bring it back"


@pytest.mark.parametrize(
    "text",
    ["", "[" * 100_000, "[]", "{}", '{"requests": [{}]}', '{"name": 1, "requests": []}', '<<<<<<< HEAD\n{"name": "x"}'],
)
def test_a_broken_file_is_an_error_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / FOLDER / f"{NAME}.json"
    path.parent.mkdir()
    path.write_text(text)
    with refused("bad-batch-record", f"{NAME}.json"):
        Ledger(tmp_path).open()


STRANGE = {
    "a name that leads elsewhere": ("name", "../../../precious"),
    "the name of another batch": ("name", "20260101T000000-ffffffff"),
    "an id that is no segment of a path": ("id", "../../v1/models"),
    "a number for an id": ("id", 7),
    "an id without the time of its creation": ("id", "msgbatch_1"),
    "a time that is none": ("claimed_at", "yesterday"),
    "a time without a zone": ("claimed_at", "2026-01-01T00:00:00"),
    "an unknown entry": ("token", "x"),
    "no list of requests": ("requests", {}),
}
STRANGE_REQUESTS = {
    "a file above the folder": ("file", "../../home/.bash_aliases"),
    "a file above the folder, deeper": ("file", "toy/line_retrieval/../../../x.jsonl"),
    "a file by its full path": ("file", "/etc/passwd"),
    "a hidden folder": ("file", ".git/hooks/x.jsonl"),
    "a file of another kind": ("file", "toy/line_retrieval/pre-commit"),
    "a file of Windows": ("file", "toy\\x/line_retrieval/x.jsonl"),
    "a trial that is none": ("trial", "x"),
    "a digest that is none": ("sha256", "0"),
    "a digest of another request": ("sha256", "0" * 64),
    "a number for a model": ("model", 1),
}


@pytest.mark.parametrize("case", [*STRANGE, *STRANGE_REQUESTS, "a custom id of another trial"])
def test_what_a_stranger_may_have_written(tmp_path: Path, case: str) -> None:
    """docs/security.md, ledger-paths; docs/security.md, ledger-ids."""
    folder = tmp_path / "cassettes"
    claimed(folder, "http://server/", line_cell())
    path = folder / FOLDER / f"{NAME}.json"
    batch = json.loads(path.read_text())
    if case in STRANGE:
        name, value = STRANGE[case]
        batch[name] = value
    elif case in STRANGE_REQUESTS:
        name, value = STRANGE_REQUESTS[case]
        batch["requests"][0]["wanted"][name] = value
        place = Place(**batch["requests"][0]["wanted"])
        if name == "file":
            batch["requests"][0]["custom_id"] = custom_id(NAME, place)
    else:
        batch["requests"][0]["custom_id"], batch["requests"][1]["custom_id"] = (
            batch["requests"][1]["custom_id"],
            batch["requests"][0]["custom_id"],
        )
    path.write_text(json.dumps(batch))
    with refused("bad-batch-record", f"{NAME}.json"):
        Ledger(folder).open()
