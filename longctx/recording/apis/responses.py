"""OpenAI's responses: what its requests and answers mean."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from longctx.config.models import ModelProfile
from longctx.recording.answer_body import not_read, read_object, server_failed
from longctx.recording.apis.openai import (
    STORED_APART,
    as_objects,
    blocks_of,
    data_url,
    described,
    filtered_as_message,
    is_filtered,
    not_expressed,
    objects,
    text_of,
    tool_arguments,
    tool_choice,
)
from longctx.recording.apis.usage import as_messages_usage

NAME = "openai-responses"
VENDOR = "openai"
PATH = "/v1/responses"
COUNT_PATH = "/v1/responses/input_tokens"
COUNT_FIELD = "input_tokens"
TRANSPORT_ONLY = STORED_APART
EXPRESSED = {
    *("model", "messages", "system", "max_tokens", "tools", "tool_choice", "output_config", "temperature", "top_p")
}
INCOMPLETE = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}


def read(body: bytes) -> dict[str, Any]:
    """Return the response in an answer's body. Raises MalformedAnswer."""
    try:
        answer = read_object(body)
        if is_filtered(answer):
            return answer
        if answer.get("status") == "failed":
            raise server_failed("failed", answer.get("error"))
        if not isinstance(answer["model"], str):
            raise TypeError("its model has no name")
        if answer.get("status", "completed") not in ("completed", "incomplete"):
            raise ValueError(f"its status is {str(answer['status'])[:40]!r}")
        as_message(answer)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise not_read(body, "a response of the responses API", error) from None
    return answer


def as_message(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a response in the form of a Messages API message."""
    if is_filtered(answer):
        return filtered_as_message()
    content: list[dict[str, Any]] = []
    refused = False
    for item in as_objects(answer["output"]):
        match item:
            case {"type": "message", "content": parts}:
                for part in as_objects(parts):
                    refused |= part.get("type") == "refusal"
                    text = part.get("text") if part.get("type") == "output_text" else part.get("refusal")
                    if not isinstance(text, str):
                        raise TypeError("a part of its message has no text")
                    content.append({"type": "text", "text": text})
            case {"type": "function_call"}:
                given = tool_arguments(item.get("name"), item.get("arguments"))
                content.append({"type": "tool_use", "id": _id(item, "call_id"), "name": item["name"], "input": given})
            case _:
                content.append({**item, "type": str(item.get("type"))})
    details = answer.get("incomplete_details")
    cut = details.get("reason") if isinstance(details, dict) else None
    stop = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
    usage = answer["usage"]
    return {
        "role": "assistant",
        "model": answer["model"],
        "content": content,
        "stop_reason": "refusal" if refused else INCOMPLETE.get(cut, str(cut)) if cut else stop,
        "stop_details": {"category": "content_filter"} if cut == "content_filter" else None,
        "usage": as_messages_usage(usage, usage["input_tokens"], usage["output_tokens"]),
    }


def _id(item: Mapping[str, Any], name: str) -> str | None:
    id = item.get(name)
    if not isinstance(id, str | None):
        raise TypeError(f"the {name} of an item of its output is not text")
    return id


def as_request(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a request in the form of a Messages request."""
    given = body.get("input") or ""
    system, messages = blocks_of(body.get("instructions") or ""), []
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else objects(given):
        match item:
            case {"type": "function_call"}:
                call = tool_arguments(str(item.get("name")), str(item.get("arguments")))
                use = {"type": "tool_use", "id": item.get("call_id"), "name": item.get("name"), "input": call}
                messages.append({"role": "assistant", "content": [use]})
            case {"type": "function_call_output"}:
                output = text_of(blocks_of(item.get("output")))
                result = {"type": "tool_result", "tool_use_id": item.get("call_id"), "content": output}
                messages.append({"role": "user", "content": [result]})
            case {"role": "system" | "developer"}:
                system += blocks_of(item.get("content"))
            case {"role": role}:
                messages.append({"role": role, "content": blocks_of(item.get("content"))})
    return {"system": text_of(system), "messages": messages, "tools": body.get("tools") or []}


def rendered(body: dict[str, Any], model: ModelProfile) -> dict[str, Any]:
    """Return a Messages request as one of this API. Raises UserError for what it cannot express."""
    if unknown := [name for name in body if name not in EXPRESSED]:
        raise not_expressed(unknown[0], NAME, model)
    items = [item for turn in body["messages"] for item in _items(turn, model)]
    sent: dict[str, Any] = {"model": body["model"], "input": items, "max_output_tokens": body["max_tokens"]}
    if system := "\n\n".join(block["text"] for block in blocks_of(body.get("system") or "")):
        sent["instructions"] = system
    sent |= {name: body[name] for name in ("temperature", "top_p") if name in body}
    config = body.get("output_config") or {}
    if config.get("effort"):
        sent["reasoning"] = {"effort": config["effort"]}
    if form := config.get("format"):
        sent["text"] = {"format": {"type": "json_schema", "name": "answer", "schema": form["schema"], "strict": True}}
    if tools := body.get("tools"):
        sent["tools"] = [_tool(tool, model) for tool in tools]
    if chosen := body.get("tool_choice"):
        name = tool_choice(chosen, NAME, model)
        sent["tool_choice"] = name if isinstance(name, str) else {"type": "function", **name}
    return sent


def counting(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body that requests the tokens of a request."""
    return {name: value for name, value in body.items() if name not in ("max_output_tokens", "temperature", "top_p")}


def most_tokens(body: Mapping[str, Any]) -> int | None:
    """Return the most tokens of the reply that a request requests; None if unknown."""
    given = body.get("max_output_tokens")
    return given if type(given) is int else None


def streamed(answer: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    """Yield a response in the events by which this API streams it: every item in one piece."""
    for number, event in enumerate(events_of(answer)):
        yield f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n"


def events_of(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {**answer, "output": [], "status": "in_progress", "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(answer["output"]):
        at = {"output_index": index, "item_id": _id(item, "id") or ""}
        begins: dict[str, dict[str, Any]] = {"message": {"content": []}, "function_call": {"arguments": ""}}
        empty = begins.get(item["type"], {})
        yield {"type": "response.output_item.added", "output_index": index, "item": {**item, **empty}}
        if item["type"] == "message":
            for place, part in enumerate(item["content"]):
                yield from _part_events(part, {**at, "content_index": place})
        elif item["type"] == "function_call":
            yield {"type": "response.function_call_arguments.delta", **at, "delta": item["arguments"]}
            named = {"arguments": item["arguments"], "name": item["name"]}
            yield {"type": "response.function_call_arguments.done", **at, **named}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": f"response.{answer.get('status') or 'completed'}", "response": dict(answer)}


def _part_events(part: Mapping[str, Any], at: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    field = "refusal" if part["type"] == "refusal" else "text"
    name = "refusal" if field == "refusal" else "output_text"
    told = {} if field == "refusal" else {"logprobs": part.get("logprobs") or []}
    yield {"type": "response.content_part.added", **at, "part": {**part, field: ""}}
    yield {"type": f"response.{name}.delta", **at, "delta": part[field], **told}
    yield {"type": f"response.{name}.done", **at, field: part[field], **told}
    yield {"type": "response.content_part.done", **at, "part": dict(part)}


def _items(turn: Mapping[str, Any], model: ModelProfile) -> Iterator[dict[str, Any]]:
    """Yield a turn as items of the input, in the order of its blocks."""
    content = turn["content"]
    if isinstance(content, str):
        yield {"role": turn["role"], "content": content}
        return
    said = "output_text" if turn["role"] == "assistant" else "input_text"
    parts: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for block in content:
        match block:
            case {"type": "text", "text": str(text)}:
                parts.append({"type": said, "text": text})
            case {"type": "image", "source": source}:
                parts.append({"type": "input_image", "image_url": data_url(source, NAME, model), "detail": "auto"})
            case {"type": "tool_use", "id": str(id), "name": str(name), "input": given}:
                written = json.dumps(given, ensure_ascii=False)
                others.append({"type": "function_call", "call_id": id, "name": name, "arguments": written})
            case {"type": "tool_result", "tool_use_id": str(id)}:
                inner = blocks_of(block.get("content") or "")
                if any(each.get("type") != "text" for each in inner):
                    raise not_expressed("a tool result with more than text", NAME, model)
                others.append({"type": "function_call_output", "call_id": id, "output": text_of(inner)})
            case _:
                raise not_expressed(f"a block {block.get('type')!r}", NAME, model)
    if turn["role"] == "user":
        yield from others
    if parts:
        yield {"role": turn["role"], "content": parts}
    if turn["role"] != "user":
        yield from others


def _tool(tool: Mapping[str, Any], model: ModelProfile) -> dict[str, Any]:
    named = {"type": "function", **described(tool, NAME, model)}
    return {**named, "parameters": tool["input_schema"], "strict": tool.get("strict", False)}
