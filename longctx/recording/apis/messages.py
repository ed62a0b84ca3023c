"""The Anthropic Messages API: what its requests and answers mean, the same for live and for replayed answers.

The other APIs are read by way of it: an answer of theirs is put in the form of its message first.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from longctx.config.models import ModelProfile
from longctx.recording.answer_body import MOST_TOKENS, count, not_read, read_object
from longctx.vocabulary.answer import Answer, CompactionUsage, citations_of
from longctx.vocabulary.reading import split_thinking

NAME = "anthropic"
VENDOR = "anthropic"
PATH = "/v1/messages"
COUNT_PATH = "/v1/messages/count_tokens"
PATHS = PATH, COUNT_PATH
COUNT_FIELD = "input_tokens"
TRANSPORT_ONLY = frozenset(("cache_control", "stream", "metadata"))
"""The parts of a body that affect the price and the transport but not the question."""
COUNTED = frozenset(
    "messages model system thinking tools tool_choice mcp_servers context_management compaction output_config "
    "cache_control speed".split()
)
"""The parts of a body that count_tokens takes; it refuses others, such as max_tokens and temperature."""
MOST_CATEGORY = 40
"""The most characters of a refusal's category that are kept."""


@dataclass(frozen=True, slots=True)
class Edits:
    """The server's report on the context management of a request."""

    reported: bool
    """Whether it reports any: a server that does not know context management ignores it."""
    applied: tuple[str, ...]
    """The types of the edits that it made, such as `compact_20260112`."""
    cleared: int
    """The tokens that clearing took out."""
    input_tokens: int
    """The tokens that the model saw when it answered."""

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Edits:
        """Read the report in an answer; entries of another form count as absent."""
        given = message.get("context_management")
        listed = given.get("applied_edits") if isinstance(given, dict) else None
        edits = [edit for edit in listed if isinstance(edit, dict)] if isinstance(listed, list) else []
        applied = [str(edit.get("type"))[:MOST_CATEGORY] for edit in edits]
        if compactions(message["usage"]) or any(block.get("type") == "compaction" for block in message["content"]):
            applied.append("compact_20260112")
        cleared = sum(_whole(edit.get("cleared_input_tokens")) for edit in edits)
        uncached, written, cached, _ = _tokens(message["usage"])
        return cls(isinstance(given, dict), tuple(dict.fromkeys(applied)), cleared, uncached + written + (cached or 0))


def compactions(usage: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the usage of each compaction of a request, which its other counts leave out."""
    iterations = usage.get("iterations")
    entries = iterations if isinstance(iterations, list) else []
    return [entry for entry in entries if isinstance(entry, dict) and entry.get("type") == "compaction"]


def read(body: bytes) -> dict[str, Any]:
    """Return the message in an answer's body. Raises MalformedAnswer."""
    try:
        message = read_object(body)
        _text(message), _tokens(message["usage"]), [_tokens(entry) for entry in compactions(message["usage"])]
        if not isinstance(message["model"], str):
            raise TypeError("its model has no name")
        if not isinstance(message.get("stop_reason"), str | None):
            raise TypeError("its stop_reason is not text")
    except (ValueError, KeyError, TypeError) as error:
        raise not_read(body, "a Messages API message", error) from None
    return message


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """How and when an answer was received."""

    latency_s: float | None = None
    recorded_at: str = ""
    request_sha256: str = ""
    live: bool = False
    """Whether this run received it."""
    batched: bool = False


def to_answer(message: Mapping[str, Any], receipt: Receipt, prefill: str = "") -> Answer:
    """Return the answer in a message, whose text joins the text blocks and leaves out all others.

    Without a text block, such as with thinking or a tool call alone, its text is empty; its stop reason says why.
    Its model is empty if the message names none, or has a placeholder such as "-", which some builds of llama.cpp send.
    prefill: the beginning of the answer that the request ended with. The text includes it, whether the server returned
    it (as llama.cpp does) or only what it added.
    """
    text = _text(message)
    uncached, written, cached, output = _tokens(message["usage"])
    compacted = [_compaction(entry) for entry in compactions(message["usage"])]
    read = sum(each.cached_tokens for each in compacted)
    hour = min(written, _written_for_an_hour(message["usage"]))
    thought, answer = split_thinking(text if text.startswith(prefill) else prefill + text)
    return Answer(
        text=answer,
        thought=thought,
        stop_reason=message.get("stop_reason"),
        model=message["model"] if any(map(str.isalnum, message["model"])) else "",
        input_tokens=uncached + written + (cached or 0) + sum(each.input_tokens for each in compacted),
        cached_tokens=cached + read if cached is not None else read or None,
        output_tokens=output + sum(each.output_tokens for each in compacted),
        latency_s=receipt.latency_s,
        recorded_at=receipt.recorded_at,
        request_sha256=receipt.request_sha256,
        live=receipt.live,
        cache_write_tokens=written + sum(each.cache_write_tokens for each in compacted),
        hour_write_tokens=hour + sum(each.hour_write_tokens for each in compacted),
        batched=receipt.batched,
        thinking_tokens=_thought(message["usage"]),
        refusal=_category(message.get("stop_details")),
        fallback=_by_fallback(message["usage"]),
        compactions=tuple(compacted),
        message=message,
    )


def _text(message: Mapping[str, Any]) -> str:
    content = message["content"]
    if not (isinstance(content, list) and all(isinstance(block, dict) for block in content)):
        raise TypeError("its content is not a list of blocks")
    texts = [block["text"] for block in content if block["type"] == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("one of its text blocks has no text")
    return "".join(texts)


def _tokens(usage: object) -> tuple[int, int, int | None, int]:
    """Return the uncached input tokens, those written to the cache, those read from it, and the output tokens."""
    if not isinstance(usage, dict):
        raise TypeError("its usage is not a table of counts")
    created = usage.get("cache_creation_input_tokens")
    written = 0 if created is None else _count(created)
    read = usage.get("cache_read_input_tokens")
    cached = None if read is None else _count(read)
    return _count(usage["input_tokens"]), written, cached, _count(usage["output_tokens"])


def _category(details: object) -> str:
    """Return the category of a refusal; empty without one."""
    category = details.get("category") if isinstance(details, dict) else None
    return category[:MOST_CATEGORY] if isinstance(category, str) else ""


def _by_fallback(usage: Mapping[str, Any]) -> bool:
    """Return whether a fallback model answered, shown by an entry of this type among the iterations."""
    iterations = usage.get("iterations")
    entries = iterations if isinstance(iterations, list) else []
    return any(isinstance(entry, dict) and entry.get("type") == "fallback_message" for entry in entries)


def _compaction(entry: Mapping[str, Any]) -> CompactionUsage:
    uncached, written, cached, output = _tokens(entry)
    hour = min(written, _written_for_an_hour(entry))
    return CompactionUsage(uncached + written + (cached or 0), cached or 0, written, hour, output)


def _whole(value: object) -> int:
    return value if type(value) is int and 0 < value < MOST_TOKENS else 0


def _written_for_an_hour(usage: Mapping[str, Any]) -> int:
    """Return the input tokens written to the cache for an hour; 0 if the server does not distinguish them."""
    written = usage.get("cache_creation")
    tokens = written.get("ephemeral_1h_input_tokens") if isinstance(written, dict) else None
    return tokens if type(tokens) is int and tokens > 0 else 0


def _thought(usage: Mapping[str, Any]) -> int | None:
    """Return the output tokens that were thinking; None if the server does not distinguish them."""
    details = usage.get("output_tokens_details")
    tokens = details.get("thinking_tokens") if isinstance(details, dict) else None
    return tokens if type(tokens) is int and 0 <= tokens < MOST_TOKENS else None


def _count(value: object) -> int:
    try:
        return count(value)
    except ValueError:
        raise ValueError(f"its usage counts {reprlib.repr(value)[:20]} tokens") from None


def as_message(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an answer in the form of a message, which it has."""
    return answer


def as_request(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a body in the form of a Messages request, which it has."""
    return body


def rendered(body: dict[str, Any], model: ModelProfile) -> dict[str, Any]:
    """Return a Messages request as this API takes it."""
    return body


def counting(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body that requests the tokens of a request."""
    return {name: value for name, value in body.items() if name in COUNTED}


def most_tokens(body: Mapping[str, Any]) -> int | None:
    """Return the most tokens of the reply that a request requests."""
    return int(body.get("max_tokens", 0))


def streamed(answer: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    """Yield an answer as the server would stream it."""
    for event in events_of(answer):
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


def events_of(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events by which the Messages API streams a message: every block in one piece."""
    usage = message.get("usage") or {}
    started = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    yield {"type": "message_start", "message": started | {"usage": {**usage, "output_tokens": 0}}}
    for index, block in enumerate(message["content"]):
        empty, deltas = _parts(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": message.get("stop_reason"), "stop_sequence": message.get("stop_sequence")}
    yield {"type": "message_delta", "delta": ended, "usage": dict(usage)}
    yield {"type": "message_stop"}


def _parts(block: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a block as it starts, and the deltas that complete it. Blocks of other types start complete."""
    match block:
        case {"type": "text", "text": str(text)}:
            deltas = [{"type": "text_delta", "text": text}]
            cited = citations_of(block)
            deltas += [{"type": "citations_delta", "citation": each} for each in cited]
            return {**block, "text": ""} | ({"citations": []} if cited else {}), deltas
        case {"type": "thinking", "thinking": str(thinking)}:
            signed = [{"type": "signature_delta", "signature": block["signature"]}] if block.get("signature") else []
            return {**block, "thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": thinking},
                *signed,
            ]
        case {"type": "tool_use" | "server_tool_use", "input": given}:
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": json.dumps(given)}]
    return dict(block), []
