"""A guard lets only those connections open that it allows, whichever way they are made. Nothing leaves this machine."""

from __future__ import annotations

import asyncio
import contextvars
import http.client
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from longctx.connections import Guard, are_own, guarded

ELSEWHERE = "192.0.2.1"
"""An address that no machine has (RFC 5737)."""
NAME = "api.example.invalid"
"""A name that no machine has (RFC 6761)."""


class Refused(BaseException):
    """Passes through every `except Exception`."""


def guard(*allowed: str, closed: int = 0) -> Guard:
    return Guard(allowed, {closed}, Refused)


def tcp(address: str) -> socket.socket:
    return socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)


def connects(address: str) -> None:
    with tcp(address) as opened:
        opened.connect((address, 9))


def connects_ex(address: str) -> None:
    with tcp(address) as opened:
        opened.connect_ex((address, 9))


def sends(address: str) -> None:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as opened:
        opened.sendto(b"hello", (address, 9))


async def opens(address: str) -> None:
    await asyncio.open_connection(address, 9)


def in_thread(address: str) -> None:
    with ThreadPoolExecutor() as pool:
        pool.submit(connects, address).result()


WAYS: dict[str, Callable[[str], object]] = {
    "connect": connects,
    "connect_ex": connects_ex,
    "sendto": sends,
    "create_connection": lambda address: socket.create_connection((address, 9)),
    "asyncio": lambda address: asyncio.run(opens(address)),
    "http.client": lambda address: http.client.HTTPConnection(address, 9).connect(),
    "urllib": lambda address: urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://{address}:9"),
    "another thread": in_thread,
}
LOOK_UPS: dict[str, Callable[[str], object]] = {
    "getaddrinfo": lambda name: socket.getaddrinfo(name, 9),
    "gethostbyname": socket.gethostbyname,
    "gethostbyname_ex": socket.gethostbyname_ex,
    "bytes": lambda name: socket.getaddrinfo(name.encode(), 9),
    "asyncio": lambda name: asyncio.run(opens(name)),
    "create_connection": lambda name: socket.create_connection((name, 9)),
}


@pytest.fixture
def port() -> Iterator[int]:
    """Return a port of this machine on which something listens."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_no_way_leads_to_another_machine(way: Callable[[str], object]) -> None:
    with guarded(guard()) as held, pytest.raises(Refused, match=ELSEWHERE):
        way(ELSEWHERE)
    assert isinstance(held.taken(), Refused)
    assert held.taken() is None


@pytest.mark.parametrize("way", LOOK_UPS.values(), ids=LOOK_UPS)
def test_no_name_is_looked_up(way: Callable[[str], object]) -> None:
    with guarded(guard()), pytest.raises(Refused, match=NAME):
        way(NAME)


@pytest.mark.parametrize("address", ["10.0.0.1", "2001:db8::1", "::ffff:192.0.2.1", "169.254.169.254"])
def test_other_machines_have_many_addresses(address: str) -> None:
    with guarded(guard()), pytest.raises(Refused):
        sends(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.2", "0.0.0.0"])
def test_this_machine_is_open_save_the_ports_of_models(host: str, port: int) -> None:
    with guarded(guard()):
        if host not in ("127.0.0.2", "0.0.0.0"):
            socket.create_connection((host, port)).close()
        socket.getaddrinfo(host, port)
    with guarded(guard(closed=port)), pytest.raises(Refused, match=f":{port}"):
        socket.create_connection((host, port))


def test_sockets_of_other_kinds_are_open() -> None:
    with guarded(guard()):
        ours, theirs = socket.socketpair()
        ours.sendmsg([b"hello"])
        assert theirs.recv(5) == b"hello"
        ours.close()
        theirs.close()
        socket.getfqdn()


@pytest.mark.parametrize("allowed", ["localhost", "local*", "LOCALHOST:{port}", "127.0.0.1", "127.0.0.1:{port}"])
def test_what_a_test_allows(allowed: str, port: int) -> None:
    """The address of an allowed name is allowed, too: libraries look a name up before they connect."""
    held = guard(allowed.format(port=port), closed=port)
    with guarded(held):
        socket.create_connection(("localhost" if "ocal" in allowed.lower() else "127.0.0.1", port)).close()
    with guarded(guard("localhost:1", "other", closed=port)), pytest.raises(Refused):
        socket.create_connection(("localhost", port))


def test_it_ends_whatever_happens(port: int) -> None:
    before = socket.getaddrinfo
    with pytest.raises(KeyError), guarded(guard("x", closed=port)):
        raise KeyError
    assert socket.getaddrinfo is before
    socket.create_connection(("127.0.0.1", port)).close()


def test_a_guard_within_a_guard(port: int) -> None:
    with guarded(guard(closed=port)):
        with guarded(guard()):
            socket.create_connection(("127.0.0.1", port)).close()
        with pytest.raises(Refused):
            socket.create_connection(("127.0.0.1", port))


def test_its_own_connections_are_open(port: int) -> None:
    def own() -> None:
        are_own()
        socket.create_connection(("localhost", port)).close()

    with guarded(guard(closed=port)):
        contextvars.copy_context().run(own)
        with pytest.raises(Refused):
            connects(ELSEWHERE)


def in_own_thread(connect: Callable[[], object]) -> list[BaseException]:
    """Run this in a thread that nobody waits for, as libraries do, and return what it raised."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            connect()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return raised


def test_what_a_library_opens_in_its_own_thread_is_counted_and_refused_as_by_a_network() -> None:
    with guarded(guard()) as now:
        raised = [*in_own_thread(lambda: connects(ELSEWHERE)), *in_own_thread(lambda: socket.getaddrinfo(NAME, 9))]
        raised += in_own_thread(lambda: connects(ELSEWHERE))
    assert [type(error) for error in raised] == [ConnectionRefusedError] * 3
    assert now.refused_in_threads == {ELSEWHERE: 2, NAME: 1}
    assert now.taken() is None


@pytest.mark.parametrize("closed", [0, 9])
def test_a_server_of_models_is_refused_in_whatever_thread(closed: int) -> None:
    host = "127.0.0.1" if closed else ELSEWHERE
    with guarded(Guard((), {closed}, Refused, model_hosts=frozenset({ELSEWHERE}))) as now:
        assert [type(error) for error in in_own_thread(lambda: connects(host))] == [Refused]
    assert isinstance(now.taken(), Refused)
    assert not now.refused_in_threads


def test_a_thread_that_outlives_its_guard_stays_guarded() -> None:
    ended, raised = threading.Event(), list[BaseException]()

    def late() -> None:
        ended.wait()
        for _ in range(2):
            with pytest.raises(ConnectionRefusedError) as refused:
                connects(ELSEWHERE)
            raised.append(refused.value)

    with guarded(guard()):
        thread = threading.Thread(target=late)
        thread.start()
    ended.set()
    thread.join()
    assert len(raised) == 2
