"""Every part of a good answer replaced by others: what is recorded can be read again, plain and by the vendor's SDK."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from longctx.recording.apis import api_at, chat, gemini, is_answer, messages, responses, to_answer
from longctx.recording.apis.messages import Receipt
from tests.recording.apis.examples import CALL, body, called, completion, generated, response, said
from tests.servers import message

GONE = object()
VALUES = (None, True, 7, -1, 1.5, "", "x", [], {}, [{}], {"a": 1}, ["x"], GONE)
CITED = {"type": "char_location", "cited_text": "a", "document_index": 0, "start_char_index": 0, "end_char_index": 1}
BLOCKS = [
    {"type": "thinking", "thinking": "Hm", "signature": "s"},
    {"type": "text", "text": "yes", "citations": [CITED]},
    {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}},
]
COUNTS = {
    "input_tokens": 5,
    "output_tokens": 3,
    "cache_read_input_tokens": 1,
    "cache_creation_input_tokens": 2,
    "cache_creation": {"ephemeral_1h_input_tokens": 1},
    "output_tokens_details": {"thinking_tokens": 1},
    "iterations": [{"type": "compaction", "input_tokens": 1, "output_tokens": 1}],
}
LOGPROBS = {"content": [{"token": "yes", "logprob": -0.1, "bytes": [1], "top_logprobs": []}], "refusal": None}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm"}]}
REFUSAL = {**said(""), "id": "msg_2", "content": [{"type": "refusal", "refusal": "No."}]}
FUNCTION_CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "add", "arguments": '{"a": 1}'}


def completed() -> dict[str, Any]:
    answer = completion("yes", "tool_calls", tool_calls=[CALL], refusal="No.", reasoning_content="Hm")
    answer["choices"][0]["logprobs"] = LOGPROBS
    return answer


GOOD: dict[str, dict[str, Any]] = {
    messages.PATH: json.loads(message("", content=BLOCKS, usage=COUNTS, stop_details={"category": "cyber"})),
    chat.PATH: completed(),
    responses.PATH: response(REASONING, said("yes"), REFUSAL, FUNCTION_CALL, incomplete_details=None, error=None),
    gemini.PATH: generated({"text": "Hm", "thought": True}, {"text": "yes"}, called(), promptFeedback={}),
}


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all parts of a JSON value, leaves and what holds them."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield (*above, key)
        yield from places(part, (*above, key))


def replaced(answer: dict[str, Any], place: tuple[Any, ...], value: object) -> dict[str, Any]:
    changed: Any = copy.deepcopy(answer)
    within = changed
    for key in place[:-1]:
        within = within[key]
    if value is GONE:
        del within[place[-1]]
    else:
        within[place[-1]] = value
    return changed  # type: ignore[no-any-return]


class Served:
    """What a server answers next, and the SDK that asks it."""

    def __init__(self, path: str) -> None:
        self.path, self.answer = path, GOOD[path]
        client = httpx2.Client(transport=httpx2.MockTransport(self._respond))
        self.stream: Callable[[], object]
        settings: Any = {"api_key": "none", "base_url": "http://toy", "http_client": client, "max_retries": 0}
        turns: Any = [{"role": "user", "content": "a"}]
        if path == messages.PATH:
            of_anthropic = pytest.importorskip("anthropic").Anthropic(**settings).messages
            self.plain = lambda: of_anthropic.create(model="toy", max_tokens=5, messages=turns)
            self.stream = lambda: self._read(of_anthropic.stream(model="toy", max_tokens=5, messages=turns))
        elif path == gemini.PATH:
            genai = pytest.importorskip("google.genai")
            options = genai.types.HttpOptions(base_url="http://toy", httpx_client=client)
            of_google = genai.Client(api_key="none", http_options=options).models
            self.plain = lambda: of_google.generate_content(model="toy", contents="a")
            self.stream = lambda: [*of_google.generate_content_stream(model="toy", contents="a")]
        else:
            openai = pytest.importorskip("openai").OpenAI(**settings)
            of_openai = openai.chat.completions if path == chat.PATH else openai.responses
            asked = {"model": "toy", "messages" if path == chat.PATH else "input": turns}
            self.plain = lambda: of_openai.create(**asked)
            self.stream = lambda: self._read(of_openai.stream(**asked))
        self.streams = False

    def _read(self, opened: Any) -> object:
        with opened as stream:
            events = [*stream]
            final = getattr(stream, "get_final_message", None) or getattr(stream, "get_final_completion", None)
            return final() if final else events

    def _respond(self, request: httpx2.Request) -> httpx2.Response:
        if not self.streams:
            return httpx2.Response(200, json=self.answer)
        api = api_at(self.path)
        assert api is not None
        events = "".join(api.streamed(self.answer, {"include_usage": True}))
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=events.encode())

    def read(self, answer: dict[str, Any]) -> None:
        """Read an answer by the SDK; streamed, if the SDK takes it from its server as it is."""
        self.answer, self.streams = answer, False
        try:
            self.plain()
        except Exception:
            return
        self.streams = True
        self.stream()


@pytest.fixture(autouse=True)
def without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("path", GOOD)
def test_what_is_recorded_can_be_read(path: str) -> None:
    good, served, api = GOOD[path], Served(path), api_at(path)
    assert api is not None
    assert is_answer(path, body(good))
    taken, tried = 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pydantic, about values of other types
        for place in places(good):
            for value in VALUES:
                answer = replaced(good, place, value)
                tried += 1
                if not is_answer(path, body(answer)):
                    continue
                taken += 1
                try:
                    read = to_answer(path, body(answer), Receipt())
                    assert isinstance(read.text, str)
                    assert isinstance(read.stop_reason, str | None)
                    [*read.tool_uses, *read.citations, read.usage.get("input_tokens")]
                    served.read(answer)
                except Exception as error:
                    pytest.fail(f"{place} as {value!r}: {type(error).__name__}: {error}")
    assert tried > taken > tried / 3


@pytest.mark.parametrize(
    ("path", "place", "value"),
    [
        (gemini.PATH, ("candidates", 0, "content", "parts", 0), {"text": None}),
        (chat.PATH, ("choices", 0, "message", "tool_calls"), [{}]),
        (responses.PATH, ("output",), None),
        (responses.PATH, ("output", 0), {}),
        (responses.PATH, ("output", 3, "call_id"), []),
        (messages.PATH, ("content", 0), {"text": "a"}),
        (messages.PATH, ("content", 2, "input"), json.loads('{"a":' * 101 + "1" + "}" * 101)),
    ],
)
def test_what_could_not_be_read_again_is_not_recorded(path: str, place: tuple[Any, ...], value: object) -> None:
    assert not is_answer(path, body(replaced(GOOD[path], place, value)))
