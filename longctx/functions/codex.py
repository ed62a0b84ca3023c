"""Sessions of Codex CLI: its rollouts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from longctx.functions.openai_requests import INSTRUCTIONS, of_item
from longctx.functions.session_reader import (
    API_ERROR,
    UNDONE,
    FoundRequest,
    Reader,
    Turn,
    output_text,
    text_of,
    tool_result,
    tool_use,
)
from longctx.functions.strategies import attached

CONTEXT = re.compile(
    r"\s*(?:# AGENTS\.md instructions"
    r"|<(?:environment_context|user_instructions|skill|user_shell_command|turn_aborted|subagent_notification"
    r"|additional_context|hook_prompt)\b)",
    re.IGNORECASE,
)
"""How turns of the user begin in which Codex tells the model something by itself."""


@dataclass
class Codex(Reader):
    """Every turn that was not undone; of what a compaction left, only what the log does not have itself.

    A rollout that goes on with another one stands behind it in one file.
    """

    said: list[int] = field(default_factory=list)
    """The places of the turns that a person said."""
    ordinals: list[int] = field(default_factory=list)
    """The number of each turn's record."""
    thread: str = ""

    def add(self, number: int, entry: Any) -> None:
        payload = entry["payload"]
        match entry["type"], payload.get("type"):
            case "session_meta", _:
                base = payload.get("base_instructions") or {}
                self.system.append(base.get("text") or payload.get("instructions") or "")
                self.begin(payload)
            case "response_item", _:
                self.item(payload)
            case "compacted", _:
                self.compactions += 1
                self.drop_summary(payload.get("message") or "")
                for item in () if self.turns else payload.get("replacement_history") or ():
                    self.item(item)
            case "event_msg", "error" | "stream_error":
                self.left_out[API_ERROR] += 1
            case "event_msg", "thread_rolled_back":
                if undone := self.said[-payload["num_turns"] :] if payload["num_turns"] else ():
                    self.undo(undone[0])
        del self.ordinals[len(self.turns) :]
        self.ordinals += [entry.get("ordinal", number)] * (len(self.turns) - len(self.ordinals))

    def begin(self, meta: Mapping[str, Any]) -> None:
        """Take up how a rollout begins: with the records of another one that were not undone, or with none."""
        if base := meta.get("history_base"):
            named, end = base["thread_id"], base["end_ordinal_exclusive"]
            if not re.fullmatch(r"[0-9a-fA-F-]{36}", named):
                raise ValueError("it goes on with a rollout that has no id")
            if not self.thread:
                self.before = f"*{named}.jsonl"
            elif self.thread not in (named, meta.get("id")):
                raise ValueError("it goes on with another rollout than the one before it")
            else:
                self.undo(sum(ordinal < end for ordinal in self.ordinals))
        self.thread = self.thread or meta.get("id") or "unknown"

    def undo(self, place: int) -> None:
        """Drop the turns from a place on, with the context that Codex sent right before them."""
        self.left_out[UNDONE] += len(self.turns) - place
        first = self.said[0] if self.said else place
        while place > first and _is_context(self.turns[place - 1]):
            place -= 1
        del self.turns[place:]
        self.said = [each for each in self.said if each < place]
        self.left_out = +self.left_out

    def drop_summary(self, told: str) -> None:
        """Drop the last reply if it is a compaction's summary: `told`, Codex's next text, then ends with it."""
        last = self.turns[-1] if self.turns else {"role": "", "content": []}
        text = text_of(last["content"])
        if last["role"] == "assistant" and text and told.endswith(f"\n{text}"):
            del self.turns[-1]

    def item(self, item: Mapping[str, Any]) -> None:
        """Take up an item of OpenAI's responses."""
        self.left_out.update(attached([item]))
        match item:
            case {"type": "custom_tool_call", "call_id": str(identity), "name": str(name), "input": given}:
                self.say("assistant", tool_use(identity, name, given))
            case {"type": "custom_tool_call_output", "call_id": str(identity)}:
                self.say("user", tool_result(identity, output_text(item.get("output"))))
            case {"type": "local_shell_call", "call_id": str(identity), "action": given}:
                self.say("assistant", tool_use(identity, "local_shell", given))
            case {"role": role, "content": content} if role in INSTRUCTIONS:
                self.system.append(text_of(content))
            case _ if turn := of_item(item):
                is_said = turn["role"] == "user" and "role" in item and not _is_context(turn)
                self.said += [len(self.turns)] * is_said
                self.say(turn["role"], *turn["content"])

    def conversation(self) -> FoundRequest | None:
        return None if self.before else super().conversation()


def _is_context(turn: Turn) -> bool:
    """Return whether a turn is what Codex tells of itself: no result, nor what a person said."""
    texts = [block["text"] for block in turn["content"] if block["type"] == "text"]
    return turn["role"] == "user" and bool(texts) and all(map(CONTEXT.match, texts))
