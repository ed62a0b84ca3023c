"""What chat completions and responses have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from longctx.config.models import ModelProfile
from longctx.errors import UserError

STORED_APART = frozenset(
    "stream stream_options metadata store user safety_identifier prompt_cache_key prompt_cache_retention "
    "service_tier".split()
)
"""The parts of a body that affect the price, the transport and what OpenAI keeps, but not the question."""


FILTERED = "content_filter"
"""The code of that error."""


def not_expressed(what: str, api: str, model: ModelProfile) -> UserError:
    """Return the error for a part of a request that an API does not have."""
    return UserError(
        "not-in-api",
        f"{model.model} uses the API {api}, which cannot express {what} of the Messages API: leave that out, or use a "
        "model with api = 'anthropic'.",
    )


def described(tool: Mapping[str, Any], api: str, model: ModelProfile) -> dict[str, Any]:
    """Return the name of a tool, and its description if it has one. Raises UserError for a tool of the server."""
    if "input_schema" not in tool:
        raise not_expressed(f"the server's tool {tool.get('type')!r}", api, model)
    return {"name": tool["name"], **({"description": tool["description"]} if "description" in tool else {})}


def is_filtered(answer: Mapping[str, Any]) -> bool:
    """Return whether an answer is the error of a prompt that the server's filter blocks, which is a refusal."""
    error = answer.get("error")
    return isinstance(error, dict) and error.get("code") == FILTERED


def filtered_as_message() -> dict[str, Any]:
    """Return such an answer in the form of a Messages API message; it has no usage, and names no model."""
    return {
        "role": "assistant",
        "model": "",
        "content": [],
        "stop_reason": "refusal",
        "stop_details": {"category": FILTERED},
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def tool_arguments(name: object, given: object) -> object:
    """Return the arguments of a tool call, which the API writes as JSON; text that is none stays as it is.

    Raises TypeError.
    """
    if not (isinstance(name, str) and isinstance(given, str)):
        raise TypeError("one of its tool calls has no name or arguments")
    try:
        return json.loads(given or "{}")
    except (ValueError, RecursionError):  # the reply was cut off, or the tool takes free text
        return given


def as_objects(value: object) -> list[dict[str, Any]]:
    """Return a list of JSON objects; empty if the value is null. Raises TypeError if it is anything else."""
    if value is None:
        return []
    if not (isinstance(value, list) and all(isinstance(each, dict) for each in value)):
        raise TypeError("it has a list of another type")
    return value


def objects(value: object) -> list[Mapping[str, Any]]:
    """Return the JSON objects in a list of a request, whatever else it holds."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, Sequence) else []


def blocks_of(content: object) -> list[dict[str, Any]]:
    """Return the content of a turn as blocks; the texts of OpenAI's parts have the type of a Messages block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    parts = [dict(part) for part in objects(content)]
    return [{**part, "type": "text"} if isinstance(part.get("text"), str) else part for part in parts]


def text_of(blocks: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(block["text"] for block in blocks if block.get("type") == "text")


def data_url(source: Mapping[str, Any], api: str, model: ModelProfile) -> str:
    """Return the address of an image, which may be the image itself, as a data URL."""
    match source:
        case {"type": "url", "url": str(url)}:
            return url
        case {"type": "base64", "media_type": str(kind), "data": str(data)}:
            return f"data:{kind};base64,{data}"
    raise not_expressed(f"an image from {source.get('type')!r}", api, model)


def tool_choice(chosen: Mapping[str, Any], api: str, model: ModelProfile) -> str | dict[str, str]:
    """Return which tool may be called: a word, or its name."""
    match chosen:
        case {"type": "auto" | "none" as word}:
            return str(word)
        case {"type": "any"}:
            return "required"
        case {"type": "tool", "name": str(name)}:
            return {"name": name}
    raise not_expressed(f"the tool choice {chosen.get('type')!r}", api, model)
