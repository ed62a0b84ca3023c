"""The context management of the Messages API, as its documentation describes it, around a simulated model.

Source: "Context editing" and "Compaction", https://platform.claude.com/docs/en/build-with-claude, and the SDK's types.
It is no model, and is never used for recordings in cassettes/.
"""

from __future__ import annotations

import re
from typing import Any

from tests.servers import Answer, Body, count_tokens, message, text_of

CLEARED = "[cleared to save context]"
SUMMARY_WORDS = 12
"""How many words the simulated model writes as a summary, the first of the conversation, unless it is told a number."""


def knowing(text: str) -> str:
    """Return what the simulated model answers: the last value that the text gives for what is asked."""
    asked = re.findall(r"What is the (\w+ of \w+)\?", text)
    found = re.findall(rf"{asked[-1]} is (\w+)", text) if asked else []
    return found[-1] if found else "Not known."


def managed(body: Body) -> Answer:
    """Answer a request after the edits that it asks for: the script of a SimulatedServer."""
    messages: list[Body] = [dict(turn) for turn in body["messages"]]
    edits = body.get("context_management", {}).get("edits", [])
    applied: list[dict[str, Any]] = []
    iterations: list[dict[str, Any]] = []
    content: list[dict[str, Any]] = []
    for edit in edits:
        clears = edit["type"] == "clear_tool_uses_20250919"
        before = _size(messages)
        if before <= edit.get("trigger", {}).get("value", 100_000 if clears else 150_000):
            continue
        if clears:
            number = _clear(messages, edit.get("keep", {}).get("value", 3))
            if number:
                cleared = {"cleared_tool_uses": number, "cleared_input_tokens": before - _size(messages)}
                applied.append({"type": edit["type"], **cleared})
        else:
            summary = _summary(messages[:-1])
            content = [{"type": "compaction", "content": summary}]
            messages = [{"role": "user", "content": summary}, messages[-1]]
            iterations.append({"type": "compaction", "input_tokens": before, "output_tokens": count_tokens(summary)})
    asked = re.search(r"summar(?:y|ise)(?:.*\bin (\d+) words)?", _text(messages[-1]), re.IGNORECASE)
    text = _summary(messages, asked[1]) if asked else knowing("\n".join(map(_text, messages)))
    used: dict[str, Any] = {"input_tokens": _size(messages), "output_tokens": count_tokens(text)}
    if iterations:
        used["iterations"] = [*iterations, {"type": "message", **used}]
    changed = {"context_management": {"applied_edits": applied}} if edits else {}
    return 200, {}, message("", body, content=[*content, {"type": "text", "text": text}], usage=used, **changed)


def _clear(messages: list[Body], keep: int) -> int:
    """Clear the results of all but the newest tool uses; return how many."""
    places = [
        (turn, number)
        for turn, each in enumerate(messages)
        for number, block in enumerate(each["content"] if isinstance(each["content"], list) else [])
        if block["type"] == "tool_result"
    ]
    old = places[: len(places) - keep] if keep else places
    for turn, number in old:
        blocks = list(messages[turn]["content"])
        blocks[number] = {**blocks[number], "content": CLEARED}
        messages[turn] = {**messages[turn], "content": blocks}
    return len(old)


def _summary(messages: list[Body], words: str | None = None) -> str:
    return " ".join(" ".join(map(_text, messages)).split()[: int(words or SUMMARY_WORDS)])


def _text(turn: Body) -> str:
    return text_of(turn["content"])


def _size(messages: list[Body]) -> int:
    return count_tokens("\n".join(map(_text, messages)))
