"""Connections, through the proxy that the environment names or directly."""

from __future__ import annotations

import asyncio
import functools
import gzip
import itertools
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import anthropic
import httpx2
import pytest

from longctx import clocks
from longctx.cells.cell import Trial
from longctx.config.models import ModelProfile
from longctx.live.batches.service import Service
from longctx.live.server.calls import ENQUIRY_ERRORS
from longctx.live.server.client import Client, open_client
from longctx.live.server.counting import ask_token_count, described_by_server
from longctx.live.server.explaining import explain
from longctx.live.server.network import Network
from longctx.recording.answer_body import MalformedAnswer
from longctx.recording.apis.messages import read
from longctx.recording.missing import missing
from longctx.recording.tape import Tape
from tests.given import served
from tests.live.clients import asking, called
from tests.recording.examples import line_cell, place, send
from tests.refusals import refused
from tests.servers import Answer, ForwardProxy, SimulatedServer

VARIABLES = "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, *map(str.lower, VARIABLES)):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def proxy() -> Iterator[ForwardProxy]:
    with ForwardProxy() as proxy:
        yield proxy


def ask(tape: Path) -> str:
    """Return the answer to the first trial of a cell, from a server on 127.0.0.1."""

    async def run(url: str) -> str:
        trial = Trial(line_cell(), 0)
        answer = await send(open_client(Tape(tape, "once"), url, 4), trial)
        return str(answer.content[0].text)

    with SimulatedServer() as server:
        return asyncio.run(run(server.url))


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: ForwardProxy, variable: str
) -> None:
    monkeypatch.setenv(variable, proxy.url)
    assert ask(tmp_path).isdigit()
    assert [line.split()[0] for line in proxy.passed] == ["POST"]
    assert "/v1/messages" in proxy.passed[0]
    assert Tape(tmp_path).status(place(line_cell())) == "found"


@pytest.mark.parametrize("exempt", ["127.0.0.1", "*"])
def test_no_proxy_is_honoured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: ForwardProxy, exempt: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    monkeypatch.setenv("NO_PROXY", exempt)
    assert ask(tmp_path).isdigit()
    assert not proxy.passed


@pytest.mark.parametrize("address", ["ftp://proxy.test:1", "http://proxy.test:port", "socks5://proxy.test:1"])
def test_a_proxy_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", address)
    with refused("bad-proxy"):
        Network(4)


elsewhere = served()


@pytest.fixture
def redirecting(elsewhere: SimulatedServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimulatedServer]:
    """The server redirects every request to another host, which would receive the key."""
    with SimulatedServer() as server:
        location = elsewhere.url.replace("127.0.0.1", "localhost")
        monkeypatch.setattr(server, "answer", lambda request: (307, {"location": f"{location}{request.path}"}, b"{}"))
        yield server


def test_a_question_follows_no_redirection(
    tmp_path: Path, without_delay: None, redirecting: SimulatedServer, elsewhere: SimulatedServer
) -> None:
    tape = Tape(tmp_path, "once")
    asked = asyncio.run(asking(redirecting.url, tape, missing(tape, [line_cell(trials=1)])))
    assert not elsewhere.received
    assert asked.stopped is not None
    assert asked.stopped.message.endswith("Set --ctx-base-url to the address that it redirects to.")


@pytest.mark.parametrize("through_tape", [True, False])
def test_what_is_no_question_follows_none_either(
    tmp_path: Path, redirecting: SimulatedServer, elsewhere: SimulatedServer, through_tape: bool
) -> None:
    tape = Tape(tmp_path, "once") if through_tape else None
    counted = {"model": "toy", "messages": [{"role": "user", "content": "?"}]}
    with pytest.raises(anthropic.APIStatusError) as caught:
        called(redirecting.url, lambda client: client.messages.count_tokens(**counted), tape)
    assert caught.value.status_code == 307
    assert not elsewhere.received


def test_certificates_are_those_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with refused("bad-certificates", "No such file"):
        Network(4)


OTHERS = ("/v1/chat/completions", "/openai/v1/responses", "/v1beta/models/toy:generateContent")
MOST = {("results", 200): "32"} | {(asked, status): "32" for asked in ("message", *OTHERS) for status in (200, 500)}
"""The most megabytes of an answer, by what is asked and the status, where it is not 4."""
BOMB = 100_000_000


def told(answer: Answer, ask: Callable[[Client], Awaitable[object]]) -> str:
    """Return the sentence on a server that answers everything in this way; check how much memory it takes."""

    async def run(client: Client) -> str:
        try:
            await ask(client.with_options(max_retries=0))
        except ENQUIRY_ERRORS as error:
            return explain(error, client.base_url).message
        raise AssertionError("it was taken for an answer")

    with SimulatedServer() as server:
        server.answer = lambda request: answer  # type: ignore[method-assign]
        tracemalloc.start()
        try:
            sentence = called(server.url, run)
            assert tracemalloc.get_traced_memory()[1] < BOMB, "it was read to its end"
            return sentence
        finally:
            tracemalloc.stop()


def trial(client: Client) -> Awaitable[object]:
    return client.messages.with_raw_response.create(model="toy", max_tokens=1, messages=[])


def posted(path: str, client: Client) -> Awaitable[object]:
    return client.post(path, body={}, cast_to=httpx2.Response)


MODEL = ModelProfile.model_validate({"model": "toy"})
ENQUIRIES: dict[str, Callable[[Client], Awaitable[object]]] = {
    "message": trial,
    "count_tokens": lambda client: ask_token_count(client, MODEL, "text"),
    "model": lambda client: described_by_server(client, MODEL),
    "list of batches": lambda client: Service(client).since(clocks.now()),
    "creation of a batch": lambda client: Service(client).create([], {}),
    "state of a batch": lambda client: Service(client).retrieve("id"),
    "results": lambda client: Service(client).results("id", 1, lambda result: None),
}
OF_OTHER_APIS = {path: functools.partial(posted, path) for path in OTHERS}


@pytest.fixture(scope="module")
def zipped() -> bytes:
    return gzip.compress(b" " * BOMB)


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("enquiry", [*ENQUIRIES, *OF_OTHER_APIS])
def test_no_answer_is_read_further_than_any_goes(enquiry: str, status: int, zipped: bytes) -> None:
    """docs/security.md, server-size"""
    sentence = told((status, {"content-encoding": "gzip"}, zipped), (ENQUIRIES | OF_OTHER_APIS)[enquiry])
    assert f"larger than {MOST.get((enquiry, status), '4')},000,000 bytes; it begins with b'   " in sentence


@pytest.mark.parametrize("enquiry", ENQUIRIES)
def test_an_answer_that_is_compressed_twice_is_not_read(enquiry: str, zipped: bytes) -> None:
    """docs/security.md, server-size"""
    sentence = told((200, {"content-encoding": "gzip, gzip"}, gzip.compress(zipped)), ENQUIRIES[enquiry])
    assert "the server's answer is compressed as 'gzip, gzip', though gzip was requested" in sentence


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("depth", [500, 900, 100_000])
@pytest.mark.parametrize("enquiry", [name for name in ENQUIRIES if name != "results"])
def test_json_of_any_depth_is_a_sentence(enquiry: str, depth: int, status: int) -> None:
    """docs/security.md, server-depth"""
    deep = b"[" * depth + b"]" * depth
    body = (
        b'{"error": ' + deep + b', "input_tokens": ' + deep + b', "data": ' + deep + b', "max_tokens": ' + deep + b"}"
    )
    if (enquiry, status) == ("message", 200):
        with pytest.raises(MalformedAnswer):
            read(body)
    elif enquiry != "model":  # of which nothing need be told
        assert told((status, {}, body), ENQUIRIES[enquiry])


@pytest.mark.parametrize(("beyond", "connections"), [(0.0, 1), (0.5, 4), (1.0, 4)])
def test_bytes_beyond_an_answer_answer_nothing(beyond: float, connections: int) -> None:
    """The server sends another answer, or half of it, with the first on each connection, which is not used again."""
    numbers, opened = itertools.count(1), []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(writer)
        for first in itertools.chain([True], itertools.repeat(False)):
            try:
                await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:
                break
            said = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n%02d" % next(numbers)
            more = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n99"
            writer.write(said + more[: int(beyond * len(more))] if first else said)
        writer.close()

    async def run() -> list[str]:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            async with httpx2.AsyncClient(transport=Network(1)) as client:
                return [(await client.get(url)).text for _ in range(4)]

    assert (asyncio.run(run()), len(opened)) == (["01", "02", "03", "04"], connections)
