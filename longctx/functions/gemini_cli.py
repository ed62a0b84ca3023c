"""Sessions of Gemini CLI: its logs, and the checkpoints that `/chat save` makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from longctx.functions.session_reader import (
    API_ERROR,
    UNDONE,
    FoundRequest,
    Reader,
    Turn,
    output_text,
    tool_result,
    tool_use,
)
from longctx.functions.strategies import attached
from longctx.functions.vendor_requests import translated

COMPACTIONS = 100
"""The most compactions of a session."""
CONTEXT = "<session_context>"
"""How the turn begins in which the program tells of the project."""
TurnsOfRecord = tuple[list[Turn], Counter[str], int]
"""The turns of a record, what of it is left out, and its characters."""


@dataclass
class Gemini(Reader):
    """Every turn that was not undone; a compaction replaces the turns of the program, but not those of the log."""

    records: dict[str, TurnsOfRecord] = field(default_factory=dict)
    """By id: the log writes a record again when it changes."""
    undone: dict[str, TurnsOfRecord] = field(default_factory=dict)
    summaries: set[str] = field(default_factory=set)
    """The records that a compaction made."""
    compacted: set[str] = field(default_factory=set)
    """The records that a summary stands for: the program no longer has them, so it undoes none of them."""

    def add(self, number: int, entry: Any) -> None:
        changed = entry.get("$set")
        if isinstance(target := entry.get("$rewindTo"), str):
            current = [name for name in self.records if name not in self.compacted]
            for name in current[current.index(target) if target in current else 0 :]:
                self.undone[name] = self.records.pop(name)
        elif isinstance(changed, dict):
            if isinstance(messages := changed.get("messages"), list):
                self.go_on_with({message["id"]: message for message in messages})
        else:
            for message in [entry] if "type" in entry else entry.get("messages") or ():
                self.record(message)

    def go_on_with(self, messages: Mapping[str, Mapping[str, Any]]) -> None:
        """Take up what the program goes on with: some turns were undone, or a summary stands for them."""
        gone = self.records.keys() - messages.keys() - self.compacted
        new = [name for name in messages if name not in self.records and name not in self.summaries]
        made = [name for name in new if name not in self.undone and not _is_result(messages[name])]
        if made and gone:
            self.compactions += 1
            self.summaries.update(made)
            self.compacted |= gone
            if self.compactions > COMPACTIONS:
                raise ValueError(f"it was compacted more than {COMPACTIONS:,} times")
            return
        for name in gone:
            self.undone[name] = self.records.pop(name)
        for name in new:
            self.record(messages[name])

    def record(self, record: Mapping[str, Any]) -> None:
        if record["id"] in self.summaries or record["type"] not in ("user", "gemini", "error"):
            return
        self.undone.pop(record["id"], None)
        _, _, before = self.records.get(record["id"], ([], Counter(), 0))
        self.kept, others = self.kept - before, self.kept - before
        turns = list(_of_gemini(record)) if record["type"] != "error" else []
        self.measure(turns)
        results = [call.get("result") for call in record.get("toolCalls") or ()]
        left_out = Counter(attached([record.get("content"), results]) if turns else [API_ERROR])
        self.records[record["id"]] = turns, left_out, self.kept - others

    def conversation(self) -> FoundRequest | None:
        for turns, left_out, _ in self.records.values():
            self.turns += turns
            self.left_out += left_out
        results = {result for turn in self.turns for result in _results(turn)}
        for turns, _, _ in self.undone.values():
            for turn in turns:
                self.left_out[UNDONE] += _is_said(turn) or not results.issuperset(_results(turn))
                results.update(_results(turn))  # the log has each result twice: with its call, and as a turn
        self.left_out = +self.left_out
        return super().conversation()


def _results(turn: Turn) -> list[str]:
    return [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]


def _is_said(turn: Turn) -> bool:
    """Return whether a turn has a call, or a text that is not the program's."""
    return any(
        block["type"] != "tool_result" and not block.get("text", "").startswith(CONTEXT) for block in turn["content"]
    )


def _is_result(record: Mapping[str, Any]) -> bool:
    """Return whether a record has only results, as those that the program makes anew when it rewinds."""
    parts = _parts(record.get("content"))
    return bool(parts) and all("functionResponse" in part for part in parts)


def _of_gemini(record: Mapping[str, Any]) -> Iterator[Turn]:
    """Yield the turns of a record: what was said, with calls, and their results."""
    content = [part for part in _parts(record.get("content")) if not part.get("thought")]
    said = [{"type": "text", "text": part["text"]} for part in content if part.get("text")]
    found = [*(part["functionCall"] for part in content if part.get("functionCall")), *(record.get("toolCalls") or ())]
    calls = {call["id"]: call for call in found if "id" in call}
    said += [tool_use(name, call["name"], call.get("args") or {}) for name, call in calls.items()]
    answers = [part.get("functionResponse") or {} for part in content]
    for name, call in calls.items():
        answers += [
            {**part["functionResponse"], "id": name}
            for part in _parts(call.get("result"))
            if "functionResponse" in part
        ]
    results = [tool_result(answer["id"], output_text(answer.get("response"))) for answer in answers if "id" in answer]
    yield {"role": "user" if record["type"] == "user" else "assistant", "content": said}
    yield {"role": "user", "content": results}


def _parts(content: Any) -> list[Mapping[str, Any]]:
    """Return a content of Gemini's API as parts: it is a text, a part, or a list of both."""
    parts = content if isinstance(content, list) else [content]
    return [{"text": part} if isinstance(part, str) else part for part in parts if part]


@dataclass
class Checkpoint(Reader):
    """What the program had when it was saved: after a compaction, the summary and what came after it."""

    def add(self, number: int, entry: Any) -> None:
        contents = [turn.get("content", turn) for turn in entry["history"]]
        self.turns = (translated({"contents": contents}, None) or {})["messages"]
        self.left_out.update(attached(contents))
        self.measure(self.turns)
