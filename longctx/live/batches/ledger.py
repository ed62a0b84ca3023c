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
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, model_validator
from pydantic.dataclasses import dataclass

from longctx.errors import UserError
from longctx.files import write_file
from longctx.links import inside
from longctx.recording.request import Place, Request
from longctx.vocabulary.looks import LooksPlan

FOLDER = "batches"
"""The name of the ledger's folder, in the folder of the cassettes."""
ID_LENGTH = 64
"""The most characters of a custom id, which are letters, digits, - and _."""

STRICT = ConfigDict(extra="forbid", strict=True)
SAFE_ID = r"^\w[\w.:-]{0,199}$"
"""The pattern of the ids that servers give batches: nothing in a URL but a segment of its path."""


def _moment(text: str) -> str:
    """Check that a text is a time with its zone, or empty where it is not known."""
    if text and datetime.datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("it has no time zone")
    return text


Moment = Annotated[str, AfterValidator(_moment)]


@dataclass(frozen=True, slots=True, config=STRICT)
class InBatch:
    """One request of a batch: the id that its result will have, and its place on the tape."""

    custom_id: str
    place: Annotated[Place, Field(alias="wanted")]

    @model_validator(mode="after")
    def _on_the_tape(self) -> Self:
        """Check that its answer would go to a cell's file: a stranger may have written the ledger."""
        if not re.fullmatch(r"(?!\.)[^/\\\0]+/[A-Za-z]\w*/(?!\.)[^/\\\0]+\.jsonl", self.place.file):
            raise ValueError(f"{self.place.file!r} is no file of a cell, MODEL/TEST/CELL.jsonl")
        if not re.fullmatch(r"[0-9a-f]{64}", self.place.sha256):
            raise ValueError(f"{self.place.sha256!r} is no SHA-256")
        if not re.fullmatch(r"\w+\.v\d+/[^\0\n]+/seed-\d+/trial-\d+/repeat-\d+", self.place.trial):
            raise ValueError(f"{self.place.trial!r} is no name of a trial")
        return self


@dataclass(frozen=True, slots=True, config=STRICT)
class Batch:
    """What the ledger keeps of a batch.

    claimed_at, created_at: ISO 8601, UTC.
    """

    name: Annotated[str, Field(pattern=r"^\d{8}T\d{6}-[0-9a-f]{8}$")]
    """The beginning of its custom ids, and the name of its file."""
    server: str
    """The server that creates it."""
    base_url: str | None
    """The server as the user named it; None for the SDK's own."""
    claimed_at: Annotated[Moment, Field(min_length=1)]
    requests: tuple[InBatch, ...]
    id: Annotated[str, Field(pattern=f"^$|{SAFE_ID}")] = ""
    """The server's id; empty if it is not known whether the batch was created."""
    created_at: Moment = ""
    looks: LooksPlan | Literal[""] = ""
    """The plan of the looks that its requests were asked in; empty if they were sent at once."""

    @model_validator(mode="after")
    def _ids_belong_together(self) -> Self:
        if bool(self.id) != bool(self.created_at):
            raise ValueError("it must have both an id and a time of creation, or neither")
        for request in self.requests:
            if request.custom_id != custom_id(self.name, request.place):
                raise ValueError(f"the custom id {request.custom_id!r} is not that of its trial")
        return self

    def __str__(self) -> str:
        return self.id or self.name

    @property
    def places(self) -> set[Place]:
        return {request.place for request in self.requests}


def each_once(requests: Iterable[Request]) -> list[Request]:
    """Return the requests without duplicates, such as one wording under two names: ids in a batch are unique."""
    return list({request.place: request for request in requests}.values())


def new_name(now: datetime.datetime) -> str:
    """Return a name that no other batch has on any machine."""
    return f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"


def custom_id(name: str, place: Place) -> str:
    """Return the id of a request in a batch, derived from its place on the tape. name: the name of the batch."""
    written = f"{place.file}/{place.trial}/{place.key}"
    return f"{name}-{hashlib.sha256(written.encode()).hexdigest()}"[:ID_LENGTH]


class Ledger:
    """The batches of a folder of cassettes. Only the holder of the folder's lock may claim and drop them."""

    def __init__(self, cassettes: Path) -> None:
        self.folder = inside(cassettes / FOLDER, cassettes)

    def open(self) -> list[Batch]:
        """Return all batches that are not collected, the oldest first. Raises UserError."""
        return [_read(inside(path, self.folder)) for path in sorted(self.folder.glob("*.json"))]

    def claim(self, batch: Batch) -> None:
        """Keep a batch that is about to be created; it is on disk when this returns. Raises UserError."""
        for leftover in self.folder.glob(".*.part"):  # left by a run that was killed while it wrote
            leftover.unlink(missing_ok=True)
        self._write(batch)

    def created(self, batch: Batch, id: str, at: str) -> Batch:
        """Keep the server's id of a claimed batch; return the batch with it. Raises UserError."""
        known = dataclasses.replace(batch, id=id, created_at=at)
        if self.path(batch).exists():  # another run may have collected it meanwhile
            self._write(known)
        return known

    def drop(self, batch: Batch) -> None:
        """Give up the claim to the requests of a batch."""
        self.path(batch).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def path(self, batch: Batch) -> Path:
        return self.folder / f"{batch.name}.json"

    def _write(self, batch: Batch) -> None:
        head = {name: value for name, value in asdict(batch).items() if name != "requests"}
        lines = ",\n".join(json.dumps(_entry(request), ensure_ascii=False) for request in batch.requests)
        text = f'{json.dumps(head, ensure_ascii=False)[:-1]}, "requests": [\n{lines}\n]}}\n'
        write_file(self.path(batch), lambda part: _write_through(part, text.encode()))
        flush_to_disk(self.folder)


def _entry(request: InBatch) -> dict[str, Any]:
    return {"custom_id": request.custom_id, "wanted": asdict(request.place)}


def flush_to_disk(path: Path) -> None:
    """Flush a file, or the entries of a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_through(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    flush_to_disk(path)


_BATCH = TypeAdapter(Batch)


def _read(path: Path) -> Batch:
    try:
        batch = _BATCH.validate_json(path.read_bytes())
        if path.name != f"{batch.name}.json":
            raise ValueError(f"it is the record of {batch.name}")
        return batch
    except (OSError, ValueError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
        raise UserError(
            "bad-batch-record",
            f"{path} is not a record of a batch ({why}). Restore it from version control; "
            "without it, the answers of its batch cannot be collected, and are requested and paid for again.",
        ) from None


MOST_BYTES = 256_000_000
"""The most bytes in the body of a batch."""
MOST_REQUESTS = 100_000
AROUND = len('{"requests":[]}')

Item = TypeVar("Item")


def split_by_limits(
    sized: Iterable[tuple[Item, int]], most_bytes: int | None = None, most_requests: int | None = None
) -> Iterator[list[Item]]:
    """Yield the items in their order, in as few parts as the limits allow; an item above the limit is a part by itself.

    sized: items with their bytes. They are taken one by one, so that only one part is in memory at a time.
    """
    most_bytes, most_requests = most_bytes or MOST_BYTES, most_requests or MOST_REQUESTS
    part: list[Item] = []
    taken = AROUND
    for item, size in sized:
        if part and (taken + size > most_bytes or len(part) == most_requests):
            yield part
            part, taken = [], AROUND
        part.append(item)
        taken += size
    if part:
        yield part


def size_of(custom_id: str, body: Mapping[str, Any]) -> int:
    """Return the bytes of a request in the body of its batch, with the comma after it."""
    request = {"custom_id": custom_id, "params": body}
    return len(json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")) + 1
