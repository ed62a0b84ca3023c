"""A simulated server of Message Batches, for tests and benchmarks. It is no model, and is never used for recordings in
cassettes/.

It keeps to what is documented: results in any order once all has ended, nothing billed but what succeeded, batches
listed from the newest, and results kept for a while only. A test turns what may go wrong.
"""

from __future__ import annotations

import datetime
import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.servers import PATIENCE, Answer, Body, Received, Script, SimulatedServer, failing, prompt_of

PATH = "/v1/messages/batches"
CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")

Result = Callable[[Body], dict[str, Any]]
"""What comes of a request's params, if its turn comes: the `result` of a line of results."""


def errored(kind: str, sentence: str = "simulated failure") -> Result:
    error = {"type": "error", "error": {"type": kind, "message": sentence}}
    return lambda params: {"type": "errored", "error": error}


def expired(params: Body) -> dict[str, Any]:
    return {"type": "expired"}


@dataclass
class Stored:
    """A batch of the server. results: by custom id, once it has ended."""

    id: str
    requests: list[Body]
    created_at: datetime.datetime
    looks: int = 0
    canceled: bool = False
    ended_at: datetime.datetime | None = None
    archived: bool = False
    results: dict[str, dict[str, Any]] = field(default_factory=dict)


class BatchServer(SimulatedServer):
    """result: of each request, by default what `script` answers. looks: at a batch, before it ends; takes_s: seconds,
    likewise. unknown: looks at a fresh batch that are answered 404, also by the list. creating: instead of the answer
    to a create; the batch is made all the same where that is no refusal. lost_results: left out of each download.
    lists_end: a list is a look at each batch, too.
    paid: prompt -> messages made, in batches and directly.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.result: Result = self._succeeded
        self.looks = self.unknown = self.lost_results = 0
        self.takes_s = 0.0
        self.lists_end = self.held_after_creation = False
        self.made = threading.Event()
        self.page = 1000
        self.creating: Script | None = None
        self.listing: Script | None = None
        self.batches: dict[str, Stored] = {}
        self.paid: Counter[str] = Counter()
        self._lock = threading.Lock()
        direct = self.script
        self.script = lambda body: self._paid(body, direct(body))
        self._direct = direct

    @property
    def created(self) -> list[Stored]:
        return list(self.batches.values())

    def answer_other(self, request: Received) -> Answer:
        id, _, rest = request.path.removeprefix(f"{PATH}/").partition("/")
        with self._lock:
            if request.path == PATH:
                return self._create(request.body) if request.body else self._list(request.query)
            if not request.path.startswith(f"{PATH}/") or id not in self.batches:
                return failing(404, "not found")({})
            batch = self.batches[id]
            if rest == "cancel":
                batch.canceled = True
                self._end(batch)
            elif rest == "results":
                return self._results(batch)
            elif self._hidden(batch):
                batch.looks += 1
                return failing(404, "not found")({})
            else:
                self._look(batch)
            return 200, {}, json.dumps(self._told(batch)).encode()

    def wait_for_creation(self) -> None:
        """Return when a batch was made whose creation is not answered, as `held_after_creation` has it."""
        assert self.made.wait(PATIENCE)

    def put(self, *custom_ids: str, ended: bool = True) -> Stored:
        """A batch of someone else."""
        batch = self._store(
            [{"custom_id": custom_id, "params": {"model": "toy", "messages": []}} for custom_id in custom_ids]
        )
        batch.looks = 0 if ended else -(10**9)
        if ended:
            batch.ended_at = batch.created_at
            batch.results = {custom_id: {"type": "canceled"} for custom_id in custom_ids}
        return batch

    def _create(self, body: Body) -> Answer:
        said = self.creating(body) if self.creating else None
        if said and 400 <= said[0] < 500:
            return said
        ids = [request["custom_id"] for request in body["requests"]]
        if len(set(ids)) < len(ids) or not all(CUSTOM_ID.fullmatch(custom_id) for custom_id in ids):
            return failing(400, "requests: custom_ids are wrong")({})
        batch = self._store(body["requests"])
        if self.held_after_creation:
            self.made.set()
            self._lock.release()
            self.release.wait(PATIENCE)
            self._lock.acquire()
        return said or (200, {}, json.dumps(self._told(batch)).encode())

    def _store(self, requests: list[Body]) -> Stored:
        id = f"msgbatch_{len(self.batches):04}"
        self.batches[id] = Stored(id, requests, datetime.datetime.now(datetime.UTC))
        return self.batches[id]

    def _list(self, query: dict[str, str]) -> Answer:
        if self.listing:
            return self.listing({})
        stored = [batch for batch in reversed(self.batches.values()) if not self._hidden(batch)]
        if self.lists_end:
            for batch in self.batches.values():
                self._look(batch)
        if after := query.get("after_id"):
            stored = stored[[batch.id for batch in stored].index(after) + 1 :]
        page = stored[: min(self.page, int(query.get("limit", 20)))]
        told = {"data": [self._told(batch) for batch in page], "has_more": len(page) < len(stored)}
        return 200, {}, json.dumps(told).encode()

    def _hidden(self, batch: Stored) -> bool:
        return 0 <= batch.looks < self.unknown

    def _look(self, batch: Stored) -> None:
        batch.looks += 1
        old = (datetime.datetime.now(datetime.UTC) - batch.created_at).total_seconds()
        if batch.looks > self.looks + self.unknown and old >= self.takes_s:
            self._end(batch)

    def _end(self, batch: Stored) -> None:
        if batch.ended_at is not None:
            return
        batch.ended_at = datetime.datetime.now(datetime.UTC)
        for request in batch.requests:
            result = {"type": "canceled"} if batch.canceled else self.result(request["params"])
            if result["type"] == "succeeded":
                self.paid[prompt_of(request["params"])] += 1
            batch.results[request["custom_id"]] = result

    def _results(self, batch: Stored) -> Answer:
        if batch.ended_at is None or batch.archived:
            return failing(404, "no results")({})
        lines = [json.dumps({"custom_id": id, "result": result}) for id, result in reversed(batch.results.items())]
        return 200, {"content-type": "application/binary"}, "\n".join(lines[self.lost_results :]).encode()

    def _told(self, batch: Stored) -> Body:
        kinds = Counter(result["type"] for result in batch.results.values())
        counts = {kind: kinds[kind] for kind in ("succeeded", "errored", "canceled", "expired")}
        archived = batch.ended_at.isoformat() if batch.archived and batch.ended_at else None
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "in_progress" if batch.ended_at is None else "ended",
            "request_counts": {"processing": len(batch.requests) - len(batch.results), **counts},
            "created_at": batch.created_at.isoformat().replace("+00:00", "Z"),
            "expires_at": (batch.created_at + datetime.timedelta(days=1)).isoformat(),
            "ended_at": batch.ended_at and batch.ended_at.isoformat(),
            "cancel_initiated_at": None,
            "archived_at": archived,
            "results_url": f"https://elsewhere.test{PATH}/{batch.id}/results" if batch.ended_at else None,
        }

    def _succeeded(self, params: Body) -> dict[str, Any]:
        return {"type": "succeeded", "message": json.loads(self._direct(params)[2])}

    def _paid(self, body: Body, answer: Answer) -> Answer:
        if answer[0] == 200:
            self.paid[prompt_of(body)] += 1
        return answer


class Turned:
    """A clock that passes only while it is slept by. slept: the pauses."""

    def __init__(self) -> None:
        self.moment = datetime.datetime.now(datetime.UTC)
        self.slept: list[float] = []
        self.at_sleep: Callable[[], object] = lambda: None
        """Called at each pause: what happens meanwhile."""

    def now(self) -> datetime.datetime:
        return self.moment

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.moment += datetime.timedelta(seconds=seconds)
        self.at_sleep()
