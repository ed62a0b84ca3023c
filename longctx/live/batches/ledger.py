"""The ledger of batches that are not collected yet: one file for each, beside the cassettes, which claims its requests.

The file is on disk before the batch is created and is deleted once its answers are on the tape. So whoever has the file
neither asks these requests again nor loses what was paid for (docs/decisions/0024).
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import hashlib
import json
import os
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.files import write_file
from longctx.recording.case import Question
from longctx.recording.tape import Wanted

FOLDER = "batches"
"""The name of the ledger's folder, in the folder of the cassettes."""
ID_LENGTH = 64
"""The most characters of a custom id, which are letters, digits, - and _."""

TapePlace = tuple[str, str, str]
"""The place of a question on the tape: file, trial and digest of the request."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a batch: the id that its result will have, and its place on the tape."""

    custom_id: str
    wanted: Wanted


@dataclass(frozen=True, slots=True)
class Batch:
    """What the ledger keeps of a batch.

    name: the beginning of its custom ids, and the name of its file. server: the server that creates it. base_url: the
    server as the user named it; None for the SDK's own. id: the server's id; empty if it is not known whether the batch
    was created. claimed_at, created_at: ISO 8601, UTC.
    """

    name: str
    server: str
    base_url: str | None
    claimed_at: str
    requests: tuple[Request, ...]
    id: str = ""
    created_at: str = ""

    def __str__(self) -> str:
        return self.id or self.name

    @property
    def places(self) -> set[TapePlace]:
        return {place_of(request.wanted) for request in self.requests}


def place_of(wanted: Wanted) -> TapePlace:
    return wanted.file, wanted.trial, wanted.sha256


def place_in(question: Question) -> TapePlace:
    """Return the place of a question whose digest is known."""
    return question.case.file, str(question.identity), question.sha256


def each_once(questions: Iterable[Question]) -> list[Question]:
    """Return the questions without duplicates, such as one wording under two names: ids in a batch are unique."""
    return list({place_in(question): question for question in questions}.values())


def new_name(now: datetime.datetime) -> str:
    """Return a name that no other batch has on any machine."""
    return f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"


def custom_id(name: str, place: TapePlace) -> str:
    """Return the id of a request in a batch, derived from its place on the tape. name: the name of the batch."""
    return f"{name}-{hashlib.sha256('/'.join(place).encode()).hexdigest()}"[:ID_LENGTH]


class Ledger:
    """The batches of a folder of cassettes. Only the holder of the folder's lock may claim and drop them."""

    def __init__(self, cassettes: Path) -> None:
        self.folder = cassettes / FOLDER

    def open(self) -> list[Batch]:
        """Return all batches that are not collected, the oldest first. Raises UserError."""
        return [_read(path) for path in sorted(self.folder.glob("*.json"))]

    def claim(self, batch: Batch) -> None:
        """Keep a batch that is about to be created; it is on disk when this returns. Raises UserError."""
        for leftover in self.folder.glob(".*.part"):  # left by a run that was killed while it wrote
            leftover.unlink(missing_ok=True)
        self._write(batch)

    def created(self, batch: Batch, id: str, at: str) -> Batch:
        """Keep the server's id of a claimed batch; return the batch with it. Raises UserError."""
        known = dataclasses.replace(batch, id=id, created_at=at)
        if self._path(batch).exists():  # another run may have collected it meanwhile
            self._write(known)
        return known

    def drop(self, batch: Batch) -> None:
        """Give up the claim to the requests of a batch."""
        self._path(batch).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _path(self, batch: Batch) -> Path:
        return self.folder / f"{batch.name}.json"

    def _write(self, batch: Batch) -> None:
        head = {name: value for name, value in asdict(batch).items() if name != "requests"}
        lines = ",\n".join(json.dumps(asdict(request), ensure_ascii=False) for request in batch.requests)
        text = f'{json.dumps(head, ensure_ascii=False)[:-1]}, "requests": [\n{lines}\n]}}\n'
        write_file(self._path(batch), lambda part: _write_through(part, text.encode()))
        sync(self.folder)


def sync(path: Path) -> None:
    """Flush a file, or the entries of a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_through(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    sync(path)


def _read(path: Path) -> Batch:
    try:
        fields: dict[str, Any] = json.loads(path.read_bytes())
        requests = [Request(request["custom_id"], Wanted(**request["wanted"])) for request in fields.pop("requests")]
        batch = Batch(**fields, requests=tuple(requests))
        if not all(isinstance(text, str) for text in _texts(batch)):
            raise TypeError("an entry of it is not text")
        return batch
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            "bad-batch-record",
            f"{path} is not a record of a batch ({type(error).__name__}: {error}). Restore it from version control; "
            "without it, what its batch answered cannot be collected, and is asked and paid for again.",
        ) from None


def _texts(batch: Batch) -> Iterable[object]:
    yield from (batch.name, batch.server, batch.base_url or "", batch.claimed_at, batch.id, batch.created_at)
    for request in batch.requests:
        yield from (request.custom_id, *place_of(request.wanted))
