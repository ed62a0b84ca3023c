"""Sessions that were rewound, forked or compacted: no turn that was undone is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from longctx.functions.transcript import Transcript, read_transcript
from tests.functions.turns import texts
from tests.given import json_lines
from tests.refusals import refused

Line = dict[str, Any]


def logged(folder: Path, *lines: Line) -> Transcript:
    return read_transcript(json_lines(folder / "session.jsonl", *lines), caller=folder)


def said(name: str, parent: str | None, text: str, role: str = "user", **more: Any) -> Line:
    """Return a record of Claude Code."""
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"type": role, "uuid": name, "parentUuid": parent, "message": message, **more}


def called(name: str, parent: str, call: str, reply: str = "m") -> Line:
    blocks = [{"type": "tool_use", "id": call, "name": "Bash", "input": {}}]
    message = {"role": "assistant", "id": reply, "content": blocks}
    return {"type": "assistant", "uuid": name, "parentUuid": parent, "message": message}


def returned(name: str, parent: str, call: str, text: str) -> Line:
    message = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]}
    return {"type": "user", "uuid": name, "parentUuid": parent, "message": message}


def test_a_rewound_session_has_the_branch_that_ends_last(tmp_path: Path) -> None:
    session = logged(
        tmp_path,
        said("1", None, "Start."),
        said("2", "1", "Noted.", "assistant"),
        said("3", "2", "Friday."),
        said("4", "3", "Moved to Friday.", "assistant"),
        said("5", "2", "Monday."),
        said("6", "5", "Moved to Monday.", "assistant"),
    )
    assert texts(session) == ["Start.", "Noted.", "Monday.", "Moved to Monday."]
    assert session.left_out == ("2 turns undone",)


def test_a_session_that_was_rewound_to_its_start(tmp_path: Path) -> None:
    lines = [said("1", None, "Old."), said("2", "1", "Yes.", "assistant"), said("3", None, "New.")]
    assert texts(logged(tmp_path, *lines)) == ["New."]


def test_a_fork_that_was_left_again(tmp_path: Path) -> None:
    session = logged(
        tmp_path,
        said("1", None, "Start."),
        said("2", "1", "Left.", "assistant"),
        said("3", "1", "Kept.", "assistant"),
        said("4", "2", "On the left."),
        said("5", "3", "On the kept one."),
    )
    assert texts(session) == ["Start.", "Kept.", "On the kept one."]


def test_results_of_parallel_calls_stay(tmp_path: Path) -> None:
    """Each result follows its own call, so that all but one are beside the branch."""
    session = logged(
        tmp_path,
        said("1", None, "Look."),
        called("2", "1", "t1"),
        called("3", "2", "t2"),
        returned("4", "2", "t1", "one"),
        returned("5", "3", "t2", "two"),
        said("6", "5", "Done.", "assistant"),
    )
    assert texts(session) == ["Look.", "call t1", "call t2", "one", "two", "Done."]
    assert session.left_out == ()


def test_a_rewind_inside_a_tool_exchange(tmp_path: Path) -> None:
    session = logged(
        tmp_path,
        said("1", None, "Look."),
        called("2", "1", "t1"),
        returned("3", "2", "t1", "undone"),
        said("4", "3", "It is undone.", "assistant"),
        returned("5", "2", "t1", "kept"),
        said("6", "5", "It is kept.", "assistant"),
    )
    assert texts(session) == ["Look.", "call t1", "kept", "It is kept."]
    assert session.left_out == ("2 turns undone",)


def test_records_without_turns_link_those_with_them(tmp_path: Path) -> None:
    progress = {"type": "progress", "uuid": "p", "parentUuid": "1", "data": {}}
    late = {"type": "system", "subtype": "stop_hook", "uuid": "s", "parentUuid": "3"}
    session = logged(tmp_path, said("1", None, "One."), progress, said("3", "p", "Two.", "assistant"), late)
    assert texts(session) == ["One.", "Two."]


def test_a_compaction_goes_on_with_what_it_followed(tmp_path: Path) -> None:
    session = logged(
        tmp_path,
        said("1", None, "One."),
        said("u", "1", "Undone.", "assistant"),
        said("2", "1", "Two.", "assistant"),
        {"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": None, "logicalParentUuid": "2"},
        said("3", "c", "Summary.", isCompactSummary=True),
        said("4", "3", "Three."),
    )
    assert (texts(session), session.compactions) == (["One.", "Two.", "Three."], 1)


def test_subagents_by_the_call_that_started_them(tmp_path: Path) -> None:
    """As Claude's agent SDK streams them, without parents."""
    lines = [
        {name: value for name, value in line.items() if name != "parentUuid"}
        for line in (
            said("1", None, "Go."),
            said("2", None, "Of a subagent.", "assistant", parent_tool_use_id="t1"),
            said("3", None, "Done.", "assistant", parent_tool_use_id=None),
        )
    ]
    assert texts(logged(tmp_path, *lines)) == ["Go.", "Done."]
    assert texts(logged(tmp_path, lines[1])) == ["Of a subagent."]


def qwen(name: str, parent: str | None, kind: str, *parts: Line) -> Line:
    role = "model" if kind == "assistant" else "user"
    return {"uuid": name, "parentUuid": parent, "type": kind, "message": {"role": role, "parts": [*parts]}}


def test_a_session_of_qwen_code(tmp_path: Path) -> None:
    session = logged(
        tmp_path,
        qwen("1", None, "user", {"text": "Look."}),
        qwen("2", "1", "assistant", {"text": "hm", "thought": True}, {"functionCall": {"id": "c1", "name": "ls"}}),
        qwen("3", "2", "tool_result", {"functionResponse": {"id": "c1", "name": "ls", "response": {"output": "a"}}}),
        qwen("x", "3", "assistant", {"text": "Undone."}),
        {"uuid": "4", "parentUuid": "3", "type": "system", "subtype": "chat_compression", "systemPayload": {}},
        qwen("5", "4", "assistant", {"text": "There is a."}),
    )
    assert texts(session) == ["Look.", "call c1", "a", "There is a."]
    assert (session.compactions, session.left_out) == (1, ("1 turn undone",))


def pi(name: str, parent: str | None, **message: Any) -> Line:
    return {"type": "message", "id": name, "parentId": parent, "message": message}


def test_a_session_of_pi(tmp_path: Path) -> None:
    call = {"type": "toolCall", "id": "t1", "name": "read", "arguments": {"path": "a"}}
    session = logged(
        tmp_path,
        {"type": "session", "version": 3, "id": "s", "cwd": "/p"},
        {"type": "model_change", "id": "0", "parentId": None, "modelId": "m"},
        pi("1", "0", role="user", content="Look."),
        pi("2", "1", role="assistant", content=[{"type": "thinking", "thinking": "hm"}, call], stopReason="toolUse"),
        pi("3", "2", role="toolResult", toolCallId="t1", content=[{"type": "text", "text": "berth 7"}]),
        pi("x", "3", role="assistant", content=[{"type": "text", "text": "Undone."}]),
        pi("4", "3", role="assistant", content=[], stopReason="error", errorMessage="529"),
        {"type": "compaction", "id": "5", "parentId": "4", "summary": "Berth.", "firstKeptEntryId": "3"},
        pi("6", "5", role="bashExecution", command="ls", output="a b"),
        pi("7", "6", role="assistant", content=[{"type": "text", "text": "Berth 7."}]),
    )
    assert texts(session) == ["Look.", "call t1", "berth 7", "$ ls\na b", "Berth 7."]
    assert (session.compactions, session.left_out) == (1, ("1 turn undone", "1 API error"))


def test_a_trajectory_of_mini_swe_agent(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "You fix."},
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "ls", "extra": {}},
        {"role": "user", "content": "a.py"},
        {"role": "exit", "content": "Submitted"},
    ]
    session = logged(tmp_path, {"info": {}, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"})
    assert (texts(session), session.system) == (["Fix it.", "ls", "a.py"], "You fix.")


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ({"info": {}, "messages": [{"role": "x", "text": "y"}]}, "info, messages"),
        ({"type": "user", "message": {"body": "x"}}, "type, message"),
    ],
)
def test_a_neighbour_of_a_form_is_refused_with_its_fields(tmp_path: Path, line: Line, names: str) -> None:
    with refused("bad-transcript", "line 1", "is not a log of requests"):
        logged(tmp_path, line)


COMPACTED = {"type": "compaction", "content": "The code is K17."}


def test_a_compaction_block_is_what_the_model_saw(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "The code is K17. Wait."},
        {"role": "assistant", "content": [COMPACTED, {"type": "text", "text": "Waiting."}]},
        {"role": "user", "content": "Which code?"},
    ]
    session = logged(tmp_path, {"messages": messages})
    assert session.compactions == 1
    assert texts(session) == [
        "Summary of the conversation so far:\n\nThe code is K17.",
        "Waiting.",
        "Which code?",
    ]
    assert session.left_out == ("1 turn before a compaction",)
