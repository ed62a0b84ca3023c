"""The connections of this process: while a test is guarded, only longctx's own and those that it allows may open.

Python reports every connection and every look-up of a name to its audit hooks, whichever library makes it, in every
thread. A hook cannot be removed: it is added when the first test is guarded. Between guards it refuses what a thread
opens that a test has left behind. Code that does not use Python's sockets, such as a subprocess, is not seen.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from contextvars import ContextVar
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

CONNECTS = ("socket.connect", "socket.sendto", "socket.sendmsg")
"""The events whose arguments are a socket and an address; a datagram needs no connection."""
LOOKS_UP = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo")
"""The events whose first argument is a host, or an address that begins with one."""
INI = "longctx_allowed_hosts"
"""The setting of pytest with the hosts that all tests of a project may connect to."""
OWN: ContextVar[bool] = ContextVar("longctx_own_connections", default=False)
"""Whether the connections of this context are longctx's own."""

POOLS = "concurrent.futures.", "anyio."
"""How the modules begin whose threads work for others, which get what the work raises."""

_now: list[Guard] = []
"""The guards that are in force: the last counts."""
_left: weakref.WeakKeyDictionary[threading.Thread, Guard] = weakref.WeakKeyDictionary()
"""The threads that have outlived a guard, and that guard: what they open is refused until this process ends."""
_hooked: list[bool] = []


@dataclass(slots=True, eq=False)
class Guard:
    """What a test may connect to: this machine, except the ports of model servers, and the hosts that it allows."""

    allowed: Sequence[str]
    """Hosts, each with or without a port: names, addresses, or patterns such as `*.example.com`."""
    closed_ports: Set[int]
    """The ports of this machine that lead to a model."""
    refusal: Callable[[str], BaseException]
    """Makes the error for a host."""
    refused: list[BaseException] = field(default_factory=list)
    """The errors that were raised: code under test may have caught them."""
    model_hosts: Set[str] = frozenset()
    """The hosts that models answer at."""
    refused_in_threads: Counter[str] = field(default_factory=Counter)
    """How often threads of libraries could not connect to hosts where no model answers, which they may swallow."""
    _of_threads: list[weakref.ref[socket.socket]] = field(default_factory=list)
    """The connections to this machine that such threads have opened."""
    _names: dict[str, set[str]] = field(default_factory=dict)
    """The names that were looked up, by their addresses."""

    def taken(self) -> BaseException | None:
        """Return the first error that was raised, and forget all of them."""
        first = next(iter(self.refused), None)
        self.refused.clear()
        return first

    def check(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Raise the refusal unless the host may be reached."""
        if event in CONNECTS:
            connection, address = arguments
            if address is None or connection.family not in (socket.AF_INET, socket.AF_INET6):
                return
            host, port = _text(address[0]), address[1]
        else:
            named = arguments[0]
            host, port = _text(named[0] if isinstance(named, tuple) else named), None
        if self._allows(host, port) or (is_here(host) and port not in self.closed_ports):
            if event == "socket.connect" and is_here(host) and _in_own_thread():
                self._of_threads.append(weakref.ref(arguments[0]))
            return
        error = self.refusal(host if port not in self.closed_ports else f"{host}:{port}")
        if host not in self.model_hosts and port not in self.closed_ports and _in_own_thread():
            self.refused_in_threads[host] += 1
            raise ConnectionRefusedError(str(error))
        self.refused.append(error)
        raise error

    def refuse_by_proxy(self, host: str, port: int) -> None:
        """Note that a proxy on this machine has refused a host. port: the client's own, which tells its thread."""
        if host not in self.model_hosts and port in map(_own_port, [*self._of_threads]):
            self.refused_in_threads[host] += 1
        else:
            self.refused.append(self.refusal(host))

    def looked_up(self, look_up: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        """Return the function that looks names up, which notes their addresses."""

        def noting(host: Any, port: Any, *more: Any, **named: Any) -> list[Any]:
            found = look_up(host, port, *more, **named)
            for *_, address in found:
                self._names.setdefault(address[0], set()).add(_text(host))
            return found

        return noting

    def _allows(self, host: str, port: int | None) -> bool:
        """Return whether a host is allowed. port: None for a look-up, which is allowed for whatever port."""
        for name in (host, *self._names.get(host, ())):
            for pattern in self.allowed:
                before_port, _, given = pattern.rpartition(":")
                hosts = (pattern, before_port if given == str(port) or port is None else "")
                if any(fnmatchcase(name.lower(), each.lower()) for each in hosts):
                    return True
        return False


@contextlib.contextmanager
def guarded(guard: Guard) -> Iterator[Guard]:
    """Let only those connections open that the guard allows, in all threads; beneath it, longctx's own."""
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked.append(True)
    look_up = socket.getaddrinfo
    before = {*threading.enumerate()}
    _now.append(guard)
    if guard.allowed:
        socket.getaddrinfo = guard.looked_up(look_up)
    try:
        yield guard
    finally:
        socket.getaddrinfo = look_up
        _left.update(dict.fromkeys({*threading.enumerate()} - before, guard))
        _now.remove(guard)


def are_own() -> None:
    """Mark the connections of this context, such as a thread or a task, as longctx's own."""
    OWN.set(True)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if (_now or _left) and (event in CONNECTS or event in LOOKS_UP) and not OWN.get():
        guard = _now[-1] if _now else _left.get(threading.current_thread())
        if guard is not None:
            guard.check(event, arguments)


def _own_port(of: weakref.ref[socket.socket]) -> int | None:
    """Return the port of this machine that a connection leaves from; None if it is closed."""
    opened = of()
    try:
        return None if opened is None else int(opened.getsockname()[1])
    except OSError:
        return None


def _in_own_thread() -> bool:
    """Return whether this is a thread that code has started for itself: nobody else gets what it raises."""
    thread = threading.current_thread()
    target = getattr(thread, "_target", None)
    runs = (type(thread).__module__, getattr(target, "__module__", None) or "")
    return thread is not threading.main_thread() and not any(module.startswith(POOLS) for module in runs)


def is_here(host: str) -> bool:
    """Return whether a host is this machine. A text with a zone, such as fe80::1%eth0, is another one."""
    if host.lower() in ("", "localhost", socket.gethostname().lower()):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return any(each.is_loopback or each.is_unspecified for each in (address, mapped) if each)


def _text(host: object) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host or "")
