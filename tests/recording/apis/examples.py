"""Answers of OpenAI's and Gemini's APIs."""

from __future__ import annotations

import json
from typing import Any

CALL = {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}


BLOCKED = {"error": {"message": "The prompt was filtered.", "code": "content_filter", "param": "prompt"}}
"""What a server of OpenAI's APIs answers, with the status 400, to a prompt that its filter blocks."""


def completion(text: str | None = "yes", reason: str = "stop", **message: Any) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "toy",
        "choices": [
            {
                "index": 0,
                "finish_reason": reason,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "total_tokens": 15,
            "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
            "completion_tokens_details": {"reasoning_tokens": 3},
        },
    }


def said(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}


def response(*items: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "toy",
        "output": list(items) or [said("yes")],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 10,
            "output_tokens": 5,
            "total_tokens": 15,
            "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
            "output_tokens_details": {"reasoning_tokens": 3},
        },
        **changed,
    }


def called(**call: Any) -> dict[str, Any]:
    return {"functionCall": {"id": "call_1", "name": "add", "args": {"a": 1}, **call}, "thoughtSignature": "c2ln"}


def generated(*parts: dict[str, Any], reason: str = "STOP", **changed: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "finishReason": reason}
    return {
        "candidates": [candidate | ({"content": {"role": "model", "parts": list(parts)}} if parts else {})],
        "modelVersion": "toy-001",
        "responseId": "r1",
        "usageMetadata": {
            "promptTokenCount": 10,
            "toolUsePromptTokenCount": 2,
            "cachedContentTokenCount": 4,
            "candidatesTokenCount": 2,
            "thoughtsTokenCount": 3,
            "totalTokenCount": 17,
        },
        **changed,
    }


def blocked(reason: str) -> dict[str, Any]:
    feedback = {"promptFeedback": {"blockReason": reason}}
    return feedback | {"modelVersion": "toy-001", "usageMetadata": {"promptTokenCount": 10, "totalTokenCount": 10}}


def body(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer).encode()
