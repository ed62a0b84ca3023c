"""What all readers of sessions share: the turns that are kept, and their blocks as those of the Messages API."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from longctx.functions.strategies import answered
from longctx.results.records import MOST_OF_LINE

MOST_OF_SESSION = MOST_OF_LINE
"""The most characters that are kept of a session."""
API_ERROR = "API error"
UNDONE = "turn undone"
Turn = dict[str, Any]
TurnBlock = dict[str, Any]
FoundRequest = tuple[int, dict[str, Any]]
"""A line, and its request of the Messages API as `request`, with the reply as `response`."""


@dataclass
class Reader:
    """What is kept of a session while its lines are read one after another: never more than one conversation."""

    line: int | None = None
    """The line whose request is read; None for the one with the most turns."""
    turns: list[Turn] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    compactions: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """How many pictures, files and API errors are left out."""
    kept: int = 0
    """The characters of the turns."""
    before: str = ""
    """A pattern of the file whose session this one goes on with, and without which it is not whole."""

    def add(self, number: int, entry: Any) -> None:
        """Take up a line. Raises ValueError, KeyError, TypeError or AttributeError if its fields are others."""
        raise NotImplementedError

    def say(self, role: str, *blocks: TurnBlock) -> None:
        """Take up a turn. Raises ValueError if the session is too long."""
        if blocks:
            self.measure(blocks)
            self.turns.append({"role": role, "content": [*blocks]})

    def measure(self, blocks: Iterable[object]) -> None:
        self.kept += sum(len(json.dumps(block)) for block in blocks)
        if self.kept > MOST_OF_SESSION:
            raise ValueError(f"its turns have more than {MOST_OF_SESSION:,} characters")

    def conversation(self) -> FoundRequest | None:
        """Return the conversation; None without turns."""
        messages = answered(self.turns)
        system = "\n\n".join(dict.fromkeys(filter(None, self.system)))
        return (1, {"request": {"messages": messages, "system": system}}) if messages else None


def tool_use(identity: str, name: str, given: Any) -> TurnBlock:
    return {
        "type": "tool_use",
        "id": identity,
        "name": name,
        "input": given if isinstance(given, dict) else {"input": given},
    }


def tool_result(identity: str, text: str) -> TurnBlock:
    return {"type": "tool_result", "tool_use_id": identity, "content": text}


def output_text(output: Any) -> str:
    """Return what a tool gave as text."""
    if isinstance(output, dict):
        text = output.get("output", output.get("error", output.get("content")))
        return text if isinstance(text, str) else json.dumps(output, ensure_ascii=False)
    return text_of(output)


def text_of(content: Any) -> str:
    """Return the text of a content of OpenAI's APIs; images and files are left out."""
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))


def contents(content: Any) -> list[TurnBlock]:
    """Return the content of a Claude Code turn as blocks of text, calls and results."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(_blocks(content or ()))


def _blocks(content: Sequence[Any]) -> Iterator[TurnBlock]:
    for block in content:
        match block:
            case {"type": "text", "text": str(text)} if text:
                yield {"type": "text", "text": text}
            case {"type": "compaction", "content": str(summary)}:
                yield {"type": "compaction", "content": summary}
            case {"type": "tool_use", "id": str(identity), "name": str(name), "input": given}:
                yield tool_use(identity, name, given)
            case {"type": "tool_result", "tool_use_id": str(identity)}:
                inner = block.get("content")
                text = (
                    inner
                    if isinstance(inner, str)
                    else "\n".join(each.get("text", "") for each in _blocks(inner or ()))
                )
                yield tool_result(identity, text)
