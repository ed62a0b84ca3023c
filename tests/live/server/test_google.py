"""A server of Gemini's API: which key goes where, counts, windows, and what its errors mean."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from longctx.config.models import ModelProfile
from longctx.live.rate_limits import retry_info_s
from longctx.live.server.client import open_client, provider_of
from longctx.live.server.counting import ask_token_count, described_by_server, with_counted_tokens
from longctx.live.server.explaining import explain
from tests.recording.examples import line_cell, requests_of
from tests.refusals import refused

pytest.importorskip("google.genai")

from tests.gemini_server import GeminiServer, refusal

TOO_LONG = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "LONGCTX_TRUSTED_HOSTS", "MINE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-anthropic")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-gateway-token: hidden-credential")
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeminiServer]:
    monkeypatch.setenv("MINE_API_KEY", GeminiServer.key)
    with GeminiServer(window=1000) as serving:
        yield serving


MINE = {"key": "MINE_API_KEY", "base_url": "http://127.0.0.1"}


def model(**given: Any) -> ModelProfile:
    return ModelProfile.model_validate({"model": "toy", "api": "gemini", **given})


def opened(of: ModelProfile, base_url: str | None = None) -> Any:
    return open_client(None, base_url, 1, provider_of(of), [of])


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"GEMINI_API_KEY": "AIza-gemini"}, "AIza-gemini"),
        ({"GOOGLE_API_KEY": "AIza-google"}, "AIza-google"),
        ({"GEMINI_API_KEY": "AIza-gemini", "GOOGLE_API_KEY": "AIza-google"}, "AIza-google"),
    ],
)
def test_the_key_goes_to_google_as_the_sdk_finds_it(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], sent: str
) -> None:
    """docs/security.md, other-key"""
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    client = opened(model())
    assert str(client.base_url) == "https://generativelanguage.googleapis.com/v1/"
    assert client.auth_headers == {"x-goog-api-key": sent}
    headers = str(client.default_headers)
    assert not [secret for secret in ("sk-anthropic", "sk-openai", "hidden-credential") if secret in headers]


def test_a_profile_may_choose_the_key_and_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-gemini")
    monkeypatch.setenv("GOOGLE_API_KEY", "AIza-google")
    url = "https://generativelanguage.googleapis.com/v1beta"
    client = opened(model(key="GEMINI_API_KEY", base_url=url))
    assert (str(client.base_url), client.api_key) == (f"{url}/", "AIza-gemini")


def test_another_server_gets_no_key_that_its_profile_does_not_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/security.md, other-key"""
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-gemini")
    assert opened(model(), "http://gateway.test").api_key == "not-needed"
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://gateway.test/v1beta")
    assert opened(model()).api_key == "not-needed"


def test_a_server_that_only_a_profile_names_is_sent_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/security.md, profile-server"""
    monkeypatch.setenv("MINE_API_KEY", "AIza-mine")
    mine = model(base_url="http://stranger.test", key="MINE_API_KEY")
    with refused("server-not-confirmed"):
        opened(mine)
    monkeypatch.setenv("LONGCTX_TRUSTED_HOSTS", "stranger.test")
    assert opened(mine).api_key == "AIza-mine"


def test_what_is_missing_or_contradicts_is_said() -> None:
    with refused("no-api-key", "GEMINI_API_KEY"):
        opened(model())
    with refused("key-of-another-server", "Google"):
        opened(model(base_url="https://generativelanguage.googleapis.com", key="MINE_API_KEY"))


async def _with(server: GeminiServer, of: ModelProfile, ask: Any) -> Any:
    async with opened(of, server.url) as client:
        return await ask(client)


def test_the_server_counts_all_that_a_request_holds_and_tells_its_window(server: GeminiServer) -> None:
    of = model(**MINE, system="Be brief.")
    [tokens] = {asyncio.run(_with(server, of, lambda client: ask_token_count(client, of, "one two", "three")))}
    assert tokens == 2
    asked = server.received[-1].body["generateContentRequest"]
    assert asked["systemInstruction"] == {"parts": [{"text": "Be brief.\n\nthree"}]}
    assert asked["model"] == "models/toy"
    assert asyncio.run(_with(server, of, lambda client: described_by_server(client, of))) == {"window": 1000}
    cell = line_cell(api="gemini", **MINE)
    trials = requests_of(cell)
    [first, *_] = asyncio.run(_with(server, cell.model, lambda client: with_counted_tokens(client, trials, print)))
    assert first.cell.counted is not None
    assert {request.path for request in server.received} == {"/v1/models/toy:countTokens", "/v1/models/toy"}


async def _failure(server: GeminiServer, of: ModelProfile) -> Any:
    async with opened(of, server.url) as client:
        try:
            once = client.with_options(max_retries=0)
            return await once.post("/models/toy:generateContent", body={"contents": []}, cast_to=httpx2.Response)
        except Exception as error:
            return explain(error, client.base_url, "a cell")


@pytest.mark.parametrize(
    ("answer", "cause", "fatal"),
    [
        (refusal(400, "INVALID_ARGUMENT", TOO_LONG), "context_too_long", False),
        (refusal(400, "INVALID_ARGUMENT", "Unknown name"), "refused_request", False),
        (refusal(403, "PERMISSION_DENIED", "no"), "bad_key", True),
        (refusal(404, "NOT_FOUND", "models/toy is not found"), "no_such_model", True),
        (refusal(429, "RESOURCE_EXHAUSTED", "quota"), "rate_limit", False),
        (refusal(503, "UNAVAILABLE", "The model is overloaded."), "server_error", False),
        (refusal(504, "DEADLINE_EXCEEDED", "late"), "timeout", False),
    ],
)
def test_errors_mean_what_they_mean_elsewhere(server: GeminiServer, answer: Any, cause: str, fatal: bool) -> None:
    server.script = lambda body: answer
    failure = asyncio.run(_failure(server, model(**MINE)))
    assert (failure.cause, failure.fatal) == (cause, fatal)


def test_a_wrong_key_ends_the_run(server: GeminiServer) -> None:
    failure = asyncio.run(_failure(server, model()))
    assert (failure.cause, failure.fatal) == ("bad_key", True)
    assert "API key not valid" in failure.message


@pytest.mark.parametrize(
    ("delay", "seconds"), [("34s", 34.0), ("1.5s", 1.5), ("99999s", 99999.0), ("-1s", 0.0), ("soon", None), (3, None)]
)
def test_the_wait_that_an_error_asks_for(delay: object, seconds: float | None) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.Help"}, "strange", {"retryDelay": delay}]
    assert retry_info_s({"error": {"details": details}}) == seconds


@pytest.mark.parametrize("body", [None, "busy", [], {}, {"error": "busy"}, {"error": {"details": {}}}])
def test_an_error_without_a_wait(body: object) -> None:
    assert retry_info_s(body) is None
