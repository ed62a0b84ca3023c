"""Logged requests of other APIs as those of the Messages API: Gemini's, Bedrock's Converse, and rows of LiteLLM."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from longctx.functions.session_reader import Turn, TurnBlock, tool_result, tool_use
from longctx.functions.trees import turns_of_parts

Logged = dict[str, Any]


def unwrapped(entry: Mapping[str, Any]) -> Logged:
    """Return a line with its request and its response, which a log may hold as texts, or under names of its own."""
    found = {**entry}
    for name in ("messages", "response", "request"):
        if isinstance(text := found.get(name), str) and text.lstrip()[:1] in ("[", "{"):
            found[name] = json.loads(text)
    match found:
        case {"input": {"inputBodyJson": dict(body)}}:  # Bedrock's log of invocations
            output = found.get("output")
            return {"request": body, "response": output.get("outputBodyJson") if isinstance(output, dict) else None}
    return found


def translated(request: Mapping[str, Any], response: Any) -> Logged | None:
    """Return a request of Gemini's API or of Converse, with its reply; None of another API. Raises KeyError."""
    reply = response if isinstance(response, Mapping) else {}
    if "contents" in request:
        return _from_gemini(request, reply)
    messages = request.get("messages")
    if isinstance(messages, list) and any(map(_is_of_converse, messages)):
        return _from_converse(request, reply)
    return None


def _from_gemini(request: Mapping[str, Any], response: Mapping[str, Any]) -> Logged:
    contents = request["contents"]
    contents = [{"role": "user", "parts": contents}] if isinstance(contents, str) else list(contents)
    candidates = response.get("candidates") or [{}]
    contents += [candidates[0]["content"]] if isinstance(candidates[0].get("content"), dict) else []
    calls: Counter[str] = Counter()
    turns = [
        turn for each in contents for turn in turns_of_parts(each.get("role", "user"), each.get("parts") or [], calls)
    ]
    system = request.get("systemInstruction") or request.get("system_instruction") or {}
    parts = system.get("parts") or () if isinstance(system, dict) else [{"text": system}]
    declared = [
        tool
        for each in request.get("tools") or ()
        if isinstance(each, dict)
        for tool in each.get("functionDeclarations") or each.get("function_declarations") or ()
    ]
    tools = [_tool(tool, tool.get("parametersJsonSchema") or tool.get("parameters")) for tool in declared]
    return {
        "messages": turns,
        "system": "\n\n".join(part["text"] for part in parts if part.get("text")),
        "tools": tools,
    }


def _is_of_converse(message: Any) -> bool:
    """Return whether a turn is one of Converse, whose blocks have no type."""
    content = message.get("content") if isinstance(message, dict) else None
    return isinstance(content, list) and any(isinstance(block, dict) and "type" not in block for block in content)


def _from_converse(request: Mapping[str, Any], response: Mapping[str, Any]) -> Logged:
    output = response.get("output")
    reply = output.get("message") if isinstance(output, dict) else None
    turns = [_of_converse(each) for each in (*request["messages"], *([reply] if reply else ()))]
    system = [part["text"] for part in request.get("system") or () if "text" in part]
    listed = (request.get("toolConfig") or {}).get("tools") or ()
    specs = [tool["toolSpec"] for tool in listed if "toolSpec" in tool]
    tools = [_tool(spec, (spec.get("inputSchema") or {}).get("json")) for spec in specs]
    return {"messages": turns, "system": "\n\n".join(system), "tools": tools}


def _of_converse(message: Mapping[str, Any]) -> Turn:
    blocks: list[TurnBlock] = []
    for block in message["content"]:
        match block:
            case {"text": str(text)}:
                blocks.append({"type": "text", "text": text})
            case {"toolUse": {"toolUseId": str(identity), "name": str(name), "input": given}}:
                blocks.append(tool_use(identity, name, given))
            case {"toolResult": {"toolUseId": str(identity), "content": list(parts)}}:
                texts = [
                    part["text"] if "text" in part else json.dumps(part.get("json")) for part in parts if _is_text(part)
                ]
                blocks.append(tool_result(identity, "\n".join(texts)))
    return {"role": message["role"], "content": blocks}


def _is_text(part: Mapping[str, Any]) -> bool:
    return "text" in part or "json" in part


def _tool(declared: Mapping[str, Any], schema: object) -> dict[str, Any]:
    return {
        "name": declared["name"],
        "description": declared.get("description") or "",
        "input_schema": schema or {"type": "object"},
    }
