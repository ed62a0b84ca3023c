"""Logs of other programs: Claude Code sessions, chat completions, plain lists of turns, and what is none of these."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from longctx.errors import UserError
from longctx.functions.transcript import Transcript, read_transcript


def logged(folder: Path, *lines: Any) -> Transcript:
    path = folder / "session.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return read_transcript(path, caller=folder)


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, "isSidechain": False, **more}


def assistant(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "id": "msg", "content": [*content]}, **more}


CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "stock"}}


def result(content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": False}


@pytest.mark.parametrize(
    "content",
    ["412", [{"type": "text", "text": "412"}], [{"type": "image", "source": {}}, {"type": "text", "text": "412"}]],
)
def test_a_claude_code_session(tmp_path: Path, content: Any) -> None:
    session = logged(
        tmp_path,
        {"type": "summary", "summary": "Depot work"},
        user("The code is K17."),
        assistant({"type": "thinking", "thinking": "hm"}),
        assistant(CALL),
        user([result(content)]),
        user("of a subagent", isSidechain=True),
        assistant({"type": "text", "text": "412 pieces."}),
        {"type": "system", "subtype": "compact_boundary"},
        user("What was said before.", isCompactSummary=True),
        user("And now?"),
        assistant(CALL | {"id": "t2"}),
    )
    assert [turn["role"] for turn in session.messages] == ["user", "assistant", "user", "assistant", "user"]
    assert session.messages[1]["content"] == [CALL]
    assert session.messages[2]["content"][0]["content"] == "412"
    assert "subagent" not in str(session.messages)
    assert "said before" not in str(session.messages)
    assert not session.system


def test_a_chat_of_openai(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "stock", "arguments": '{"of": "Corrin"}'}}
    request = {
        "messages": [
            {"role": "developer", "content": "You run a depot."},
            {"role": "user", "content": [{"type": "text", "text": "How many?"}]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "412"},
        ],
        "tools": [{"type": "function", "function": {"name": "stock", "parameters": {"type": "object"}}}],
    }
    reply = {"choices": [{"message": {"role": "assistant", "content": "412 pieces."}}]}
    session = logged(tmp_path, {"request": request, "response": reply})
    assert session.system == "You run a depot."
    assert [tool["name"] for tool in session.tools] == ["stock"]
    assert session.messages[1]["content"] == [
        {"type": "tool_use", "id": "c1", "name": "stock", "input": {"of": "Corrin"}}
    ]
    assert session.messages[2]["content"][0]["tool_use_id"] == "c1"
    assert "412 pieces." in str(session.messages[-1])


def test_plain_turns_in_a_list_or_in_lines(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    assert logged(tmp_path, turns).messages == logged(tmp_path, *turns).messages
    assert len(logged(tmp_path, *turns).messages) == 2


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "is empty"),
        ([{"resourceSpans": []}], "it has no `messages`, but resourceSpans"),
        ([{"messages": [{"role": "robot", "content": "a"}]}], "a turn has the role 'robot'"),
        ([5], "is not a log of requests"),
    ],
)
def test_anything_else_is_named(tmp_path: Path, lines: list[Any], told: str) -> None:
    with pytest.raises(UserError) as raised:
        logged(tmp_path, *lines)
    assert told in str(raised.value)


def test_half_a_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text('{"messages": [{"role": "user", "content": "a"}]}\n{"messages": [{"ro')
    with pytest.raises(UserError, match="line 2 is not JSON"):
        read_transcript(path, caller=tmp_path)


def test_what_a_claude_code_session_lacks_is_known(tmp_path: Path) -> None:
    session = logged(
        tmp_path,
        user("The code is K17.", uuid="u1"),
        user("The code is K17.", uuid="u1"),  # resumed: repeated
        assistant(CALL, CALL | {"id": "t9", "name": "Edit"}),
        user("Wait."),
        user([result("412")]),
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}},
        user("Go on."),
    )
    assert session.lacks == ("system prompt", "tool descriptions")
    assert [tool["name"] for tool in session.tools] == ["Bash"]
    assert session.compactions == 1
    assert str(session).count("K17") == 1
    assert "t9" not in str(session), "it was interrupted"
    assert [block["type"] for block in session.messages[2]["content"]] == ["tool_result", "text", "text"]


def test_the_log_of_a_subagent_is_a_session(tmp_path: Path) -> None:
    session = logged(
        tmp_path, user("Search.", isSidechain=True), assistant({"type": "text", "text": "Found."}, isSidechain=True)
    )
    assert len(session.messages) == 2


def test_responses_of_openai_with_what_came_before(tmp_path: Path) -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "stock", "arguments": '{"of": "Corrin"}'}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "412 pieces."}]}
    first: dict[str, Any] = {
        "request": {
            "input": "How many?",
            "instructions": "You run a depot.",
            "tools": [{"type": "function", "name": "stock"}],
        },
        "response": {"id": "r1", "output": [{"type": "reasoning", "summary": []}, call]},
    }
    output = {"type": "function_call_output", "call_id": "c1", "output": "412"}
    second = {
        "request": first["request"] | {"input": [output], "previous_response_id": "r1"},
        "response": {"id": "r2", "output": [said]},
    }
    session = logged(tmp_path, first, second)
    assert session.system == "You run a depot."
    assert [turn["role"] for turn in session.messages] == ["user", "assistant", "user", "assistant"]
    assert session.messages[1]["content"][0]["input"] == {"of": "Corrin"}
    assert session.messages[2]["content"][0]["tool_use_id"] == "c1"
    assert session.lacks == ()
    with pytest.raises(UserError, match=r"line 1 .*continues the response 'r1'"):
        logged(tmp_path, second)


def test_a_batch_line_and_a_file_of_one_json_text(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    batch = {"custom_id": "1", "url": "/v1/chat/completions", "body": {"messages": turns}}
    assert logged(tmp_path, batch).messages == turns
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"messages": turns}, indent=1))
    assert read_transcript(path, caller=tmp_path).messages == turns


def test_a_log_is_read_line_by_line(tmp_path: Path) -> None:
    """200 requests, each with all turns before it: no more than one conversation is kept."""
    turns: list[Any] = []
    path = tmp_path / "session.jsonl"
    with path.open("w") as file:
        for number in range(200):
            turns += [
                {"role": "user", "content": f"{number} " + "word " * 1000},
                {"role": "assistant", "content": "ok"},
            ]
            file.write(json.dumps({"messages": turns}) + "\n")
    tracemalloc.start()
    try:
        session = read_transcript(path, caller=tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(session.messages) == 400
    assert peak < path.stat().st_size / 10
