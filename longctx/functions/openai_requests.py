"""Requests of OpenAI's chat completions and responses as those of the Messages API."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from longctx.functions.session_reader import Turn, TurnBlock, output_text, text_of, tool_result, tool_use

INSTRUCTIONS = ("system", "developer")
"""The roles of chat completions that are a system prompt."""
Responses = dict[str, tuple[list[str], list[Turn]]]
"""OpenAI's responses by their id: the system prompts and the turns so far."""


def is_of_chat(message: Any) -> bool:
    return isinstance(message, dict) and (message.get("role") in (*INSTRUCTIONS, "tool") or "tool_calls" in message)


def from_chat(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request of OpenAI's chat completions as one of the Messages API."""
    messages = request["messages"]
    system = [text_of(message["content"]) for message in messages if message["role"] in INSTRUCTIONS]
    turns = [_turn(message) for message in messages if message["role"] not in INSTRUCTIONS]
    tools = [tool["function"] for tool in request.get("tools") or () if isinstance(tool.get("function"), dict)]
    return {"messages": turns, "system": "\n\n".join(filter(None, system)), "tools": _named(tools)}


def _named(tools: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "name": tool["name"],
            "description": tool.get("description") or "",
            "input_schema": tool.get("parameters") or {"type": "object"},
        }
        for tool in tools
    ]


def _turn(message: Mapping[str, Any]) -> Turn:
    if message["role"] == "tool":
        return {"role": "user", "content": [tool_result(message["tool_call_id"], text_of(message["content"]))]}
    text = text_of(message.get("content"))
    blocks: list[TurnBlock] = [{"type": "text", "text": text}] if text else []
    calls = [_call(call["id"], call["function"]) for call in message.get("tool_calls") or ()]
    return {"role": message["role"], "content": [*blocks, *calls]}


def _call(identity: str, function: Mapping[str, Any]) -> TurnBlock:
    given = function.get("arguments") or "{}"
    try:
        return tool_use(identity, function["name"], json.loads(given))
    except ValueError:  # a model's arguments may be no JSON
        return tool_use(identity, function["name"], given)


def from_responses(request: Mapping[str, Any], response: Mapping[str, Any], known: Responses) -> dict[str, Any]:
    """Return a request of OpenAI's responses, with its reply, as one of the Messages API. Raises ValueError."""
    before = request.get("previous_response_id")
    if before and before not in known:
        raise ValueError(f"it continues the response {before!r}, which is not in the log before it")
    given = request["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
    items += response.get("output") or ()
    system, turns = known.get(str(before), ([], []))
    system = [*system, *(text_of(item["content"]) for item in items if item.get("role") in INSTRUCTIONS)]
    said = (of_item(item) for item in items if item.get("role") not in INSTRUCTIONS)
    turns = [*turns, *filter(None, said)]
    if identity := response.get("id"):
        known[str(identity)] = system, turns
    tools = [tool for tool in request.get("tools") or () if tool.get("type") == "function" and "name" in tool]
    system = [request.get("instructions") or "", *system]
    return {"messages": turns, "system": "\n\n".join(filter(None, system)), "tools": _named(tools)}


def of_item(item: Mapping[str, Any]) -> Turn | None:
    """Return an item of OpenAI's responses as a turn; None for those that are left out, such as reasoning."""
    match item:
        case {"type": "function_call", "call_id": str(identity)}:
            return {"role": "assistant", "content": [_call(identity, item)]}
        case {"type": "function_call_output", "call_id": str(identity)}:
            return {"role": "user", "content": [tool_result(identity, output_text(item.get("output")))]}
        case {"role": str(role), "content": content}:
            return {"role": role, "content": [{"type": "text", "text": text}] if (text := text_of(content)) else []}
    return None
