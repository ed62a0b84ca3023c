"""Logged requests of Gemini's API, Bedrock's Converse and LiteLLM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from longctx.functions.transcript import Transcript, read_transcript
from tests.given import json_lines

CALL = {"type": "tool_use", "id": "t1", "name": "look", "input": {"a": 1}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "berth 7"}


def logged(folder: Path, line: dict[str, Any]) -> Transcript:
    return read_transcript(json_lines(folder / "log.jsonl", line), caller=folder)


def shape(session: Transcript) -> list[tuple[str, list[str]]]:
    return [(turn["role"], [block["type"] for block in turn["content"]]) for turn in session.messages]


def test_a_request_of_gemini(tmp_path: Path) -> None:
    """Its calls may have no ids: they belong to the results in their order."""
    call = {"functionCall": {"name": "look", "args": {"a": 1}}}
    answer = {"functionResponse": {"name": "look", "response": {"output": "berth 7"}}}
    request = {
        "systemInstruction": {"parts": [{"text": "You run a depot."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Look."}, {"inlineData": {"mimeType": "image/png", "data": ""}}]},
            {"role": "model", "parts": [{"text": "hm", "thought": True}, call, call]},
            {"role": "user", "parts": [answer, answer]},
        ],
        "tools": [{"functionDeclarations": [{"name": "look", "description": "Looks."}]}],
    }
    reply = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Berth 7."}]}}]}
    session = logged(tmp_path, {"request": request, "response": reply})
    assert (session.system, session.tools[0]["description"]) == ("You run a depot.", "Looks.")
    assert shape(session) == [
        ("user", ["text"]),
        ("assistant", ["tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    assert session.left_out == ("1 picture",)
    assert shape(logged(tmp_path, request)) == shape(session)[:3]


CONVERSE: dict[str, Any] = {
    "system": [{"text": "You run a depot."}],
    "messages": [
        {"role": "user", "content": [{"text": "Look."}, {"cachePoint": {"type": "default"}}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "look", "input": {"a": 1}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "berth 7"}]}}]},
    ],
    "toolConfig": {"tools": [{"toolSpec": {"name": "look", "inputSchema": {"json": {"type": "object"}}}}]},
}


def test_a_request_of_converse(tmp_path: Path) -> None:
    session = logged(tmp_path, {"modelId": "m", **CONVERSE})
    assert session.messages[1]["content"] == [CALL]
    assert session.messages[2]["content"] == [RESULT]
    assert (session.system, session.tools[0]["name"]) == ("You run a depot.", "look")


def test_a_log_of_invocations_of_bedrock(tmp_path: Path) -> None:
    output = {"output": {"message": {"role": "assistant", "content": [{"text": "Berth 7."}]}}}
    line = {"operation": "Converse", "input": {"inputBodyJson": CONVERSE}, "output": {"outputBodyJson": output}}
    assert logged(tmp_path, line).messages[-1]["content"] == [{"type": "text", "text": "Berth 7."}]


def test_a_row_of_litellm_has_texts(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "You run a depot."}, {"role": "user", "content": "Berth is 7."}]
    reply = {"choices": [{"message": {"role": "assistant", "content": "Noted."}}]}
    session = logged(tmp_path, {"request_id": "r", "messages": json.dumps(messages), "response": json.dumps(reply)})
    assert session.system == "You run a depot."
    assert [turn["role"] for turn in session.messages] == ["user", "assistant"]
