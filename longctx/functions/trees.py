"""Sessions whose records form a tree: those of Claude Code, Qwen Code and pi.

A session that was rewound, or forked, keeps what was undone. What really happened is the branch that ends last.
"""

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
    TurnBlock,
    contents,
    output_text,
    tool_result,
    tool_use,
)
from longctx.functions.strategies import attached

BRANCH = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n{}</summary>"
"""What pi tells the model of a branch that was left."""


@dataclass(frozen=True, slots=True)
class Node:
    """A record of a session."""

    parent: str | None
    """The record before it; None of the first."""
    turns: tuple[Turn, ...] = ()
    left_out: tuple[str, ...] = ()
    """The pictures, files and errors in it."""
    message: str | None = None
    """The id of the reply that it is a part of."""
    compacts: bool = False

    @property
    def calls(self) -> set[object]:
        return {block["id"] for turn in self.turns for block in turn["content"] if block["type"] == "tool_use"}

    @property
    def results(self) -> set[object]:
        return {
            block["tool_use_id"] for turn in self.turns for block in turn["content"] if block["type"] == "tool_result"
        }


@dataclass
class Tree(Reader):
    """The turns of the branch that ends last; a summary of what came before is no turn."""

    nodes: dict[str, Node] = field(default_factory=dict)
    last: str | None = None
    """The last record of the conversation."""

    def grow(self, name: str, node: Node) -> None:
        """Take up a record; one that is written again, as of a session that was resumed, is the same."""
        if name not in self.nodes:
            self.measure(node.turns)
            self.nodes[name] = node
            self.last = name

    def conversation(self) -> FoundRequest | None:
        kept = self._branch()
        for name, node in self.nodes.items():
            if name in kept:
                self.turns += node.turns
                self.left_out.update(node.left_out)
                self.compactions += node.compacts
            else:
                self.left_out[UNDONE] += len(node.turns)
        self.left_out = +self.left_out
        return super().conversation()

    def _branch(self) -> set[str]:
        """Return the records of the branch, with the parts of its replies and the results of its calls beside it.

        A reply with several calls is several records, and each result follows its own call.
        """
        kept: set[str] = set()
        name = self.last
        while name is not None and name in self.nodes and name not in kept:
            kept.add(name)
            name = self.nodes[name].parent
        replies = {self.nodes[name].message for name in kept} - {None}
        kept |= {name for name, node in self.nodes.items() if node.message in replies}
        called = {call for name in kept for call in self.nodes[name].calls}
        answered = {result for name in kept for result in self.nodes[name].results}
        for name, node in self.nodes.items():
            if name not in kept and (results := node.results) and results <= called - answered:
                kept.add(name)
                answered |= results
        return kept


def is_linked(entry: Any) -> bool:
    """Return whether a line is a record of a tree, as Claude Code and Qwen Code write them."""
    return isinstance(entry, dict) and isinstance(entry.get("uuid"), str) and "parentUuid" in entry


@dataclass
class ClaudeCode(Tree):
    """Without subagents, unless the log has nothing else."""

    subagents: list[Turn] = field(default_factory=list)

    def add(self, number: int, entry: Any) -> None:
        name = entry.get("uuid") or f"line {number}"
        if entry.get("isSidechain") or entry.get("parent_tool_use_id"):
            self.add_of_subagent(entry)
            return
        if entry.get("subtype") == "compact_boundary":
            before = entry.get("logicalParentUuid")
            self.grow(name, Node(before if before in self.nodes else self.last, compacts=True))
            return
        parent = entry.get("parentUuid", self.last)
        if parent is not None and parent not in self.nodes:
            parent = self.last  # what it follows was not logged
        if entry.get("type") not in ("user", "assistant") or not isinstance(entry.get("message"), dict):
            if name not in self.nodes:
                self.nodes[name] = Node(parent)  # such as a progress: a link of the chain, but no end
            return
        self.grow(name, self.node(entry, parent))

    def node(self, entry: Mapping[str, Any], parent: str | None) -> Node:
        message = entry["message"]
        content = message.get("content")
        if entry.get("isApiErrorMessage"):
            return Node(parent, left_out=(API_ERROR,))
        if entry.get("isCompactSummary") or entry.get("isMeta"):
            return Node(parent)
        blocks = contents(content)
        turns = ({"role": entry["type"], "content": blocks},) if blocks else ()
        reply = message.get("id") if entry["type"] == "assistant" else None
        return Node(parent, turns, tuple(attached(content)), reply if "uuid" in entry else None)

    def add_of_subagent(self, entry: Mapping[str, Any]) -> None:
        if isinstance(message := entry.get("message"), dict) and not entry.get("isApiErrorMessage"):
            blocks = contents(message.get("content"))
            self.measure(blocks)
            self.subagents.append({"role": entry["type"], "content": blocks})

    def conversation(self) -> FoundRequest | None:
        found = super().conversation()
        if not self.turns and self.subagents:
            self.turns = self.subagents
            return Reader.conversation(self)
        return found


@dataclass
class QwenCode(ClaudeCode):
    """Records as those of Claude Code, whose messages are those of Gemini's API."""

    def node(self, entry: Mapping[str, Any], parent: str | None) -> Node:
        parts = entry["message"]["parts"]
        turns = [*turns_of_parts("model" if entry["type"] == "assistant" else "user", parts)]
        return Node(parent, tuple(turns), tuple(attached(parts)))

    def add(self, number: int, entry: Any) -> None:
        if entry.get("type") == "tool_result":
            entry = {**entry, "type": "user"}
        if entry.get("subtype") == "chat_compression":
            entry = {**entry, "subtype": "compact_boundary", "logicalParentUuid": entry.get("parentUuid")}
        super().add(number, entry)


def turns_of_parts(role: str, parts: Any, calls: Counter[str] | None = None) -> Iterator[Turn]:
    """Yield the turns of a content of Gemini's API: what was said, with calls, and results.

    calls: how many calls and results of each function without an id came before; they belong together in their order.
    """
    said: list[TurnBlock] = []
    results: list[TurnBlock] = []
    counted = Counter() if calls is None else calls
    for part in parts if isinstance(parts, list) else [parts]:
        if isinstance(part, str):
            part = {"text": part}
        call = part.get("functionCall") or part.get("function_call")
        answer = part.get("functionResponse") or part.get("function_response")
        if part.get("thought"):
            continue
        if call:
            said.append(tool_use(_identity(call, "call", counted), call["name"], call.get("args") or {}))
        elif answer:
            results.append(tool_result(_identity(answer, "result", counted), output_text(answer.get("response"))))
        elif part.get("text"):
            said.append({"type": "text", "text": part["text"]})
    if results:
        yield {"role": "user", "content": results}
    if said:
        yield {"role": "assistant" if role == "model" else "user", "content": said}


def _identity(call: Mapping[str, Any], kind: str, counted: Counter[str]) -> str:
    if isinstance(identity := call.get("id"), str) and identity:
        return identity
    name = call["name"]
    counted[f"{kind} {name}"] += 1
    return f"{name}-{counted[f'{kind} {name}']}"


@dataclass
class Pi(Tree):
    """Entries of pi, with the commands that the user ran, and the messages of extensions.

    The summary of an abandoned branch is a turn, too.
    """

    def add(self, number: int, entry: Any) -> None:
        name, parent = entry.get("id") or f"line {number}", entry.get("parentId", self.last)
        match entry["type"]:
            case "message":
                message = entry["message"]
                failed = message.get("stopReason") == "error"
                turns = () if failed else tuple(_of_pi(message))
                left_out = (API_ERROR,) if failed else tuple(attached(message.get("content")))
                self.grow(name, Node(parent, turns, left_out))
            case "custom_message":
                self.grow(name, Node(parent, tuple(_said("user", contents(entry.get("content"))))))
            case "branch_summary":
                summary = {"type": "text", "text": BRANCH.format(entry["summary"])}
                self.grow(name, Node(parent, tuple(_said("user", contents([summary])))))
            case "session":
                pass
            case kind:
                self.grow(name, Node(parent, compacts=kind == "compaction"))


def _said(role: str, blocks: list[TurnBlock]) -> Iterator[Turn]:
    if blocks:
        yield {"role": role, "content": blocks}


def _of_pi(message: Mapping[str, Any]) -> Iterator[Turn]:
    """Yield the turn of a message of pi, if the model sees it."""
    match message:
        case {"role": "toolResult", "toolCallId": str(identity), "content": content}:
            yield {"role": "user", "content": [tool_result(identity, output_text(content))]}
        case {"role": "bashExecution", "command": str(command)} if not message.get("excludeFromContext"):
            yield {"role": "user", "content": [{"type": "text", "text": f"$ {command}\n{message.get('output') or ''}"}]}
        case {"role": "user" | "custom", "content": content}:
            yield from _said("user", contents(content))
        case {"role": "assistant", "content": list(content)}:
            blocks = [
                tool_use(block["id"], block["name"], block.get("arguments") or {})
                if block.get("type") == "toolCall"
                else block
                for block in content
            ]
            yield from _said("assistant", contents(blocks))
