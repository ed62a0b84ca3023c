"""Connections, through the proxy that the environment names or directly."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import anthropic
import pytest

from longctx.live.asking import Asked, ask_all
from longctx.live.bounds import Bounds
from longctx.live.progress import Silent
from longctx.live.server.client import open_client
from longctx.live.server.network import Network
from longctx.recording.case import Question
from longctx.recording.missing import missing
from longctx.recording.tape import Tape
from tests.recording.examples import line_case, send, wanted
from tests.refusals import refused
from tests.servers import ForwardProxy, SimulatedServer

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
    """Return the answer to the first trial of a case, from a server on 127.0.0.1."""

    async def run(url: str) -> str:
        question = Question(line_case(), 0)
        answer = await send(open_client(Tape(tape, "once"), url, 4), question)
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
    assert Tape(tmp_path).status(wanted(line_case())) == "found"


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


@pytest.fixture
def elsewhere() -> Iterator[SimulatedServer]:
    with SimulatedServer() as server:
        yield server


@pytest.fixture
def redirecting(elsewhere: SimulatedServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimulatedServer]:
    """The server redirects every request to another host, which would receive the key."""
    with SimulatedServer() as server:
        location = elsewhere.url.replace("127.0.0.1", "localhost")
        monkeypatch.setattr(server, "answer", lambda request: (307, {"location": f"{location}{request.path}"}, b"{}"))
        yield server


def test_a_question_follows_no_redirection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, redirecting: SimulatedServer, elsewhere: SimulatedServer
) -> None:
    monkeypatch.setattr("longctx.live.limiter.retry.FIRST_PAUSE_S", 0.001)

    async def run() -> Asked:
        tape = Tape(tmp_path, "once")
        async with open_client(tape, redirecting.url, 1) as client:
            return await ask_all(client, tape, missing(tape, [line_case(trials=1)]), Bounds.of(1), Silent())

    asked = asyncio.run(run())
    assert not elsewhere.received
    assert asked.stopped is not None
    assert asked.stopped.message.endswith("Give --ctx-base-url the address that it redirects to.")


@pytest.mark.parametrize("through_tape", [True, False])
def test_what_is_no_question_follows_none_either(
    tmp_path: Path, redirecting: SimulatedServer, elsewhere: SimulatedServer, through_tape: bool
) -> None:
    async def run() -> None:
        tape = Tape(tmp_path, "once") if through_tape else None
        async with open_client(tape, redirecting.url, 1) as client:
            await client.messages.count_tokens(model="toy", messages=[{"role": "user", "content": "?"}])

    with pytest.raises(anthropic.APIStatusError) as caught:
        asyncio.run(run())
    assert caught.value.status_code == 307
    assert not elsewhere.received


def test_certificates_are_those_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with refused("bad-certificates", "No such file"):
        Network(4)
