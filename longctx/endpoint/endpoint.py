"""The endpoint of a process: which trial a request belongs to, and what it is answered.

A request is looked up as one of `ask.client(…)` is. One without a recorded answer suspends the trial: it gets an error
that no SDK sends again, and what the code makes of it is discarded. Nothing is ever sent from here.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hmac
import re
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx2

from longctx import clocks
from longctx.config.models import BETA
from longctx.connections import Guard
from longctx.endpoint.environment import proxies, variables
from longctx.endpoint.http import BadRequest, Head, Reply
from longctx.endpoint.leftovers import STARTS, Leftovers
from longctx.endpoint.server import HOST, LocalServer
from longctx.functions import clients
from longctx.functions.clients import AskOfTrial
from longctx.functions.trial import FunctionTrial, TestMistake, mistake
from longctx.own_environment import Values, replaced
from longctx.recording.trials import Exchange
from longctx.redaction import keep_matches_out
from longctx.vocabulary.protocol_cell import Suspended

ANY = "any"
"""The path of whichever trial runs, for clients that are made before it."""
MOST_REQUESTS = 1000
"""The most requests of one run of a trial, those among them that are no requests of the trial: see `closed`."""
QUIET_S, MOST_QUIET_S = 0.03, 0.5
"""Seconds without another request after which one without an answer gets its error, and the most: what is sent at the
same time is taken with it."""
PATIENCE_S = 10.0
"""The most seconds if the code has not yet sent again what an earlier run of the trial sent."""
STATUS = 400
"""The status of errors: no SDK sends a request again after it."""
SIGNAL = getattr(signal, "SIGURG", None)
"""The signal by which a suspended trial leaves what it waits for, such as the pause before it tries again. It does
nothing where nobody handles it."""
PAUSE_S = 0.25
"""The seconds that the code of a suspended trial has to end by itself before the signal is sent."""
FEW = 20
"""After how many requests of a suspended trial that goes on the signal is sent again."""
OF_FETCH = frozenset(
    (
        *("accept-language", "sec-fetch-mode", "sec-fetch-site", "sec-fetch-dest", "origin", "referer", "expect"),
        *("priority", "cache-control", "pragma", "upgrade", "http2-settings", "proxy-connection", "content-encoding"),
    )
)
"""Headers that HTTP libraries add by themselves, besides those that are transport wherever they come from."""
SUSPENDED = "no answer to this request is recorded. The trial ends here, and runs again once it is."
ENDED = (
    "this request belongs to no trial that runs, so nothing is sent: send it while a test with the marker longctx "
    "runs, or make its client in the test that sends it, since clients made at import send their requests here."
)
OTHER_HOST = "the request names another host, so nothing is sent. Use the address of ask.endpoint(…) as it is."
NOT_ALLOWED = (
    "the code under test may not connect to this host, so nothing is sent. Its test's failure says what to do."
)


@dataclass(frozen=True, slots=True)
class Product:
    """What a project says of the code that it tests."""

    keys: frozenset[str] = frozenset()
    """The variables of its keys, which it does not see."""
    models: Mapping[str, str] = field(default_factory=dict)
    """The models that names in its requests mean, apart from the model under test."""


@dataclass(slots=True, eq=False)
class ServedTrial:
    """The trial that is served now."""

    ask: AskOfTrial
    guard: Guard
    number: int
    names: Mapping[str, str]
    """The models that names in requests mean, apart from the model under test."""
    changed: threading.Condition = field(default_factory=threading.Condition)
    came: float = 0.0
    """When its last request came."""
    requests: int = 0
    missing_since: float | None = None
    """When the first of its requests came that has no answer."""
    failed: str = ""
    """Why nothing more is answered, if that is so."""
    armed: bool = False
    """Whether the signal may end what runs in the main thread."""
    signalled: int | None = None
    """How many requests had come when it was last sent."""
    ended: threading.Event = field(default_factory=threading.Event)
    leftovers: Leftovers = field(default_factory=Leftovers)

    @property
    def trial(self) -> FunctionTrial:
        return self.ask.trial

    @property
    def is_over(self) -> bool:
        """Whether what its code still does is discarded."""
        return self.trial.closed or bool(self.failed)

    def fail(self, error: BaseException) -> str:
        """Let an error be the trial's own, whatever its code makes of the reply; return the sentence on it."""
        self.guard.refused.append(error)
        self.failed = self.failed or str(error)
        return str(error)

    def wait_until_quiet(self) -> None:
        """Wait until the code has sent what it sends at the same time, and then close the trial to further requests."""
        with self.changed:
            self.missing_since = since = self.missing_since or clocks.monotonic()
            while not self.trial.closed:
                now = clocks.monotonic()
                to_come = self.trial.expected - self.trial.bodies.keys()
                until = since + PATIENCE_S if to_come else min(self.came + QUIET_S, since + MOST_QUIET_S)
                self.trial.closed = now >= until
                if not self.trial.closed:
                    self.changed.wait(until - now)
            self.changed.notify_all()


class Running:
    """The code of the trial that is served."""

    def __init__(self, endpoint: Endpoint, serving: ServedTrial) -> None:
        self._endpoint, self._serving = endpoint, serving

    def running(self, call: Callable[[], object]) -> object:
        """Return what `call` returns. Raises Suspended if the trial is suspended meanwhile."""
        if SIGNAL is None or threading.current_thread() is not threading.main_thread():
            return call()
        before = signal.signal(SIGNAL, self._suspend)
        try:
            try:
                self._serving.armed = True
                return call()
            finally:
                self._serving.armed = False
        finally:  # the signal may come in the middle of the other one
            signal.signal(SIGNAL, before)

    def _suspend(self, *_: object) -> None:
        if self._serving.armed and self._serving.is_over:
            raise Suspended("the trial")

    def end(self) -> None:
        self._endpoint.end()


class Endpoint:
    """The server of this process, and what it answers."""

    def __init__(self) -> None:
        self._secret = secrets.token_urlsafe(24)
        self._now: ServedTrial | None = None
        self._number = 0
        self._ended: set[int] = set()
        """The trials that have left neither a thread nor a process: what names one is a client that outlives it."""
        self._headers: set[str] = set()
        self._server = LocalServer(self)
        self._hosts = {f"{name}:{self._server.port}" for name in (HOST, "localhost")}
        name_and_secret = base64.b64encode(f"longctx:{self._secret}".encode()).decode()
        self._of_proxy = f"Basic {name_and_secret}"
        keep_matches_out(
            re.compile(rf"(http://)?({HOST}:\d+/)?(longctx:)?{re.escape(self._secret)}(@{HOST}:\d+)?(/({ANY}|\d+)\b)?")
        )
        sys.addaudithook(self._note_process)

    def _note_process(self, event: str, arguments: object) -> None:
        if event in STARTS and (now := self._now):
            now.leftovers.note_start()

    def address(self, number: int | None = None) -> str:
        """Return the address of a trial; without its number that of whichever runs, for what is made before."""
        return f"http://{HOST}:{self._server.port}/{self._secret}/{ANY if number is None else number}"

    def variables(self, keys: frozenset[str]) -> Values:
        """Return the variables by which what is made before a trial comes here. keys: see `Product`."""
        return variables(self.address(), keys)

    @contextlib.contextmanager
    def serving(self, ask: AskOfTrial, guard: Guard, product: Product) -> Iterator[Running]:
        """Serve a trial; its variables stay as they are until the context is left."""
        self._number += 1
        serving = self._now = ServedTrial(ask, guard, self._number, product.models)
        serving.trial.endpoint = self.address(self._number)
        proxy = f"http://longctx:{self._secret}@{HOST}:{self._server.port}"
        try:
            with replaced({**variables(serving.trial.endpoint, product.keys), **proxies(proxy, guard.allowed)}):
                yield Running(self, serving)
        finally:
            self.end()
            if not serving.leftovers.are_there():
                self._ended.add(serving.number)

    def taken_headers(self) -> list[str]:
        """Return the headers that became part of requests though nothing names them, and forget them."""
        found, self._headers = sorted(self._headers), set()
        return found

    def end(self) -> None:
        """Serve no trial. What is being looked up is part of the one that was served."""
        if now := self._now:
            now.ended.set()
            with now.changed:
                self._now = None

    def refusal(self, head: Head, port: int) -> Reply | None:
        """Return why a request is refused before its body is read; None if it is not. port: the client's."""
        if head.method == "CONNECT" or "://" in head.target.partition("?")[0]:  # it takes this server for its proxy
            return self._refusal_by_proxy(head, port)
        hosts = head.values("host")
        if len(hosts) > 1 or not {*map(str.lower, hosts)} <= self._hosts or (not hosts and head.version != "HTTP/1.0"):
            return Reply.error(403, OTHER_HOST)  # a page in a browser may, for this machine
        if self._of(head) is None:
            return Reply.error(403, ENDED)
        return None

    def _refusal_by_proxy(self, head: Head, port: int) -> Reply:
        given = "".join(head.values("proxy-authorization"))
        if not hmac.compare_digest(given.encode(), self._of_proxy.encode()):
            return Reply.error(407, "the proxy is for the code under test alone.")
        target = head.target if "://" in head.target else f"//{head.target}"
        with contextlib.suppress(ValueError):
            host = urlsplit(target).hostname
            if host and (now := self._now) and len(now.guard.refused) < MOST_REQUESTS:
                now.guard.refuse_by_proxy(host, port)
        return Reply.error(403, NOT_ALLOWED)

    def _of(self, head: Head) -> tuple[ServedTrial, str] | None:
        """Return the trial that runs, if a request's path names it, and the rest of the target."""
        parts = head.target.split("/", 3)
        now = self._now
        if now is None or len(parts) < 4 or not hmac.compare_digest(parts[1].encode(), self._secret.encode()):
            return None
        named = parts[2]
        if named in (ANY, str(now.number)) or (named.isdecimal() and int(named) in self._ended):
            return now, f"/{parts[3]}"
        return None

    def unreadable(self, head: Head, why: BadRequest) -> None:
        """Let a request that cannot be read be a mistake of its trial."""
        if found := self._of(head):
            serving, _ = found
            with serving.changed:
                path = found[1].partition("?")[0]
                sentence = f"the code under test sends {head.method} {path} to the local endpoint, and {why}"
                serving.fail(mistake("request-not-readable", f"{serving.trial.cell.id}: {sentence}"))

    def answer(self, head: Head, content: bytes) -> Reply:
        """Return the answer to a request that was not refused."""
        if (found := self._of(head)) is None:  # its trial has ended while the body came
            return Reply.error(403, ENDED)
        serving, target = found
        with serving.changed:
            if serving is not self._now:
                return Reply.error(403, ENDED)
            reply = self._looked_up(serving, head, target, content)
        if reply is None:
            serving.wait_until_quiet()
            reply = Reply.error(STATUS, SUSPENDED)
        return reply

    def _looked_up(self, serving: ServedTrial, head: Head, target: str, content: bytes) -> Reply | None:
        """Return the reply to a request of the trial; None if it has no answer."""
        serving.requests += 1
        serving.came = clocks.monotonic()
        serving.changed.notify_all()
        if serving.failed:
            return Reply.error(STATUS, serving.failed)
        try:
            if serving.requests > MOST_REQUESTS:
                raise _too_many(serving.trial)
            given = [(name, value) for name, value in head.headers if name.lower() not in OF_FETCH]
            request = httpx2.Request(head.method, f"{clients.BASE_URL}{target}", headers=given)
            issued, options = clients.issued_for(serving.ask, serving.names, request, content)
            self._headers |= unknown_headers(issued)
            return _reply(clients.response_to(issued, serving.trial.receive(issued), options))
        except Suspended:
            return Reply.error(STATUS, SUSPENDED) if serving.trial.closed else None
        except TestMistake as error:
            return Reply.error(STATUS, serving.fail(error))
        except httpx2.InvalidURL as error:
            why = mistake("request-not-readable", f"{serving.trial.cell.id}: the address {target[:80]!r}: {error}")
            return Reply.error(STATUS, serving.fail(why))
        except BaseException as error:  # such as a damaged recording
            return Reply.error(STATUS, serving.fail(error))

    def sent(self, head: Head) -> None:
        """Let a suspended trial leave what its code waits for in the main thread."""
        serving = self._now
        if SIGNAL is None or serving is None or not serving.is_over or serving.ended.wait(PAUSE_S):
            return
        if not serving.armed:
            return
        if serving.signalled is None or serving.requests >= serving.signalled + FEW:
            serving.signalled = serving.requests
            signal.pthread_kill(threading.main_thread().ident or 0, SIGNAL)


def unknown_headers(issued: Exchange) -> set[str]:
    """Return the headers of a request that its model's profile does not name."""
    names = {line.partition(":")[0] for line in issued.place.headers.splitlines()}
    return names - {*issued.model.treatments, BETA}


def _too_many(trial: FunctionTrial) -> TestMistake:
    return mistake(
        "too-many-requests",
        f"{trial.cell.id}, trial {trial.item}: the code under test sends more than {MOST_REQUESTS:,} requests, which "
        "looks like an endless loop: limit its turns and its retries.",
    )


def _reply(response: httpx2.Response) -> Reply:
    return Reply(
        response.status_code, response.content, (*response.headers.multi_items(), ("request-id", "req_longctx"))
    )


@functools.cache
def endpoint() -> Endpoint:
    """Return the endpoint of this process, which starts with the first call."""
    return Endpoint()
