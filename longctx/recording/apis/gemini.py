"""Gemini's generateContent: what its requests and answers mean. The model is in the path, and here in the body, too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from longctx.config.models import ModelProfile, Thinking
from longctx.recording.answer_body import not_read, read_object, server_failed
from longctx.recording.apis.openai import (
    as_objects,
    blocks_of,
    described,
    not_expressed,
    objects,
    text_of,
    tool_choice,
)
from longctx.recording.apis.usage import as_messages_usage

NAME = "gemini"
VENDOR = "google"
PATH = "/models/{model}:generateContent"
COUNT_PATH = "/models/{model}:countTokens"
COUNT_FIELD = "totalTokens"
STREAM = ":streamGenerateContent"
IN_PATH = re.compile(r"/models/(.+):(generateContent|streamGenerateContent|countTokens)$")
"""Matches a path of this API, whatever its version and server, with its model and its method."""
TRANSPORT_ONLY = frozenset(("labels", "serviceTier", "service_tier", "store"))
STOP_REASONS = {"STOP": "end_turn", "MAX_TOKENS": "max_tokens", "CONTINUATION": "max_tokens"}
FILTERED = frozenset(
    "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII ESCALATION PUP_LIMITED_DISABLED MODEL_ARMOR IMAGE_SAFETY "
    "IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION".split()
)
"""The reasons to stop that are refusals."""
FAILED = "OTHER"
"""The reason to stop by which the server failed, and not the model."""
PASSED = {"temperature": "temperature", "top_p": "topP", "top_k": "topK", "stop_sequences": "stopSequences"}
"""The parts of a Messages request that have a counterpart in `generationConfig`, and its name."""
EXPRESSED = {
    *("model", "messages", "system", "max_tokens", "thinking", "tools", "tool_choice", "output_config", *PASSED)
}
LEVELS = ("low", "medium", "high")
CHOICES = {"auto": "AUTO", "required": "ANY", "none": "NONE"}
ROLES = {"user": "user", "assistant": "model"}


def read(body: bytes) -> dict[str, Any]:
    """Return the answer in a body. Raises MalformedAnswer."""
    try:
        answer = read_object(body)
        if not (as_objects(answer.get("candidates")) or _blocked(answer)):
            raise ValueError("it has no candidates")
        message = as_message(answer)
        candidate = next(iter(as_objects(answer.get("candidates"))), {})
        if message["stop_reason"] == FAILED.lower():
            raise server_failed(FAILED, candidate.get("finishMessage"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise not_read(body, "one of generateContent", error) from None
    return answer


def as_message(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an answer in the form of a Messages API message; of several candidates, the first counts.

    A blocked prompt is a refusal, whose category is the reason.
    """
    candidate = next(iter(as_objects(answer.get("candidates"))), {})
    content = [_block(part) for part in as_objects((candidate.get("content") or {}).get("parts"))]
    reason = _blocked(answer) or _text(candidate.get("finishReason", ""))
    stop = STOP_REASONS.get(reason, reason.lower())
    if _blocked(answer) or reason in FILTERED:
        stop = "refusal"
    elif stop == "end_turn" and any(block["type"] == "tool_use" for block in content):
        stop = "tool_use"
    return {
        "role": "assistant",
        "model": _text(answer.get("modelVersion", "")),
        "content": content,
        "stop_reason": stop or None,
        "stop_details": {"category": reason.lower()} if stop == "refusal" else None,
        "usage": _usage(answer["usageMetadata"]),
    }


def as_request(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a request in the form of a Messages request."""
    inner = body.get("generateContentRequest")  # of a count of tokens
    body = inner if isinstance(inner, Mapping) else body
    messages = [
        {"role": "assistant" if turn.get("role") == "model" else "user", "content": _said(turn)}
        for turn in objects(body.get("contents"))
    ]
    system = _either(body, "systemInstruction")
    told = _said(system) if isinstance(system, Mapping) else []
    return {"system": text_of(told), "messages": messages, "tools": body.get("tools") or []}


def rendered(body: dict[str, Any], model: ModelProfile) -> dict[str, Any]:
    """Return a Messages request as one of this API. Raises UserError for what it cannot express."""
    if unknown := [name for name in body if name not in EXPRESSED]:
        raise not_expressed(unknown[0], NAME, model)
    names = _tools_called(body["messages"])
    contents = [
        {"role": ROLES[turn["role"]], "parts": [_part(block, names, model) for block in blocks_of(turn["content"])]}
        for turn in body["messages"]
    ]
    sent: dict[str, Any] = {"model": body["model"], "contents": contents}
    if system := [_part(block, names, model) for block in blocks_of(body.get("system") or "")]:
        sent["systemInstruction"] = {"parts": system}
    config = {"maxOutputTokens": body["max_tokens"]}
    config |= {name: body[given] for given, name in PASSED.items() if given in body}
    sent["generationConfig"] = config | _thinking(body, model) | _output(body)
    if tools := body.get("tools"):
        sent["tools"] = [{"functionDeclarations": [_tool(tool, model) for tool in tools]}]
    if chosen := body.get("tool_choice"):
        name = tool_choice(chosen, NAME, model)
        only = {"mode": "ANY", "allowedFunctionNames": [name["name"]]} if isinstance(name, dict) else None
        sent["toolConfig"] = {"functionCallingConfig": only or {"mode": CHOICES[str(name)]}}
    return sent


def counting(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body that requests the tokens of a request, with everything that it holds."""
    return {"model": body["model"], "generateContentRequest": {**body, "model": f"models/{body['model']}"}}


def most_tokens(body: Mapping[str, Any]) -> int | None:
    """Return the most tokens of the reply that a request requests; None if unknown."""
    config = _either(body, "generationConfig")
    given = _either(config, "maxOutputTokens") if isinstance(config, Mapping) else None
    return given if type(given) is int else None


def streamed(answer: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    """Yield an answer in the chunks by which this API streams it, as events: each part in one piece."""
    for chunk in chunks_of(answer):
        yield f"data: {json.dumps(chunk)}\r\n\r\n"


def chunks_of(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    candidates = as_objects(answer.get("candidates"))
    about = {name: value for name, value in answer.items() if name != "candidates"}
    for candidate in candidates:
        content = candidate.get("content") or {}
        index = {"index": candidate["index"]} if "index" in candidate else {}
        for part in as_objects(content.get("parts"))[:-1]:
            yield {**about, "candidates": [{"content": {**content, "parts": [part]}, **index}]}
        last = {"content": {**content, "parts": content["parts"][-1:]}} if content.get("parts") else {}
        yield {**about, "candidates": [{**candidate, **last}]}
    if not candidates:
        yield about


def _either(value: Mapping[str, Any], name: str) -> Any:
    """Return an entry of a request, whose names the API takes in camel case and in snake case."""
    return value.get(name, value.get(re.sub(r"([A-Z])", lambda found: f"_{found[1].lower()}", name)))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("its model or the reason to stop is not text")
    return value


def _blocked(answer: Mapping[str, Any]) -> str:
    return _text((answer.get("promptFeedback") or {}).get("blockReason", ""))


def _usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return usage as the Messages API counts it: thoughts are output. The API leaves out what is zero."""
    prompt = usage["promptTokenCount"] + usage.get("toolUsePromptTokenCount", 0)
    return as_messages_usage(
        usage, prompt, usage.get("candidatesTokenCount", 0) + (usage.get("thoughtsTokenCount") or 0)
    )


def _said(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a turn of a request as blocks, whatever they contain."""
    given = content.get("parts")
    return [_block(part, strict=False) for part in objects([given] if isinstance(given, Mapping) else given)]


def _block(part: Mapping[str, Any], strict: bool = True) -> dict[str, Any]:
    """Return a part as a block of a Messages message. A call without an id has that of its tool's name.

    strict: raise TypeError for a part of another form.
    """
    text, call, result = part.get("text"), _either(part, "functionCall"), _either(part, "functionResponse")
    signature = _either(part, "thoughtSignature")
    signed = {} if signature is None else {"signature": signature}
    if isinstance(text, str):
        kind = "thinking" if part.get("thought") is True else "text"
        return {"type": kind, kind: text, **signed}
    if isinstance(call, Mapping) and isinstance(name := call.get("name"), str):
        return {
            "type": "tool_use",
            "id": call.get("id") or name,
            "name": name,
            "input": call.get("args") or {},
            **signed,
        }
    if isinstance(result, Mapping) and not strict:
        told = json.dumps(result.get("response"), ensure_ascii=False)
        return {"type": "tool_result", "tool_use_id": result.get("id") or result.get("name"), "content": told}
    if strict and ("text" in part or call is not None):
        raise TypeError("a part of its content is neither text nor a call")
    return {**part, "type": next((name for name in part if name not in ("thought", "thoughtSignature")), "empty")}


def _tools_called(messages: list[dict[str, Any]]) -> dict[str, str]:
    """Return the name of the tool of each call, by the call's id."""
    blocks = (block for turn in messages for block in blocks_of(turn["content"]))
    return {block["id"]: block["name"] for block in blocks if block.get("type") == "tool_use"}


def _part(block: Mapping[str, Any], names: Mapping[str, str], model: ModelProfile) -> dict[str, Any]:
    signed = {"thoughtSignature": block["signature"]} if block.get("signature") else {}
    match block:
        case {"type": "text", "text": str(text)}:
            return {"text": text, **signed}
        case {"type": "thinking", "thinking": str(text)}:
            return {"text": text, "thought": True, **signed}
        case {"type": "image", "source": {"type": "base64", "media_type": str(kind), "data": str(data)}}:
            return {"inlineData": {"mimeType": kind, "data": data}}
        case {"type": "image", "source": source}:
            raise not_expressed(f"an image from {source.get('type')!r}", NAME, model)
        case {"type": "tool_use", "id": str(id), "name": str(name), "input": given}:
            return {"functionCall": {**_id(id, name), "name": name, "args": given}, **signed}
        case {"type": "tool_result", "tool_use_id": str(id)} if id in names:
            inner = blocks_of(block.get("content") or "")
            if any(each.get("type") != "text" for each in inner):
                raise not_expressed("a tool result with more than text", NAME, model)
            response = {"error" if block.get("is_error") else "output": text_of(inner)}
            return {"functionResponse": {**_id(id, names[id]), "name": names[id], "response": response}}
        case {"type": "tool_result"}:
            raise not_expressed("a tool result whose call is in no turn", NAME, model)
    raise not_expressed(f"a block {block.get('type')!r}", NAME, model)


def _id(id: str, name: str) -> dict[str, str]:
    """Return the id of a call, unless it is the name, which stands for none."""
    return {} if id == name else {"id": id}


def _tool(tool: Mapping[str, Any], model: ModelProfile) -> dict[str, Any]:
    declared = described(tool, NAME, model)
    if tool.get("strict"):
        raise not_expressed("a strict tool", NAME, model)
    return {**declared, "parametersJsonSchema": tool["input_schema"]}


def _thinking(body: Mapping[str, Any], model: ModelProfile) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if given := body.get("thinking"):
        thinking = Thinking.model_validate(given)
        budgets = {"enabled": thinking.budget_tokens, "adaptive": -1, "disabled": 0}
        if thinking.type not in budgets:
            raise not_expressed(f"thinking of type {thinking.type!r}", NAME, model)
        config["thinkingBudget"] = budgets[thinking.type]
        if thinking.display:
            config["includeThoughts"] = thinking.display == "summarized"
    if effort := (body.get("output_config") or {}).get("effort"):
        if effort not in LEVELS:
            raise not_expressed(f"the effort {effort!r}", NAME, model)
        if "thinkingBudget" in config:
            raise not_expressed("thinking and effort at once", NAME, model)
        config["thinkingLevel"] = effort.upper()
    return {"thinkingConfig": config} if config else {}


def _output(body: Mapping[str, Any]) -> dict[str, Any]:
    form = (body.get("output_config") or {}).get("format")
    return {"responseMimeType": "application/json", "responseJsonSchema": form["schema"]} if form else {}
