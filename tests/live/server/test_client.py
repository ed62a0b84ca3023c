"""The SDK client of a live run, and the key that it sends."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from longctx.live.server.client import open_client
from longctx.recording.tape import Tape
from tests.recording.examples import replying
from tests.refusals import refused


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_neither_key_nor_server(tmp_path: Path) -> None:
    with refused("no-api-key"):
        open_client(Tape(tmp_path), None, 4)


def test_a_server_of_ones_own_needs_no_key(tmp_path: Path) -> None:
    assert open_client(Tape(tmp_path), "http://h.test", 4).api_key == "none-needed"


@pytest.mark.parametrize("base_url", [None, "http://h.test"])
def test_a_key_of_the_environment_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base_url: str | None
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-1")
    assert open_client(Tape(tmp_path), base_url, 4).api_key == "sk-1"


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
@pytest.mark.parametrize("key", ["sk-1\r", "sk-1\n", " sk-1", "sk 1"])
def test_a_key_that_no_header_may_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, key: str) -> None:
    monkeypatch.setenv(name, key)
    with refused("bad-api-key") as caught:
        open_client(Tape(tmp_path), None, 4)
    assert "sk" not in str(caught.value)


def test_a_token_of_the_environment_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token")
    client = open_client(Tape(tmp_path), "http://h.test", 4)
    assert (client.api_key, client.auth_token) == (None, "token")


@pytest.mark.parametrize(
    "base_url",
    ["", "h.test", "h.test:8080", "localhost:8080/v1", "ftp://h.test", "http://", "http://h:port", "http://\n"],
)
def test_a_url_that_is_none(tmp_path: Path, base_url: str) -> None:
    with refused("bad-base-url"):
        open_client(Tape(tmp_path), base_url, 4)


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1//", "/v1/messages", "/v1/messages/"])
@pytest.mark.parametrize("typed", [True, False], ids=["typed", "of the environment"])
def test_what_the_client_adds_to_an_address_is_not_there_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, typed: bool
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://h.test/gateway{path}")
    client = open_client(Tape(tmp_path), f"http://h.test/gateway{path}" if typed else None, 4)
    assert str(client.base_url).rstrip("/") == "http://h.test/gateway"


def test_the_client_asks_through_the_tape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests other than questions go to the network that the client opened."""
    monkeypatch.setattr("longctx.live.server.client.Network", lambda in_flight: replying(b'{"input_tokens": 7}'))

    async def count() -> int:
        async with open_client(Tape(tmp_path), "http://h.test", 4) as client:
            messages = [{"role": "user", "content": "?"}]
            return (await client.messages.count_tokens(model="toy", messages=messages)).input_tokens

    assert asyncio.run(count()) == 7
