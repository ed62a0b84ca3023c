"""The transport: what it replays, what it records, and what it passes to the network."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.cells.cell import Trial
from longctx.recording.answer_body import MalformedAnswer
from longctx.recording.tape import PLACE, Tape
from longctx.recording.transport import NotOnTape, TapeTransport
from tests.recording.examples import AT, answer, client_of, line_cell, network, place, recorded, replying, send
from tests.servers import failing, message

CELL = line_cell()
QUESTION = Trial(CELL, 0)
ONE = place(CELL, 0)
TYPICAL_HEADERS = {
    "content-type": "application/json",
    "request-id": "req_011CVu7WMUKp4yDDUhGNFB2w",
    "anthropic-organization-id": "5f1a9f1c-secret-organization",
    "anthropic-ratelimit-tokens-remaining": "4000000",
    "set-cookie": "_cfuvid=secret-cookie; path=/; domain=.secret-host.test",
    "cf-ray": "9a1b2c3d4e5f-FRA",
    "server": "cloudflare",
}


def ask(transport: httpx2.AsyncBaseTransport, trial: Trial = QUESTION, **changed: Any) -> anthropic.types.Message:
    return asyncio.run(send(client_of(transport), trial, **changed))


def handle(transport: TapeTransport, request: httpx2.Request) -> httpx2.Response:
    async def handled() -> httpx2.Response:
        PLACE.set(ONE)
        return await transport.handle_async_request(request)

    return asyncio.run(handled())


@pytest.mark.parametrize("path", ["/v1/messages/count_tokens", "/v1/models/toy", "/v1/messages/batches"])
def test_other_paths_reach_the_network_only_where_there_is_one(tmp_path: Path, path: str) -> None:
    request = httpx2.Request("POST", f"https://secret-host.test{path}", json={"any": "body"})
    with pytest.raises(NotOnTape, match=f"no request may be sent, and there is no recorded answer to POST {path}"):
        handle(TapeTransport(Tape(tmp_path)), request)
    assert handle(TapeTransport(Tape(tmp_path), replying(b"{}")), request).content == b"{}"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mode", ["none", "once", "new_episodes", "all"])
def test_without_a_network_a_question_that_is_not_on_the_tape_raises(tmp_path: Path, mode: str) -> None:
    with pytest.raises(anthropic.APIConnectionError) as caught:
        ask(TapeTransport(Tape(tmp_path, mode)))
    assert isinstance(caught.value.__cause__, NotOnTape)
    assert not list(tmp_path.iterdir())


def test_a_body_that_is_not_the_trials_own_raises(tmp_path: Path) -> None:
    """Otherwise an answer would be kept under the name of another question."""
    reached: list[httpx2.Request] = []
    recorded(tmp_path, CELL)
    transport = TapeTransport(Tape(tmp_path, "all"), network(lambda request: reached.append(request)))
    with pytest.raises(anthropic.APIConnectionError) as caught:
        ask(transport, max_tokens=99)
    assert isinstance(caught.value.__cause__, AssertionError)
    assert not reached


def test_what_the_network_answers_is_recorded_and_then_played(tmp_path: Path) -> None:
    asked = ask(TapeTransport(Tape(tmp_path, "once"), replying(message("42"))))
    played = ask(TapeTransport(Tape(tmp_path, "none")))
    assert asked == played
    assert played.content[0].text == "42"


def test_mode_all_asks_what_is_on_the_tape(tmp_path: Path) -> None:
    recorded(tmp_path, CELL, "old")
    assert ask(TapeTransport(Tape(tmp_path, "once"), replying(message("new")))).content[0].text == "old"
    assert ask(TapeTransport(Tape(tmp_path, "all"), replying(message("new")))).content[0].text == "new"


def test_a_compressed_answer_is_recorded_as_it_reads(tmp_path: Path) -> None:
    inner = replying(gzip.compress(message("42")), **{"content-encoding": "gzip", "content-type": "application/json"})
    assert ask(TapeTransport(Tape(tmp_path, "once"), inner)).content[0].text == "42"
    assert '\\"42\\"' in (tmp_path / CELL.file).read_text()
    assert ask(TapeTransport(Tape(tmp_path))).content[0].text == "42"


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 529])
def test_an_error_is_passed_on_and_not_recorded(tmp_path: Path, status: int) -> None:
    body = failing(status, "busy")({})[2]
    inner = network(lambda request: httpx2.Response(status, headers={"retry-after": "7", "x-b": "c"}, content=body))
    with pytest.raises(anthropic.APIStatusError) as caught:
        ask(TapeTransport(Tape(tmp_path, "once"), inner))
    assert caught.value.status_code == status
    assert caught.value.response.headers["retry-after"] == "7"
    assert "busy" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_message_that_comes_as_an_error_is_not_recorded(tmp_path: Path) -> None:
    inner = network(lambda request: httpx2.Response(529, content=message("42")))
    with pytest.raises(anthropic.APIStatusError):
        ask(TapeTransport(Tape(tmp_path, "once"), inner))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"", b"<html>busy</html>", b"{}", b"[]"])
def test_an_answer_that_is_no_message_is_not_recorded(tmp_path: Path, content: bytes) -> None:
    request = httpx2.Request("POST", "https://h.test/v1/messages", json=json.loads(sent_body()))
    response = handle(TapeTransport(Tape(tmp_path, "once"), replying(content)), request)
    assert (response.status_code, response.content) == (200, content)
    assert not list(tmp_path.iterdir())


class Endless(httpx2.AsyncByteStream):
    """An endless body in chunks of a megabyte. read: the number of megabytes given so far."""

    read = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.read < 100:
            self.read += 1
            yield b"x" * 1_000_000
        raise AssertionError("nobody would have stopped reading")


def test_an_answer_that_does_not_end_is_read_no_further_than_any_answer_goes(tmp_path: Path) -> None:
    stream = Endless()
    inner = network(lambda request: httpx2.Response(200, stream=stream))
    with pytest.raises(anthropic.APIConnectionError) as caught:
        ask(TapeTransport(Tape(tmp_path, "once"), inner))
    assert isinstance(caught.value.__cause__, MalformedAnswer)
    assert "larger than 32,000,000 bytes; it begins with b'xxx" in str(caught.value.__cause__)
    assert stream.read == 33
    assert not list(tmp_path.iterdir())


def test_the_longest_answer_there_is_is_recorded(tmp_path: Path) -> None:
    """The reply has a million tokens, eight times the longest of most models, and three bytes a character, escaped."""
    text = "\u4e16" * 1_000_000
    assert ask(TapeTransport(Tape(tmp_path, "once"), replying(message(text)))).content[0].text == text
    assert ask(TapeTransport(Tape(tmp_path))).content[0].text == text


def sent_body() -> bytes:
    sent: list[bytes] = []

    def server(request: httpx2.Request) -> httpx2.Response:
        sent.append(request.content)
        return httpx2.Response(200, content=message("42"))

    ask(network(server))
    return sent[0]


def test_a_base_url_may_have_a_path(tmp_path: Path) -> None:
    recorded(tmp_path, CELL)
    request = httpx2.Request("POST", "https://h.test/proxy/anthropic/v1/messages", json=json.loads(sent_body()))
    assert handle(TapeTransport(Tape(tmp_path)), request).content == message("42")


def test_nothing_private_is_recorded(tmp_path: Path) -> None:
    """An allow-list of the answer's headers is kept, and neither host, key nor body of the request."""
    ask(TapeTransport(Tape(tmp_path, "once"), replying(message("42"), **TYPICAL_HEADERS)))
    text = (tmp_path / CELL.file).read_text()
    assert "secret" not in text
    assert "REGISTER_CONTENT" not in text
    [interaction] = json.loads(text)["interactions"]
    assert interaction["request"]["headers"] == {}
    assert sorted(interaction["response"]["headers"]) == ["content-type", "request-id"]


def test_an_episode_of_a_long_prompt_is_small(tmp_path: Path) -> None:
    """6,500 lines are 97k tokens and about 250 KB. The answer is as long as those of the real API."""
    trial = Trial(line_cell(6500, 10, trials=50), 49)
    usage = {
        "input_tokens": 96_661,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 10,
        "service_tier": "standard",
        "server_tool_use": None,
    }
    body = message("line 5: REGISTER_CONTENT is <6727>", usage=usage, id="msg_01XFDUDYJgAACzvnptvVoYEL")
    ask(TapeTransport(Tape(tmp_path, "once", "2026-11-21T23-55-13"), replying(body, **TYPICAL_HEADERS)), trial)
    assert len(trial.build().user) > 230_000
    assert (tmp_path / trial.cell.file).stat().st_size <= 1500


blocks = st.lists(
    st.builds(lambda text: {"type": "text", "text": text}, st.text(st.characters(exclude_categories=["Cs"])))
    | st.just({"type": "thinking", "thinking": "line 3", "signature": "s"}),
    max_size=3,
)
counts = st.none() | st.integers(0, 10**6)


@given(blocks, st.integers(0, 10**6), counts, counts, st.sampled_from(["end_turn", "max_tokens", "refusal", None]))
def test_the_tapes_reply_is_what_the_sdk_would_have_read(
    tmp_path_factory: pytest.TempPathFactory,
    content: list[dict[str, str]],
    tokens: int,
    cached: int | None,
    written: int | None,
    stop_reason: str | None,
) -> None:
    """A replay may read the tape without the SDK because of this."""
    usage = {"input_tokens": tokens, "output_tokens": tokens // 2}
    usage |= {"cache_read_input_tokens": cached, "cache_creation_input_tokens": written}
    body = message("", content=content, usage=usage, stop_reason=stop_reason, model="toy-2026")
    tape = Tape(tmp_path_factory.mktemp("tape"), "all")
    tape.record(ONE, answer(body), AT, 0.5)
    tape.record_mode = "none"
    by_sdk, by_tape = ask(TapeTransport(tape)), tape.reply(ONE)
    assert by_tape is not None
    assert by_tape.text == "".join(block.text for block in by_sdk.content if block.type == "text")
    assert (by_tape.model, by_tape.stop_reason) == (by_sdk.model, by_sdk.stop_reason)
    assert by_tape.cached_tokens == by_sdk.usage.cache_read_input_tokens
    assert by_tape.output_tokens == by_sdk.usage.output_tokens
    assert by_tape.input_tokens == by_sdk.usage.input_tokens + (by_tape.cached_tokens or 0) + (
        by_sdk.usage.cache_creation_input_tokens or 0
    )
