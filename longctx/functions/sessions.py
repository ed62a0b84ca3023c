"""Logs of other programs as requests of the Messages API: Claude Code, OpenAI's two APIs, plain lists of turns.

They are data of others: nothing in them is followed or run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

INSTRUCTIONS = ("system", "developer")
"""The roles of chat completions that are a system prompt."""
FORMATS = (
    "a line is the body of a request (Messages API, chat completions, responses), with `messages` or `input`, or "
    '{"request": BODY, "response": MESSAGE}. Sessions of Claude Code and plain lists of turns are read, too.'
)


@dataclass(slots=True)
class Log:
    """What is kept of a log while its lines are read one after another: never more than one conversation."""

    line: int | None = None
    """The line whose request is wanted; None for the one with the most turns."""
    chosen: tuple[int, dict[str, Any]] | None = None
    """The line and the request that is kept."""
    agent: list[dict[str, Any]] = field(default_factory=list)
    """The turns of a Claude Code session."""
    turns: list[dict[str, Any]] = field(default_factory=list)
    """The turns of a log that has a plain turn per line."""
    subagents: list[dict[str, Any]] = field(default_factory=list)
    """The turns of a Claude Code session that belong to subagents."""
    seen: set[Any] = field(default_factory=set)
    """The ids of these turns."""
    compactions: int = 0
    note: str = ""
    """The fields of the first line with a `type` that is neither a turn nor a request, as Claude Code writes them."""
    first: dict[str, int] = field(default_factory=dict)
    """The first line of each kind."""
    responses: dict[str, list[Any]] = field(default_factory=dict)
    """The items of OpenAI's responses so far, by the id of the response."""

    def add(self, number: int, entry: Any) -> None:
        """Take up a line. Raises ValueError, KeyError, TypeError or AttributeError if it is none of a log."""
        if _is_agent_turn(entry):
            self.first.setdefault("agent", number)
            if (identity := entry.get("uuid")) in self.seen:
                return  # a session that was resumed repeats its turns
            self.seen |= {identity} - {None}
            turn = {"role": entry["type"], "content": _contents(entry["message"].get("content"))}
            if entry.get("isSidechain"):
                self.subagents.append(turn)
            elif not (entry.get("isCompactSummary") or entry.get("isMeta")):
                self.agent.append(turn)
        elif isinstance(entry, dict) and "type" in entry and not _asks(entry):
            self.first.setdefault("note", number)
            self.note = self.note or ", ".join(list(entry)[:5])
            self.compactions += entry.get("subtype") == "compact_boundary"
        elif is_turn(entry):
            self.first.setdefault("turn", number)
            self.turns.append(entry)
        elif self.line in (None, number) or (isinstance(entry, dict) and "input" in _body(entry)):
            request = request_of(entry, self.responses)
            self.first.setdefault("request", number)
            longest = self.chosen is None or len(request["request"]["messages"]) >= _length(self.chosen[1])
            if self.line in (None, number) and longest:
                self.chosen = number, request

    def conversation(self) -> tuple[int, dict[str, Any]] | None:
        """Return the conversation and its line; None if there is none. Raises ValueError for a mixture of formats."""
        if "agent" in self.first:
            return 1, {"request": {"messages": list(_answered(self.agent or self.subagents))}}
        if self.note:
            raise ValueError(f"it has no `messages`, but {self.note}")
        if self.turns and "request" in self.first:
            raise ValueError("it is a turn, and other lines are requests")
        return (1, request_of({"messages": self.turns})) if self.turns else self.chosen


def is_turn(entry: Any) -> bool:
    """Return whether a line is one turn."""
    return isinstance(entry, dict) and "role" in entry and "content" in entry and "messages" not in entry


def request_of(entry: Any, responses: dict[str, list[Any]] | None = None) -> dict[str, Any]:
    """Return a line as a request of the Messages API, with the reply if it has one. Raises ValueError, KeyError.

    responses: the items of earlier requests to OpenAI's responses, by the id of their response; this one is added.
    """
    if isinstance(entry, list):
        entry = {"messages": entry}
    request, response = dict(_body(entry)), entry.get("response") or {}
    if isinstance(response, Mapping) and isinstance(response.get("body"), Mapping):  # a line of OpenAI's batches
        response = response["body"]
    if "input" in request and "messages" not in request:
        return {"request": _from_responses(request, response, {} if responses is None else responses)}
    if "messages" not in request:
        known = ", ".join(map(str, list(request)[:5])) or "nothing"
        raise ValueError(f"it has no `messages`, but {known}")
    if isinstance(response, dict) and isinstance(response.get("choices"), list) and response["choices"]:
        request["messages"] = [*request["messages"], response["choices"][0]["message"]]
        response = {}
    if any(_of_chat(message) for message in request["messages"]):
        request = _from_chat(request)
    return {"request": request, "response": response}


def _body(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the body of a request that was logged as it is, as `request`, or as a line of a batch."""
    body = entry.get("request", entry.get("body", entry)) if isinstance(entry, Mapping) else entry
    return body if isinstance(body, Mapping) else dict(body)  # anything else raises


def _asks(entry: Mapping[str, Any]) -> bool:
    return any(name in entry for name in ("messages", "input", "request", "body", "role"))


def _length(request: Mapping[str, Any]) -> int:
    return len(request["request"]["messages"])


def _is_agent_turn(entry: Any) -> bool:
    """Return whether a line is a turn of a Claude Code session."""
    return (
        isinstance(entry, dict)
        and entry.get("type") in ("user", "assistant")
        and isinstance(entry.get("message"), dict)
    )


def _answered(turns: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield turns without calls that have no result, such as interrupted ones, and without results of no call.

    The log is written while tools run, so a result may stand behind another call of the same turn.
    """
    called = {block["id"] for turn in turns for block in turn["content"] if block["type"] == "tool_use"}
    answered = {block["tool_use_id"] for turn in turns for block in turn["content"] if block["type"] == "tool_result"}
    for turn in turns:
        content = [
            block
            for block in turn["content"]
            if (block["type"] != "tool_use" or block["id"] in answered)
            and (block["type"] != "tool_result" or block["tool_use_id"] in called)
        ]
        if content:
            yield {"role": turn["role"], "content": content}


def _of_chat(message: Any) -> bool:
    return isinstance(message, dict) and (message.get("role") in (*INSTRUCTIONS, "tool") or "tool_calls" in message)


def _from_chat(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request of OpenAI's chat completions as one of the Messages API."""
    messages = request["messages"]
    system = [_text(message["content"]) for message in messages if message["role"] in INSTRUCTIONS]
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


def _turn(message: Mapping[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": _text(message["content"])}
        return {"role": "user", "content": [result]}
    text = _text(message.get("content"))
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    calls = [_call(call["id"], call["function"]) for call in message.get("tool_calls") or ()]
    return {"role": message["role"], "content": [*blocks, *calls]}


def _call(identity: str, function: Mapping[str, Any]) -> dict[str, Any]:
    given = json.loads(function.get("arguments") or "{}")
    return {"type": "tool_use", "id": identity, "name": function["name"], "input": given}


def _from_responses(
    request: Mapping[str, Any], response: Mapping[str, Any], known: dict[str, list[Any]]
) -> dict[str, Any]:
    """Return a request of OpenAI's responses, with its reply, as one of the Messages API. Raises ValueError."""
    before = request.get("previous_response_id")
    if before and before not in known:
        raise ValueError(f"it continues the response {before!r}, which is not in the log before it")
    given = request["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
    items = [*known.get(str(before), ()), *items, *(response.get("output") or ())]
    if identity := response.get("id"):
        known[str(identity)] = items
    system = [request.get("instructions") or ""]
    system += [_text(item["content"]) for item in items if item.get("role") in INSTRUCTIONS]
    tools = [tool for tool in request.get("tools") or () if tool.get("type") == "function" and "name" in tool]
    turns = [turn for item in items if item.get("role") not in INSTRUCTIONS and (turn := _of_item(item))]
    return {"messages": turns, "system": "\n\n".join(filter(None, system)), "tools": _named(tools)}


def _of_item(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an item of OpenAI's responses as a turn; None for those that are left out, such as reasoning."""
    match item:
        case {"type": "function_call", "call_id": str(identity)}:
            return {"role": "assistant", "content": [_call(identity, item)]}
        case {"type": "function_call_output", "call_id": str(identity)}:
            result = {"type": "tool_result", "tool_use_id": identity, "content": _text(item.get("output"))}
            return {"role": "user", "content": [result]}
        case {"role": str(role), "content": content}:
            return {"role": role, "content": [{"type": "text", "text": text}] if (text := _text(content)) else []}
    return None


def _text(content: Any) -> str:
    """Return the text of a content of OpenAI's APIs; images and files are left out."""
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
