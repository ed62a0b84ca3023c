"""The way to the network: through the proxy that the environment names, or past it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from longctx.ask.case import Question
from longctx.ask.client import open_client
from longctx.ask.network import Network
from longctx.ask.tape import Tape
from longctx.errors import UserError
from tests.ask.examples import line_case, send, wanted
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
    """The answer to the first trial of a case, from a server of 127.0.0.1."""

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
    with pytest.raises(UserError, match=r"The proxy of HTTPS_PROXY, .* cannot be used: .* Write it like http://"):
        Network(4)


def test_certificates_are_those_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(UserError, match=r"The certificates of SSL_CERT_FILE .* cannot be read: .*No such file"):
        Network(4)
