"""The Messages API request of a trial, and the digest by which the tape knows it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from pydantic_core import to_json

from longctx.config.models import Caching, ModelProfile
from longctx.vocabulary.scenario import Trial

PATH = "/v1/messages"
TRANSPORT_ONLY = ("cache_control", "stream", "metadata")
"""Parts of a body that change price and transport, not the question."""


def request_body(trial: Trial, model: ModelProfile) -> dict[str, Any]:
    """The body as the API takes it: the model profile's extras are added last, and so have the last word."""
    return parameters(trial, model) | model.extra_body


def parameters(trial: Trial, model: ModelProfile, cuts: Sequence[int] = ()) -> dict[str, Any]:
    """The body without the model profile's extras, which the SDK takes apart from it.

    cuts: where the beginnings of the user's turn end that other prompts share, for a model that has caching.
    """
    body: dict[str, Any] = {
        "model": model.model,
        "max_tokens": trial.max_tokens + model.thinking_tokens,
        "messages": _messages(trial, model, cuts),
    }
    if system := system_prompt(trial.system, model):
        body["system"] = system
    if model.thinking:
        body["thinking"] = model.thinking.model_dump(exclude_none=True)
    if model.effort:
        body["output_config"] = {"effort": model.effort}
    return body


def system_prompt(of_set: str, model: ModelProfile) -> str:
    """The model profile's system prompt and, after a blank line, that of the prompt set; empty where neither is."""
    return "\n\n".join(filter(None, (model.system, of_set)))


def call(trial: Trial, model: ModelProfile, cuts: Sequence[int] = ()) -> dict[str, Any]:
    """The arguments of the SDK's call: `parameters` under the id that the provider knows, and the extras apart."""
    return parameters(trial, model, cuts) | {"model": model.sent_as, "extra_body": model.extra_body or None}


def _messages(trial: Trial, model: ModelProfile, cuts: Sequence[int]) -> list[dict[str, Any]]:
    """The user's turn and, where the trial has one and the model takes it, the beginning of the answer."""
    text = user_text(trial, model)
    message = {"role": "user", "content": _blocks(text, cuts, model.caching) if cuts and model.caching else text}
    begun = prefill(trial, model)
    return [message, {"role": "assistant", "content": begun}] if begun else [message]


def user_text(trial: Trial, model: ModelProfile) -> str:
    """The user's turn: for a model that takes no prefill, it ends in the request to begin the answer so."""
    return f"{trial.user}\n{trial.without_prefill}" if trial.prefill and not model.prefill else trial.user


def _blocks(text: str, cuts: Sequence[int], caching: Caching) -> list[dict[str, Any]]:
    """The text in blocks that end at the cuts, the last of them marked for the cache."""
    mark = {"type": "ephemeral"} | ({"ttl": caching.ttl} if caching.ttl != "5m" else {})
    marked = cuts[-caching.breakpoints :]
    ends = sorted({0, *cuts, len(text)})
    return [
        {"type": "text", "text": text[start:end]} | ({"cache_control": mark} if end in marked else {})
        for start, end in pairwise(ends)
    ]


def prefill(trial: Trial, model: ModelProfile) -> str:
    """The beginning of the answer that is sent with the question; empty where the model or the trial has none."""
    return trial.prefill if model.prefill else ""


def digest(body: dict[str, Any]) -> str:
    """SHA-256 of the canonical body, in hex: a text is the same in one piece and in blocks."""
    sha256 = hashlib.sha256()
    for part in canonical({name: _joined(value) for name, value in body.items() if name not in TRANSPORT_ONLY}):
        sha256.update(part)
    return sha256.hexdigest()


def canonical(value: Any) -> Iterator[bytes]:
    """What the standard library writes with sorted keys, without spaces and in UTF-8, in parts.

    Texts are written by pydantic's encoder, ten times as fast; what it may write otherwise, such as numbers and lone
    surrogates, is left to the standard one.
    """
    if isinstance(value, dict) and all(isinstance(name, str) for name in value):
        for place, name in enumerate(sorted(value)):
            yield b"," if place else b"{"
            yield from canonical(name)
            yield b":"
            yield from canonical(value[name])
        yield b"}" if value else b"{}"
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield b"," if place else b"["
            yield from canonical(item)
        yield b"]" if value else b"[]"
    elif isinstance(value, str):
        try:
            yield to_json(value)
        except ValueError:
            yield _standard(value)
    else:
        yield _standard(value)


def _standard(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _joined(value: Any) -> Any:
    """The same with every list of plain text blocks, marked for the cache or not, as the one text that they are."""
    if isinstance(value, dict):
        return {name: _joined(item) for name, item in value.items()}
    if not isinstance(value, list):
        return value
    if value and all(isinstance(block, dict) and _is_text_block(block) for block in value):
        return "".join(block["text"] for block in value)
    return [_joined(item) for item in value]


def _is_text_block(value: dict[str, Any]) -> bool:
    return value.keys() - {"cache_control"} == {"type", "text"} and value["type"] == "text"
