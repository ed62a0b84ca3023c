"""OpenAI's chat completions: what its requests and answers mean. Also spoken by llama-server, vLLM and gateways."""

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

NAME = "openai-chat"
VENDOR = "openai"
PATH = "/v1/chat/completions"
COUNT_PATH = ""
COUNT_FIELD = "input_tokens"
TRANSPORT_ONLY = STORED_APART
STOP_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "refusal",
}
FAILED = ("error", "abort")
"""The reasons to stop by which the server failed, and not the model."""
PASSED = {"temperature": "temperature", "top_p": "top_p", "stop_sequences": "stop"}
"""The parts of a Messages request that have a counterpart here, and its name."""
EXPRESSED = {"model", "messages", "system", "max_tokens", "tools", "tool_choice", "output_config", *PASSED}


def read(body: bytes) -> dict[str, Any]:
    """Return the completion in an answer's body. Raises MalformedAnswer."""
    try:
        answer = read_object(body)
        if is_filtered(answer):
            return answer
        if not isinstance(answer["model"], str):
            raise TypeError("its model has no name")
        message = answer["choices"][0]["message"]
        if not isinstance(message.get("content"), str | None) or not isinstance(message.get("refusal"), str | None):
            raise TypeError("the content of its message is not text")
        reason = answer["choices"][0].get("finish_reason")
        if not isinstance(reason, str | None):
            raise TypeError("its finish_reason is not text")
        if reason in FAILED:
            raise server_failed(reason, answer["choices"][0].get("error") or answer.get("error"))
        as_message(answer)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise not_read(body, "a chat completion", error) from None
    return answer


def as_message(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a completion in the form of a Messages API message; of several choices, the first counts."""
    if is_filtered(answer):
        return filtered_as_message()
    choice, usage = answer["choices"][0], answer["usage"]
    said = choice["message"]
    texts = [text for text in (said.get("content"), said.get("refusal")) if text]
    content: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    content += [_tool_use(call) for call in as_objects(said.get("tool_calls"))]
    reason = choice.get("finish_reason")
    stop = "refusal" if said.get("refusal") else STOP_REASONS.get(reason, reason)
    return {
        "role": "assistant",
        "model": answer["model"],
        "content": content,
        "stop_reason": stop,
        "stop_details": {"category": "content_filter"} if reason == "content_filter" else None,
        "usage": as_messages_usage(usage, usage["prompt_tokens"], usage["completion_tokens"]),
    }


def as_request(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a request in the form of a Messages request."""
    system: list[dict[str, Any]] = []
    messages: list[dict[str, Any]] = []
    for turn in objects(body.get("messages")):
        content = blocks_of(turn.get("content"))
        if turn.get("role") in ("system", "developer"):
            system += content
        elif turn.get("role") in ("tool", "function"):
            result = {"type": "tool_result", "tool_use_id": turn.get("tool_call_id", ""), "content": text_of(content)}
            messages.append({"role": "user", "content": [result]})
        else:
            calls = [_tool_use(call) for call in objects(turn.get("tool_calls"))]
            messages.append({"role": turn.get("role"), "content": [*content, *calls]})
    return {"system": text_of(system), "messages": messages, "tools": body.get("tools") or []}


def rendered(body: dict[str, Any], model: ModelProfile) -> dict[str, Any]:
    """Return a Messages request as a completion's. Raises UserError for what it cannot express."""
    if unknown := [name for name in body if name not in EXPRESSED]:
        raise not_expressed(unknown[0], NAME, model)
    messages: list[dict[str, Any]] = (
        [{"role": model.accepts.system, "content": text}] if (text := _system(body, model)) else []
    )
    for turn in body["messages"]:
        messages += _turns(turn, model)
    sent: dict[str, Any] = {"model": body["model"], "messages": messages, model.accepts.limit: body["max_tokens"]}
    sent |= {name: body[given] for given, name in PASSED.items() if given in body}
    sent |= _output(body.get("output_config") or {}, model)
    if tools := body.get("tools"):
        sent["tools"] = [_tool(tool, model) for tool in tools]
    if chosen := body.get("tool_choice"):
        name = tool_choice(chosen, NAME, model)
        sent["tool_choice"] = name if isinstance(name, str) else {"type": "function", "function": name}
    return sent


def counting(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request itself: this API counts nothing."""
    return dict(body)


def most_tokens(body: Mapping[str, Any]) -> int | None:
    """Return the most tokens of the reply that a request requests; None if unknown."""
    given = body.get("max_completion_tokens") or body.get("max_tokens")
    return given if type(given) is int else None


def streamed(answer: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    """Yield a completion in chunks, each choice in one piece."""
    for chunk in chunks_of(answer, bool(options.get("include_usage"))):
        yield f"data: {json.dumps(chunk)}\n\n"
    yield "data: [DONE]\n\n"


def chunks_of(answer: Mapping[str, Any], with_usage: bool) -> Iterator[dict[str, Any]]:
    about = {name: answer.get(name) for name in ("id", "created", "model", "system_fingerprint", "service_tier")}
    chunk = {**about, "object": "chat.completion.chunk"}
    choices = answer["choices"]
    for place, choice in enumerate(choices):
        index, said = choice.get("index", 0), choice["message"]
        index = index if type(index) is int and 0 <= index < len(choices) else place
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{name: said[name]} for name in ("reasoning_content", "content", "refusal") if said.get(name)]
        calls = enumerate(as_objects(said.get("tool_calls")))
        deltas += [{"tool_calls": [{"index": place, **call}]} for place, call in calls]
        for delta in deltas:
            logprobs = choice.get("logprobs")
            told = {"logprobs": logprobs} if delta.get("content") and isinstance(logprobs, dict) else {}
            yield {**chunk, "choices": [{"index": index, "delta": delta, "finish_reason": None, **told}]}
        ended = {"index": index, "delta": {}, "finish_reason": choice.get("finish_reason")}
        yield {**chunk, "choices": [ended]}
    if with_usage:
        yield {**chunk, "choices": [], "usage": answer.get("usage")}


def _tool_use(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function") or call.get("custom") or {}
    given = tool_arguments(function.get("name"), function.get("arguments", function.get("input", "")))
    return {"type": "tool_use", "id": call.get("id", ""), "name": function.get("name"), "input": given}


def _system(body: Mapping[str, Any], model: ModelProfile) -> str:
    content = blocks_of(body.get("system") or "")
    if other := [block for block in content if block.get("type") != "text"]:
        raise not_expressed(f"a system prompt with {other[0].get('type')}", NAME, model)
    return "\n\n".join(block["text"] for block in content if block["text"])


def _turns(turn: Mapping[str, Any], model: ModelProfile) -> list[dict[str, Any]]:
    """Return a turn as messages: one for each tool result, then one for the user's text."""
    parts: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for block in blocks_of(turn["content"]):
        match block:
            case {"type": "text", "text": str(text)}:
                parts.append({"type": "text", "text": text})
            case {"type": "image", "source": source}:
                parts.append({"type": "image_url", "image_url": {"url": data_url(source, NAME, model)}})
            case {"type": "tool_use", "id": str(id), "name": str(name), "input": given}:
                function = {"name": name, "arguments": json.dumps(given, ensure_ascii=False)}
                calls.append({"id": id, "type": "function", "function": function})
            case {"type": "tool_result", "tool_use_id": str(id)}:
                text = _result(block, model)
                results.append({"role": "tool", "tool_call_id": id, "content": text})
            case _:
                raise not_expressed(f"a block {block.get('type')!r}", NAME, model)
    content: Any = parts
    if all(part["type"] == "text" for part in parts):
        content = "".join(part["text"] for part in parts)
    said = {"role": turn["role"], "content": content or (None if calls else "")}
    return [*results, *([said | ({"tool_calls": calls} if calls else {})] if content or calls or not results else [])]


def _result(block: Mapping[str, Any], model: ModelProfile) -> str:
    inner = blocks_of(block.get("content") or "")
    if other := [each for each in inner if each.get("type") != "text"]:
        raise not_expressed(f"a tool result with {other[0].get('type')!r}", NAME, model)
    return text_of(inner)


def _tool(tool: Mapping[str, Any], model: ModelProfile) -> dict[str, Any]:
    strict = {"strict": tool["strict"]} if "strict" in tool else {}
    function = {**described(tool, NAME, model), "parameters": tool["input_schema"], **strict}
    return {"type": "function", "function": function}


def _output(config: Mapping[str, Any], model: ModelProfile) -> dict[str, Any]:
    sent: dict[str, Any] = {"reasoning_effort": config["effort"]} if config.get("effort") else {}
    if form := config.get("format"):
        schema = {"name": "answer", "schema": form["schema"], "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": schema}
    return sent
