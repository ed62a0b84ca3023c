"""Logs of other programs: sessions of agents, chat completions, plain lists of turns, and what is none of these."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longctx.errors import UserError
from longctx.functions.transcript import Transcript, read_transcript
from tests.given import json_lines, written
from tests.refusals import refused


def logged(folder: Path, *lines: Any) -> Transcript:
    return read_transcript(json_lines(folder / "session.jsonl", *lines), caller=folder)


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
        ([{"resourceSpans": []}], "line 1 is not a log of requests (its fields are resourceSpans)"),
        ([[{"type": "human", "data": {"content": "a"}}]], "(its fields are type, data in a list)"),
        ([[{"kind": "request", "parts": []}]], "(its fields are kind, parts in a list)"),
        ([{"messages": [{"role": "robot", "content": "a"}]}], "a turn has the role 'robot'"),
        ([{"messages": [{"text": "a"}]}], "(its turns are no lists of texts, calls and results)"),
        ([{"request": {"model": "m"}}], "(it has no `messages`, but model)"),
        ([{"type": "response_item", "payload": {"role": "user", "content": 5}}], "(its fields are type, payload)"),
        ([5], "line 1 is not a log of requests (its fields are none)"),
        ([{"role": "user", "content": "a"}, {"span": 1}], "line 2 is not a log of requests (its fields are span)"),
        (
            [{"role": "user", "content": "a"}, {"messages": []}],
            "line 2 is not a log of requests (its fields are messages)",
        ),
        ([{"type": "summary"}], "line 1 is not a log of requests (its fields are type)"),
        ([{"type": "session_meta", "payload": {}}], "is a log of Codex CLI without turns"),
        ([{"sessionId": "s", "projectHash": "h", "messages": []}], "is a log of Gemini CLI without turns"),
        ([{"info": {}, "messages": []}], "is a log of opencode export without turns"),
        ([{"$set": {"messages": [{"type": "user"}]}}], "(its fields are $set)"),
        ([{"\x1b[31m" * 50: 1}], r"(its fields are \x1b[31m"),
    ],
)
def test_anything_else_is_named(tmp_path: Path, lines: list[Any], told: str) -> None:
    with pytest.raises(UserError) as raised:
        logged(tmp_path, *lines)
    assert told in str(raised.value)


def test_half_a_line_within_a_log_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "session.jsonl", '{"messages": [{"ro\n{"messages": [{"role": "user", "content": "a"}]}\n')
    with pytest.raises(UserError, match="line 1 is not JSON"):
        read_transcript(path, caller=tmp_path)


CODEX = [
    {"type": "session_meta", "payload": {"id": "s", "base_instructions": {"text": "You run a depot."}}},
    {"type": "event_msg", "payload": {"type": "user_message", "message": "How many?"}},
]


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return {"timestamp": "t", "type": "response_item", "payload": {"type": kind, **fields}}


def said(role: str, *texts: str, **fields: Any) -> dict[str, Any]:
    return item("message", role=role, content=[{"type": "input_text", "text": text} for text in texts], **fields)


def test_a_codex_session(tmp_path: Path) -> None:
    session = logged(
        tmp_path,
        *CODEX,
        said("developer", "Ask before you write."),
        said("user", "<environment_context>"),
        item("message", role="user", content=[{"type": "input_image", "image_url": "data:"}]),
        said("user", "How many?"),
        item("reasoning", summary=[], encrypted_content="g"),
        item("function_call", call_id="c1", name="stock", arguments='{"of": "Corrin"}'),
        item("custom_tool_call", call_id="c2", name="patch", input="*** Begin"),
        {"type": "event_msg", "payload": {"type": "error", "message": "stream disconnected"}},
        said("assistant", "Wait."),
        item("function_call_output", call_id="c1", output={"content": "412", "success": True}),
        item("custom_tool_call_output", call_id="c2", output="done"),
        {"type": "compacted", "payload": {"message": "Summary.", "replacement_history": [{"role": "user"}]}},
        said("user", "Undo me."),
        said("assistant", "Undone."),
        {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}},
        said("user", "And now?"),
        item("function_call", call_id="c3", name="stock", arguments="{"),
    )
    assert session.system == "You run a depot.\n\nAsk before you write."
    assert [turn["role"] for turn in session.messages] == ["user", "assistant", "user", "assistant", "user"] or session
    calls = [block["input"] for turn in session.messages for block in turn["content"] if block["type"] == "tool_use"]
    results = [
        block["content"] for turn in session.messages for block in turn["content"] if block["type"] == "tool_result"
    ]
    assert (calls, results) == ([{"of": "Corrin"}, {"input": "*** Begin"}], ["412", "done"])
    assert "Undo" not in str(session.messages)
    assert "Summary" not in str(session.messages)
    assert str(session.messages[-1]).count("And now?") == 1
    assert (session.compactions, session.left_out) == (1, ("1 picture", "1 API error", "2 turns undone"))


def test_what_a_codex_session_began_with(tmp_path: Path) -> None:
    before = said("user", "Depot 0 has code K0.")["payload"]
    session = logged(
        tmp_path,
        *CODEX,
        {"type": "compacted", "payload": {"replacement_history": [before]}},
        said("assistant", "Noted."),
    )
    assert "K0" in str(session.messages[0])
    assert len(session.messages) == 2


def rolled_back(turns: int) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": turns}}


@pytest.mark.parametrize(
    "undone",
    [
        [said("user", "<b>Bold</b> of you.")],
        [said("user", "<environment_context>new</environment_context>"), said("user", "Undone.")],
    ],
    ids=["markup", "context"],
)
def test_what_a_person_said_is_what_codex_rolls_back(tmp_path: Path, undone: list[dict[str, Any]]) -> None:
    """Turns in which Codex describes the environment are none of a person's, and go with the turn after them."""
    kept = [*CODEX, said("user", "First."), said("assistant", "Yes.")]
    session = logged(tmp_path, *kept, *undone, said("assistant", "No."), rolled_back(1), said("user", "Second."))
    assert [turn["content"][0]["text"] for turn in session.messages] == ["First.", "Yes.", "Second."]
    assert session.left_out == ("2 turns undone",)


BASE = "01a2255c-9c13-7981-8a6a-ec0f76f03310"


def rollout(thread: str, base: str = "") -> dict[str, Any]:
    more = {"history_base": {"thread_id": base, "end_ordinal_exclusive": 2}} if base else {}
    return {"type": "session_meta", "payload": {"id": thread, **more}}


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([rollout("t", BASE), said("user", "Half.")], f"goes on with a session that is in another file.*{BASE}"),
        ([rollout("t", "$(rm -rf .)"), said("user", "Half.")], "goes on with a rollout that has no id"),
        ([rollout("a"), said("user", "First."), rollout("t", BASE)], "another rollout than the one before it"),
    ],
)
def test_a_part_of_a_codex_session_is_refused(tmp_path: Path, lines: list[Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        logged(tmp_path, *lines)


def gemini(name: str, kind: str, text: str = "", **fields: Any) -> dict[str, Any]:
    return {
        "id": name,
        "timestamp": "t",
        "type": kind,
        "content": [{"text": text}] if kind == "user" else text,
        **fields,
    }


def gemini_call(result: Any) -> dict[str, Any]:
    answer = [{"functionResponse": {"id": "c", "name": "read", "response": {"output": result}}}]
    return {"id": "c", "name": "read", "args": {"path": "0.txt"}, "result": answer, "status": "success"}


def test_a_gemini_session_of_one_json_text(tmp_path: Path) -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
    messages = [
        gemini("u", "user", "Look up depot 0.") | {"content": [{"text": "Look up depot 0."}, picture]},
        gemini("i", "info", "Update available"),
        gemini("e", "error", "[API Error: 503]"),
        gemini("g", "gemini", "Looking.", toolCalls=[gemini_call("K000"), {"id": "d", "name": "read", "args": {}}]),
        gemini("h", "gemini", "It is K000."),
    ]
    session = logged(tmp_path, {"sessionId": "s", "projectHash": "h", "messages": messages})
    assert [turn["role"] for turn in session.messages] == ["user", "assistant", "user", "assistant"]
    assert session.messages[2]["content"] == [{"type": "tool_result", "tool_use_id": "c", "content": "K000"}]
    assert "Update" not in str(session.messages)
    assert session.left_out == ("1 picture", "1 API error")


def test_a_gemini_session_of_json_lines(tmp_path: Path) -> None:
    """A record is written again when it changes, what is undone goes, and a summary stands for no turn."""
    kept = [gemini("a", "user", "first"), gemini("b", "gemini", "reply", toolCalls=[gemini_call("K1")])]
    summary = gemini("s", "user", "Summary of all.")
    session = logged(
        tmp_path,
        {"sessionId": "s", "projectHash": "h", "startTime": "t"},
        kept[0],
        gemini("b", "gemini", "reply"),
        kept[1],
        gemini("c", "user", "undone"),
        {"$rewindTo": "c"},
        gemini("d", "user", "aborted"),
        {"$set": {"messages": kept}},
        {"$set": {"summary": "A depot."}},
        gemini("e", "user", "second"),
        {"$set": {"messages": [summary, gemini("e", "user", "second")]}},
        summary,
        gemini("f", "gemini", "last"),
    )
    texts = [block.get("text") for turn in session.messages for block in turn["content"]]
    assert [text for text in texts if text] == ["first", "reply", "second", "last"]
    assert (session.compactions, session.left_out) == (1, ("2 turns undone",))
    assert str(session.messages).count("K1") == 1


def test_a_rewind_after_a_compaction_is_no_compaction(tmp_path: Path) -> None:
    """The program writes what it has after each; a result may be made anew, with an id of its own."""
    first, second = gemini("a", "user", "first"), gemini("b", "gemini", "reply", toolCalls=[gemini_call("K1")])
    summary, later = gemini("s", "user", "Summary."), gemini("c", "user", "later")
    again = gemini("b_response", "user") | {"content": gemini_call("K1")["result"]}
    session = logged(
        tmp_path,
        {"sessionId": "s", "projectHash": "h", "startTime": "t"},
        *[first, second, gemini("g", "gemini", "undone"), {"$rewindTo": "g"}, {"$set": {"messages": [second, again]}}],
        *[gemini("d", "user", "next"), {"$set": {"messages": [summary]}}, later, gemini("u", "user", "undone")],
        *[{"$rewindTo": "u"}, {"$set": {"messages": [summary, later]}}, gemini("e", "gemini", "last")],
    )
    texts = [block["text"] for turn in session.messages for block in turn["content"] if block["type"] == "text"]
    assert texts == ["reply", "next", "later", "last"]
    assert (session.compactions, session.left_out) == (1, ("3 turns undone",))


def test_an_opencode_session_that_was_reverted_inside_a_message(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": text, "id": text} for text in ("kept", "undone")]
    messages = [
        {"info": {"role": "user", "id": "1"}, "parts": [{"type": "text", "text": "Look."}]},
        {"info": {"role": "assistant", "id": "2"}, "parts": parts},
        {"info": {"role": "user", "id": "3"}, "parts": [{"type": "text", "text": "also undone"}]},
    ]
    session = logged(tmp_path, {"info": {"revert": {"messageID": "2", "partID": "undone"}}, "messages": messages})
    assert [turn["content"][0]["text"] for turn in session.messages] == ["Look.", "kept"]
    assert session.left_out == ("2 turns undone",)


def test_an_opencode_export(tmp_path: Path) -> None:
    def message(role: str, *parts: dict[str, Any], **info: Any) -> dict[str, Any]:
        return {"info": {"role": role, "id": f"m{len(str(parts))}", **info}, "parts": [*parts]}

    def text(words: str) -> dict[str, Any]:
        return {"type": "text", "text": words}

    state = {
        "status": "completed",
        "input": {"path": "0.txt"},
        "output": "K000",
        "attachments": [{"type": "file", "mime": "image/png"}],
    }
    running = {"type": "tool", "tool": "read", "callID": "c2", "state": {"status": "running", "input": {}}}
    notes = {"type": "file", "mime": "text/plain", "url": "file:"}
    export = {
        "info": {"id": "ses", "revert": {"messageID": "undone"}},
        "messages": [
            message("user", text("Look up depot 0."), notes, {"type": "file", "mime": "application/pdf"}),
            message("assistant", text("half a reply"), error={"name": "APIError"}),
            message("assistant", {"type": "tool", "tool": "read", "callID": "c1", "state": state}, text("It is K000.")),
            message("user", {"type": "compaction", "auto": True}),
            message("assistant", text("Summary."), summary=True),
            message("assistant", text("stopped here"), running, error={"name": "MessageAbortedError"}),
            message("user", text("undone"), id="undone"),
        ],
    }
    session = logged(tmp_path, export)
    assert [turn["role"] for turn in session.messages] == ["user", "assistant", "user", "assistant"]
    assert session.messages[2]["content"][0]["content"] == "K000"
    assert [block["text"] for block in session.messages[3]["content"]] == ["It is K000.", "stopped here"]
    assert session.left_out == ("1 file", "1 API error", "1 picture", "1 turn undone")
    assert session.compactions == 1


def test_a_cline_task(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    session = logged(
        tmp_path,
        [
            {"role": "user", "content": [{"type": "text", "text": "Look.", "call_id": "x"}, picture], "ts": 1},
            {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, CALL | {"signature": "s"}],
                "modelInfo": {"modelId": "m"},
            },
            {"role": "user", "content": [result([{"type": "text", "text": "412"}, picture])], "ts": 2},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "Now", "reasoning_details": []}, CALL | {"id": "t2"}],
            },
        ],
    )
    assert session.messages == [
        {"role": "user", "content": [{"type": "text", "text": "Look."}]},
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [result([{"type": "text", "text": "412"}])]},
        {"role": "assistant", "content": [{"type": "text", "text": "Now"}]},
    ]
    assert session.left_out == ("2 pictures",)


def test_what_a_claude_code_session_leaves_out(tmp_path: Path) -> None:
    session = logged(
        tmp_path,
        user([{"type": "image", "source": {}}, {"type": "text", "text": "Look."}]),
        assistant({"type": "text", "text": "API Error: 529"}, isApiErrorMessage=True),
        assistant({"type": "text", "text": "I see."}),
    )
    assert len(session.messages) == 2
    assert session.left_out == ("1 picture", "1 API error")


OPENCODE: dict[str, Any] = {"info": {"role": "user"}, "parts": [{"type": "text", "text": "Look up [depot] 0."}]}
WHOLE = [{"role": "user", "content": "Bär"}, {"role": "assistant", "content": "ok"}]


@pytest.mark.parametrize(
    ("lines", "cut"),
    [
        (lambda: "\n".join(json.dumps(turn) for turn in WHOLE) + '\n{"role": "user", "con', "a line"),
        (lambda: "".join(json.dumps({"messages": WHOLE}) + "\n" for _ in "ab") + '{"messages": [{"ro', "a request"),
        (lambda: json.dumps([*WHOLE, {"role": "user", "content": "more }]"}])[:-8], "a list"),
        (lambda: json.dumps([*WHOLE, {"role": "user", "content": "more"}], indent=2)[:-8], "a list over several lines"),
        (
            lambda: json.dumps({"info": {"a": [[1]]}, "messages": [OPENCODE, OPENCODE]})[:-20],
            "an export",
        ),
        (
            lambda: json.dumps(
                {
                    "sessionId": "s",
                    "projectHash": "h",
                    "messages": [gemini("a", "user", "x"), gemini("b", "gemini", "y")],
                }
            )[:-9],
            "a Gemini session",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_session_that_was_cut_is_read_to_its_last_whole_turn(tmp_path: Path, lines: Any, cut: str) -> None:
    path = written(tmp_path / "session.json", lines())
    session = read_transcript(path, caller=tmp_path)
    assert session.left_out == ("the end, which is cut",)
    assert len(session.messages) == (1 if cut in ("an export", "a Gemini session") else 2)


def test_a_session_that_was_cut_within_a_character(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    text = "\n".join(json.dumps(turn, ensure_ascii=False) for turn in (*WHOLE, WHOLE[0])).encode()
    path.write_bytes(text[: text.rindex(b"\xc3") + 1])
    assert len(read_transcript(path, caller=tmp_path).messages) == 2
    path.write_bytes(text.replace("ä".encode(), b"\xe4"))
    with pytest.raises(UserError, match="not UTF-8"):
        read_transcript(path, caller=tmp_path)


def test_text_that_is_no_log_is_quoted(tmp_path: Path) -> None:
    path = written(tmp_path / "history.md", "\n# aider chat started\n\n#### Look up depot 0.\n")
    with pytest.raises(UserError, match=r"is not a log of requests \(it begins with '# aider chat started'\)"):
        read_transcript(path, caller=tmp_path)


def test_half_a_character_is_replaced(tmp_path: Path) -> None:
    """An agent that shortens a text may cut an emoji in half; no request can have that."""
    session = logged(tmp_path, [{"role": "user", "content": "\ud83d and \U0001f642"}])
    assert session.messages[0]["content"] == "? and \U0001f642"


def test_results_that_stand_far_from_their_calls(tmp_path: Path) -> None:
    session = logged(
        tmp_path,
        *CODEX,
        said("user", "Go."),
        item("function_call", call_id="c1", name="stock", arguments="{}"),
        item("function_call", call_id="c2", name="stock", arguments="{}"),
        item("function_call_output", call_id="c1", output="1"),
        said("assistant", "One is there."),
        item("function_call_output", call_id="c2", output="2"),
        item("function_call_output", call_id="c2", output="again"),
    )
    assert "again" not in str(session.messages)
    assert len(session.messages) == 6


LINE = '{"role": "user", "content": "' + "a" * 900 + '"}\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 100_000, "is not JSON (it is nested too deeply)"),
        ('{"a":' * 100_000, "is not JSON (it is nested too deeply)"),
        ('{"messages": ' + '[{"role": "user", "content": ' * 400, "is not JSON"),
        ("{}\n" * 1500, "(its fields are none)"),
        ("1" * 5000, "is not a log of requests (it begins with '1111"),
    ],
    ids=lambda value: value[:15],
)
def test_nested_and_foreign_texts_are_refused_in_a_sentence(tmp_path: Path, text: str, told: str) -> None:
    path = written(tmp_path / "session.json", text)
    with refused("bad-transcript", told):
        read_transcript(path, caller=tmp_path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"role": "user", "content": "' + "a" * 3000, "line 1 has more than 2,000 bytes"),
        (LINE * 3, "its turns have more than 2,000 characters"),
        (('{"type": "response_item", "payload": ' + LINE.strip() + "}\n") * 3, "more than 2,000 characters"),
        (
            ('{"type": "user", "isSidechain": true, "message": ' + LINE.strip() + "}\n") * 3,
            "more than 2,000 characters",
        ),
        (
            "".join(f'{{"id": "{name}", "type": "user", "content": "{"a" * 900}"}}\n' for name in "aabc"),
            "line 4 .* more than 2,000 characters",
        ),
    ],
    ids=["line", "turns", "codex", "claude", "gemini"],
)
def test_what_is_kept_of_a_session_is_bounded(
    tmp_path: Path, text: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longctx.functions.session_reader.MOST_OF_SESSION", 2000)
    monkeypatch.setattr("longctx.results.records.MOST_OF_LINE", 2000)
    path = written(tmp_path / "session.jsonl", text)
    with pytest.raises(UserError, match=told):
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


def test_system_prompts_among_the_input_of_responses_are_kept(tmp_path: Path) -> None:
    given = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "How many?"}]
    first = {"request": {"input": given}, "response": {"id": "r1", "output": []}}
    second = {"request": {"input": "And now?", "previous_response_id": "r1"}, "response": {"id": "r2", "output": []}}
    session = logged(tmp_path, first, second)
    assert (session.system, "And now?" in str(session.messages)) == ("Be brief.", True)


@pytest.mark.parametrize("of", [lambda turns: turns, lambda turns: {"messages": turns}], ids=["lists", "requests"])
def test_the_last_of_the_longest_is_the_session(tmp_path: Path, of: Callable[[list[Any]], Any]) -> None:
    turn = {"role": "user", "content": "a"}
    lines = [of([turn, {"role": "assistant", "content": reply}]) for reply in ("b", "c")]
    assert logged(tmp_path, *lines, of([turn])).messages[-1]["content"] == "c"


def test_a_result_of_no_call_is_left_out(tmp_path: Path) -> None:
    session = logged(tmp_path, user("a"), user([result("412")]), assistant({"type": "text", "text": "b"}))
    assert "412" not in str(session.messages)


def test_a_batch_line_and_a_file_of_one_json_text(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    batch = {"custom_id": "1", "url": "/v1/chat/completions", "body": {"messages": turns}}
    assert logged(tmp_path, batch).messages == turns
    path = written(tmp_path / "session.json", json.dumps({"messages": turns}, indent=1))
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
