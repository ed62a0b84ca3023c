"""A simulated server of Message Batches, for tests and benchmarks.

It is no model and is never used for recordings in cassettes/. It behaves as documented: the results come in any order
once the batch has ended, only requests that succeeded are billed, batches are listed newest first, and results are kept
for a limited time. A test sets what goes wrong.
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
"""Returns the `result` of a request in a line of results, given the `params` of the request."""


def errored(kind: str, sentence: str = "simulated failure") -> Result:
    error = {"type": "error", "error": {"type": kind, "message": sentence}}
    return lambda params: {"type": "errored", "error": error}


def expired(params: Body) -> dict[str, Any]:
    return {"type": "expired"}


@dataclass
class Stored:
    """A batch of the server. looks: how often it was looked at. results: by custom id, once it has ended."""

    id: str
    requests: list[Body]
    created_at: datetime.datetime
    looks: int = 0
    canceled: bool = False
    ended_at: datetime.datetime | None = None
    archived: bool = False
    results: dict[str, dict[str, Any]] = field(default_factory=dict)


class BatchServer(SimulatedServer):
    """A server of Messages and of Message Batches; a test sets its attributes.

    result: returns the result of a request; by default it is what `script` answers.
    looks, takes_s: how often a batch must be looked at, and how many seconds must pass, before it ends.
    unknown: how many looks at a new batch are answered 404; the list leaves the batch out as long.
    creating: replaces the answer to a creation; the batch is created all the same unless that is a refusal (4xx).
    held_after_creation: the answer to a creation is held back until `release` is set.
    listing: replaces the answer to a list. page: the largest number of batches in one list.
    lists_end: a list counts as a look at each batch. lost_results: how many results each download leaves out.
    paid: how many messages were made for each prompt, in batches and directly.
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
            return 200, {}, json.dumps(self._as_json(batch)).encode()

    def wait_for_creation(self) -> None:
        """Return once a batch was created whose creation is not answered yet; `held_after_creation` must be set."""
        assert self.made.wait(PATIENCE)

    def put(self, *custom_ids: str, ended: bool = True) -> Stored:
        """Store a batch that somebody else created, and return it."""
        batch = self._store(
            [{"custom_id": custom_id, "params": {"model": "toy", "messages": []}} for custom_id in custom_ids]
        )
        batch.looks = 0 if ended else -(10**9)
        if ended:
            batch.ended_at = batch.created_at
            batch.results = {custom_id: {"type": "canceled"} for custom_id in custom_ids}
        return batch

    def _create(self, body: Body) -> Answer:
        answer = self.creating(body) if self.creating else None
        if answer and 400 <= answer[0] < 500:
            return answer
        ids = [request["custom_id"] for request in body["requests"]]
        if len(set(ids)) < len(ids) or not all(CUSTOM_ID.fullmatch(custom_id) for custom_id in ids):
            return failing(400, "requests: custom_ids are wrong")({})
        batch = self._store(body["requests"])
        if self.held_after_creation:
            self.made.set()
            self._lock.release()
            self.release.wait(PATIENCE)
            self._lock.acquire()
        return answer or (200, {}, json.dumps(self._as_json(batch)).encode())

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
        listed = {"data": [self._as_json(batch) for batch in page], "has_more": len(page) < len(stored)}
        return 200, {}, json.dumps(listed).encode()

    def _hidden(self, batch: Stored) -> bool:
        return 0 <= batch.looks < self.unknown

    def _look(self, batch: Stored) -> None:
        batch.looks += 1
        age_s = (datetime.datetime.now(datetime.UTC) - batch.created_at).total_seconds()
        if batch.looks > self.looks + self.unknown and age_s >= self.takes_s:
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

    def _as_json(self, batch: Stored) -> Body:
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
    """A clock that advances only by sleeping. slept: the seconds of each sleep."""

    def __init__(self) -> None:
        self.moment = datetime.datetime.now(datetime.UTC)
        self.slept: list[float] = []
        self.at_sleep: Callable[[], object] = lambda: None
        """Called at each sleep, to simulate what happens meanwhile."""

    def now(self) -> datetime.datetime:
        return self.moment

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.moment += datetime.timedelta(seconds=seconds)
        self.at_sleep()
