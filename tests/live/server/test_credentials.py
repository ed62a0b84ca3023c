"""Credentials: whatever a server repeats of them is redacted before anything else reads it."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import anthropic
import httpx2
import pytest

from longctx.live.failure import SendResult
from longctx.live.server.client import open_client
from longctx.live.server.credentials import Credentials
from longctx.live.server.explaining import explain
from longctx.recording.missing import missing
from longctx.recording.tape import Tape
from tests.batch_server import BatchServer, errored
from tests.live.batches.examples import run
from tests.live.clients import asking
from tests.recording.examples import line_cell
from tests.servers import Answer, Received, SimulatedServer, message

KEY = 'sk-ant-"se/cret+key=='
PASSWORD = "pass/word-of-the-gateway"
HEADER = "internal-team-42"
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "percent-encoded": lambda secret: quote(secret, safe=""),
    "in JSON": lambda secret: json.dumps(secret)[1:-1],
    "in JSON with escaped slashes": lambda secret: json.dumps(secret)[1:-1].replace("/", "\\/"),
}


def of(**headers: str) -> Credentials:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Credentials.of(httpx2.Request("POST", "http://h.test/v1/messages", headers=named))


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_key_in_any_spelling(spelling: str) -> None:
    said = f"bad key {SPELLINGS[spelling](KEY)}!"
    assert of(x_api_key=KEY).redacted(said) == "bad key [redacted]!"


@pytest.mark.parametrize(
    ("header", "value", "secret"),
    [
        ("authorization", "Bearer a-long-token", "a-long-token"),
        ("authorization", f"Basic {base64.b64encode(b'someone:a-long-password').decode()}", "a-long-password"),
        ("authorization", "AWS4-HMAC-SHA256 Credential=AKIA/x, SignedHeaders=a, Signature=0123456789", "0123456789"),
        ("x-amz-security-token", "a-session-token", "a-session-token"),
        ("api-key", "key-of-foundry", "key-of-foundry"),
        ("cookie", "session=a-long-session", "a-long-session"),
        ("x-gateway-secret", "a-long-secret", "a-long-secret"),
        ("cf-aig-authorization", "Bearer a-long-token", "a-long-token"),
    ],
)
def test_each_header_with_a_credential(header: str, value: str, secret: str) -> None:
    credentials = of(**{header: value})
    assert credentials.redacted(f"not valid: {secret}") == "not valid: [redacted]"
    assert credentials.in_replies().redacted(secret) == "[redacted]"


def test_other_headers_of_the_user_are_redacted_in_errors_and_not_in_replies() -> None:
    credentials = of(x_provider="anthropic", anthropic_beta="context-1m-2025-08-07", user_agent="longctx-test")
    assert credentials.redacted("anthropic refuses context-1m-2025-08-07 of longctx-test") == (
        "[redacted] refuses context-1m-2025-08-07 of longctx-test"
    )
    assert credentials.in_replies().redacted("anthropic") == "anthropic"


def test_a_short_key_is_no_secret() -> None:
    """Such as the keys that servers without any accept; a reply may well hold them."""
    assert of(x_api_key="ollama").redacted("ollama is not running") == "ollama is not running"


def repeating(status: int, body: Callable[[str], bytes]) -> Callable[[Received], Answer]:
    """Return what makes a server answer with all that it was sent, also in a header."""

    def answer(request: Received) -> Answer:
        scheme, _, sent = request.headers["authorization"].partition(" ")
        sent = base64.b64decode(sent).decode().replace(":", " ") if scheme == "Basic" else f"{sent} {scheme}"
        return status, {"request-id": request.headers["x-team"]}, body(f"{sent} {request.headers['x-team']}")

    return answer


def error_of(sent: str) -> bytes:
    return json.dumps({"type": "error", "error": {"type": "x", "message": f"bad key: {sent}"}}).encode()


@pytest.fixture(params=["key", "userinfo"])
def named(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Set credentials, and return what adds those of a URL, which the SDK sends in place of a key."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", f"x-team: {HEADER}")
    userinfo = f"gateway-user:{quote(PASSWORD, safe='')}@" if request.param == "userinfo" else ""
    return lambda url: url.replace("//", f"//{userinfo}")


REPEATED = ("[redacted] Bearer", "[redacted] [redacted]")
"""What is left of a key, and of a URL's userinfo."""


def asked(tape: Tape, url: str) -> SendResult:
    return asyncio.run(asking(url, tape, missing(tape, [line_cell(trials=1, transport_headers=["x-team"])])))


SECRETS = KEY, json.dumps(KEY)[1:-1], PASSWORD, "gateway-user", quote(PASSWORD, safe="")


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_an_error_that_repeats_them(tmp_path: Path, named: Callable[[str], str], status: int) -> None:
    """docs/security.md, server-credentials"""
    with SimulatedServer() as server:
        server.answer = repeating(status, error_of)  # type: ignore[method-assign]
        [failure] = asked(Tape(tmp_path, "once"), named(server.url)).failures.values()
    assert any(f"answered {status}: bad key: {left} [redacted]." in failure.message for left in REPEATED)
    assert failure.message.startswith(f"{server.url} answered"), "the URL is shown without its password"


@pytest.mark.parametrize("body", [lambda sent: f"<html>{sent}".encode(), lambda sent: sent.encode()])
def test_an_answer_that_is_no_message_and_repeats_them(
    tmp_path: Path, named: Callable[[str], str], without_delay: None, body: Callable[[str], bytes]
) -> None:
    """docs/security.md, server-credentials"""
    with SimulatedServer() as server:
        server.answer = repeating(200, body)  # type: ignore[method-assign]
        [failure] = asked(Tape(tmp_path, "once"), named(server.url)).failures.values()
    assert any(left in failure.message for left in REPEATED)
    assert not any(secret in failure.message for secret in SECRETS)


def test_a_reply_that_repeats_them_is_recorded_without(tmp_path: Path, named: Callable[[str], str]) -> None:
    """docs/security.md, server-credentials"""
    with SimulatedServer() as server:
        server.answer = repeating(200, message)  # type: ignore[method-assign]
        assert asked(Tape(tmp_path, "once"), named(server.url)).answered == 1
    [path] = tmp_path.rglob("*.jsonl")
    kept = path.read_text()
    assert any(f"{left} {HEADER}" in kept for left in REPEATED)
    assert not any(secret in kept for secret in SECRETS)


def test_a_status_line_that_repeats_them(named: Callable[[str], str]) -> None:
    """docs/security.md, server-credentials"""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"{KEY} {PASSWORD}\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    async def ask() -> str:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server, open_client(None, named(url), 1) as client:
            with pytest.raises(anthropic.APIConnectionError) as caught:
                await client.with_options(max_retries=0).messages.count_tokens(model="toy", messages=[])
            return explain(caught.value, client.base_url).message

    told = asyncio.run(ask())
    assert "illegal status line" in told
    assert "[redacted]" in told
    sent = KEY if "@" not in named("//") else PASSWORD
    assert sent not in told


def test_a_result_of_a_batch_that_repeats_them(tmp_path: Path, named: Callable[[str], str]) -> None:
    """docs/security.md, server-credentials"""
    with BatchServer() as server:
        sent = KEY if "@" not in named("//") else PASSWORD
        server.result = errored("invalid_request_error", f"bad: {sent} {HEADER}")
        ran = run(server, tmp_path, [line_cell(trials=1)], base_url=named(server.url))
    [failure] = ran.asked.failures.values()
    assert "bad: [redacted] [redacted]." in failure.message


@pytest.mark.parametrize("named", ["userinfo"], indirect=True)
def test_the_userinfo_of_a_url_is_sent_and_shown_nowhere(tmp_path: Path, named: Callable[[str], str]) -> None:
    with BatchServer() as server:
        server.looks = 9
        ran = run(server, tmp_path, [line_cell(trials=1)], base_url=named(server.url), wait_s=0)
        sent = server.received[-1].headers["authorization"]
    assert base64.b64decode(sent.split()[1]).decode() == f"gateway-user:{PASSWORD}"
    [ledger] = tmp_path.rglob("batches/*.json")
    for text in (ledger.read_text(), *ran.said, *(failure.message for failure in ran.asked.failures.values())):
        assert not any(secret in text for secret in SECRETS)
