"""Logs of other programs as requests of the Messages API: Claude Code sessions, chat completions, plain lists of turns.

They are data of others: nothing in them is followed or run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

INSTRUCTIONS = ("system", "developer")
"""The roles of chat completions that are a system prompt."""


def is_claude_code(entries: Sequence[Any]) -> bool:
    """Return whether these lines are those of a Claude Code session."""
    return any(
        isinstance(entry, dict)
        and entry.get("type") in ("user", "assistant")
        and isinstance(entry.get("message"), dict)
        for entry in entries
    )


def claude_code(entries: Sequence[Any]) -> dict[str, Any]:
    """Return the main conversation of a Claude Code session as one request.

    Subagents, notices, and the summaries of compactions are left out, so that it holds all of its turns. The log has
    neither the system prompt nor the tools.
    """
    turns = [
        {"role": entry["type"], "content": _contents(entry["message"].get("content"))}
        for entry in entries
        if isinstance(entry, dict)
        and entry.get("type") in ("user", "assistant")
        and isinstance(entry.get("message"), dict)
        and not any(entry.get(mark) for mark in ("isSidechain", "isCompactSummary", "isMeta"))
    ]
    while (
        turns
        and turns[-1]["role"] == "assistant"
        and any(block["type"] == "tool_use" for block in turns[-1]["content"])
    ):
        turns.pop()  # its result is not logged
    return {"messages": turns}


def is_turn(entry: Any) -> bool:
    """Return whether a line is one turn."""
    return isinstance(entry, dict) and "role" in entry and "content" in entry and "messages" not in entry


def request_of(entry: Any) -> dict[str, Any]:
    """Return a line as a request of the Messages API, with the reply if it has one. Raises ValueError, KeyError."""
    if isinstance(entry, list):
        entry = {"messages": entry}
    logged = entry if "request" in entry else {"request": entry, "response": entry.get("response")}
    request, response = dict(logged["request"]), logged.get("response") or {}
    if "messages" not in request:
        known = ", ".join(map(str, list(request)[:5])) or "nothing"
        raise ValueError(f"it has no `messages`, but {known}")
    if isinstance(response, dict) and isinstance(response.get("choices"), list) and response["choices"]:
        request["messages"] = [*request["messages"], response["choices"][0]["message"]]
        response = {}
    if any(_of_chat(message) for message in request["messages"]):
        request = _from_chat(request)
    return {"request": request, "response": response}


def _of_chat(message: Any) -> bool:
    return isinstance(message, dict) and (message.get("role") in (*INSTRUCTIONS, "tool") or "tool_calls" in message)


def _from_chat(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request of OpenAI's chat completions as one of the Messages API."""
    messages = request["messages"]
    system = [_text(message["content"]) for message in messages if message["role"] in INSTRUCTIONS]
    turns = [_turn(message) for message in messages if message["role"] not in INSTRUCTIONS]
    tools = [tool["function"] for tool in request.get("tools") or () if isinstance(tool.get("function"), dict)]
    named = [
        {
            "name": tool["name"],
            "description": tool.get("description", ""),
            "input_schema": tool.get("parameters") or {"type": "object"},
        }
        for tool in tools
    ]
    return {"messages": turns, "system": "\n\n".join(filter(None, system)), "tools": named}


def _turn(message: Mapping[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": _text(message["content"])}
        return {"role": "user", "content": [result]}
    text = _text(message.get("content"))
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    return {"role": message["role"], "content": [*blocks, *map(_call, message.get("tool_calls") or ())]}


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    given = json.loads(function.get("arguments") or "{}")
    return {"type": "tool_use", "id": call["id"], "name": function["name"], "input": given}


def _text(content: Any) -> str:
    """Return the text of a content of chat completions; images and files are left out."""
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))


def _contents(content: Any) -> list[dict[str, Any]]:
    """Return the content of a Claude Code turn as blocks of text, calls and results."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(_blocks(content or ()))


def _blocks(content: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for block in content:
        match block:
            case {"type": "text", "text": str(text)} if text:
                yield {"type": "text", "text": text}
            case {"type": "tool_use", "id": str(identity), "name": str(name), "input": given}:
                yield {"type": "tool_use", "id": identity, "name": name, "input": given}
            case {"type": "tool_result", "tool_use_id": str(identity)}:
                inner = block.get("content")
                text = (
                    inner
                    if isinstance(inner, str)
                    else "\n".join(each.get("text", "") for each in _blocks(inner or ()))
                )
                yield {"type": "tool_result", "tool_use_id": identity, "content": text}
