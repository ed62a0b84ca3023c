"""The client of a server with an OpenAI API: which key goes to which server, and nothing else with it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from longctx.config.models import ModelProfile
from longctx.live.server.client import open_client, open_clients, provider_of
from tests.refusals import refused


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LONGCTX_TRUSTED_HOSTS", "MINE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-anthropic")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://anthropic.test")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-gateway-token: hidden-credential")
    monkeypatch.setenv("HOME", str(tmp_path))


def model(**given: Any) -> ModelProfile:
    return ModelProfile.model_validate({"model": "toy", "api": "openai-chat", **given})


def opened(*models: ModelProfile, base_url: str | None = None) -> Any:
    return open_client(None, base_url, 1, provider_of(models[0]), models)


def test_the_key_of_openai_goes_to_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/security.md, other-key"""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    client = opened(model())
    assert (client.base_url.host, client.api_key) == ("api.openai.com", "sk-openai")


def test_a_server_that_the_person_names_gets_no_key_that_its_profile_does_not_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """docs/security.md, other-key"""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("MINE_API_KEY", "sk-mine")
    assert opened(model(), base_url="http://gateway.test/v1").api_key == "not-needed"
    mine = model(base_url="http://gateway.test", key="MINE_API_KEY")
    assert opened(mine, base_url="http://gateway.test").api_key == "sk-mine"


@pytest.mark.parametrize("key", ["", "MINE_API_KEY", "OPENAI_API_KEY"])
def test_a_server_that_only_a_profile_names_is_sent_nothing(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """docs/security.md, profile-server"""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("MINE_API_KEY", "sk-mine")
    with refused("server-not-confirmed"):
        opened(model(base_url="http://stranger.test", key=key))
    monkeypatch.setenv("LONGCTX_TRUSTED_HOSTS", "stranger.test")
    assert opened(model(base_url="http://stranger.test/v1", key=key)).base_url.path == "/"


def test_a_server_on_this_machine_without_a_key_needs_no_confirmation() -> None:
    assert opened(model(base_url="http://127.0.0.1:1/v1")).api_key == "not-needed"
    with refused("server-not-confirmed"):
        opened(model(base_url="http://127.0.0.1:1/v1", key="MINE_API_KEY"))


def test_what_is_missing_or_contradicts_is_said() -> None:
    with refused("no-api-key", "OPENAI_API_KEY"):
        opened(model())
    with refused("key-of-another-server"):
        opened(model(base_url="https://api.openai.com/v1", key="MINE_API_KEY"))


def test_each_model_of_a_run_has_the_client_and_the_key_of_its_own_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/security.md, other-key"""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    models = [model(), model(model="own", base_url="http://127.0.0.1:1/v1"), ModelProfile(model="claude")]

    async def keys() -> dict[str, tuple[str, str | None]]:
        async with open_clients(None, None, 1, models) as clients:
            assert clients.first is clients.of(models[2])
            return {each.model: (clients.of(each).base_url.host, clients.of(each).api_key) for each in models}

    assert asyncio.run(keys()) == {
        "toy": ("api.openai.com", "sk-openai"),
        "own": ("127.0.0.1", "not-needed"),
        "claude": ("anthropic.test", "sk-anthropic"),
    }


def test_a_request_carries_its_own_key_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/security.md, other-key"""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    client = opened(model())
    seen: list[httpx2.Request] = []

    async def asked() -> httpx2.Response:
        def answer(request: httpx2.Request) -> httpx2.Response:
            seen.append(request)
            return httpx2.Response(200, json={})

        client._client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer), base_url=client.base_url)
        found: httpx2.Response = await client.post("/v1/chat/completions", body={"a": 1}, cast_to=httpx2.Response)
        return found

    asyncio.run(asked())
    assert json.loads(seen[0].content) == {"a": 1}
    assert str(seen[0].url) == "https://api.openai.com/v1/chat/completions"
    assert seen[0].headers["authorization"] == "Bearer sk-openai"
    sent = str(seen[0].headers.multi_items()) + str(seen[0].headers.raw)
    assert "hidden-credential" not in sent
    assert "sk-anthropic" not in sent
    assert "anthropic-version" not in seen[0].headers
