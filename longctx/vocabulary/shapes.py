"""Shapes: how the pieces of a context and a question become a request.

A shape is a treatment, as a model and a prompt set are: the same item is asked in every shape.
Source of the blocks: the Messages API, https://platform.claude.com/docs/en/api/messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

Shape = Literal["text", "documents", "documents+citations", "chat", "tool_results"]
"""The shapes: one text, document blocks without and with citations, turns of a chat, results of a `read` tool."""
SHAPES: tuple[Shape, ...] = get_args(Shape)
TEXT: Shape = "text"
CITATIONS: Shape = "documents+citations"
NO_STRATEGY = "none"
"""The strategy of context management that sends a conversation as it is."""
STRATEGY = "strategy"
"""The label of rows that names the strategy of their requests."""
COMPACTION = "compact_20260112"
"""The edit by which the server compacts a request."""
HAVE_READ = "I have read it."
"""The fixed turn of the assistant in a chat, without which the API would join neighbouring turns of the user."""
TO_READ = "Read the documents."
"""The user's first turn before tool results, where the context has no opening."""
READ_TOOL: dict[str, Any] = {
    "name": "read",
    "description": "Reads a document.",
    "input_schema": {
        "type": "object",
        "properties": {"document": {"type": "string", "description": "The document's number or title."}},
        "required": ["document"],
    },
}
TOKENS_A_PIECE = {"documents": 30, CITATIONS: 30, "chat": 15, "tool_results": 90}
"""About the tokens of what surrounds a piece, in the reference vocabulary."""
TOKENS_APART = {CITATIONS: 500, "tool_results": 450}
"""About the tokens that a request has besides its pieces: the API's own prompt on citations or tools, and the tool."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a context, such as a document or an exchange.

    Example:
        >>> Piece("The fee is 5 crowns.", title="Fees").title
        'Fees'
    """

    text: str
    """Its text in the shape `text`."""
    title: str = ""
    """The title of its document; empty for none."""
    turns: tuple[str, str] | None = None
    """The user's and the assistant's turn, if the piece is an exchange."""


@dataclass(frozen=True, slots=True)
class Context:
    """A context in pieces, and the question about it. A shape renders it as a request.

    Example:
        >>> context = Context([Piece("The fee is 5 crowns.")], "What is the fee?", needle=0, evidence="5 crowns")
        >>> context.evidence in context.pieces[0].text
        True
    """

    pieces: Sequence[Piece]
    """The pieces, in the order in which they are sent."""
    question: str
    """The question, with all text that follows the pieces."""
    opening: str = ""
    """The text before the pieces."""
    needle: int | None = None
    """The index of the piece that contains the needle."""
    evidence: str = ""
    """The text that a cited passage must contain to support the answer; empty if no single passage can."""


def rendered(context: Context, shape: Shape) -> dict[str, Any]:
    """Return the parts of a request that depend on the shape: `messages` and, for tool results, the tool."""
    match shape:
        case "text":
            return {"messages": [_user(as_text(context))]}
        case "chat":
            return {"messages": _chat(context)}
        case "tool_results":
            return {"messages": _tool_results(context), "tools": [READ_TOOL], "tool_choice": {"type": "none"}}
        case _:
            return {"messages": [_user(_documents(context, cited=shape == CITATIONS))]}


def as_text(context: Context) -> str:
    """Return a context as one text."""
    parts = (context.opening, *(piece.text for piece in context.pieces), context.question)
    return "\n\n".join(filter(None, parts))


def as_shown(content: str | Sequence[Mapping[str, Any]]) -> str:
    """Return the content of a turn as people read it: texts, and a line before each document, call and result."""
    return content if isinstance(content, str) else "\n".join(map(_block_as_shown, content))


def _block_as_shown(block: Mapping[str, Any]) -> str:
    match block["type"]:
        case "document":
            title = f" {block['title']!r}" if "title" in block else ""
            return f"[document{title}]\n{block['source']['data']}"
        case "tool_use":
            return f"[calls {block['name']}({json.dumps(block['input'], ensure_ascii=False)}) as {block['id']}]"
        case "tool_result":
            return f"[result of {block['tool_use_id']}]\n{block['content']}"
        case "text":
            return str(block["text"])
        case kind:
            return f"[{kind}]\n{json.dumps(block, ensure_ascii=False)}"


def added_tokens(shape: Shape, pieces: int) -> int:
    """Estimate the tokens that a shape adds to those of the text, in the reference vocabulary."""
    return TOKENS_APART.get(shape, 0) + pieces * TOKENS_A_PIECE.get(shape, 0)


def unwrapped(before: str, after: str) -> tuple[str, str]:
    """Return what comes before and after a record without the tags that enclose the record, and without blank ends.

    Example:
        >>> unwrapped("Read this.\\n<Record>\\n", "\\n</Record>\\nWhat is the fee?")
        ('Read this.', 'What is the fee?')
    """
    before, after = before.strip(), after.strip()
    opened = re.search(r"<([^<>/]+)>$", before)
    if opened and after.startswith(closed := f"</{opened[1]}>"):
        before, after = before[: opened.start()], after.removeprefix(closed)
    return before.strip(), after.strip()


def judged_citations(context: Context, citations: Iterable[object]) -> dict[str, bool]:
    """Return by name which checks the citations of an answer meet; none if the context has no evidence.

    citations: as the Messages API has them. cites: a cited passage contains the evidence. cites_needle: such a passage
    is from the needle's document.
    """
    if not context.evidence:
        return {}
    evidence = _folded(context.evidence)
    holding = [each for each in citations if isinstance(each, dict) and evidence in _folded(each.get("cited_text"))]
    from_needle = [each for each in holding if each.get("document_index") == context.needle]
    return {"cites": bool(holding), "cites_needle": bool(from_needle)}


def _chat(context: Context) -> list[dict[str, Any]]:
    """Return the turns. The opening comes with the first piece; before an exchange it has its own turn."""
    turns = [piece.turns or (piece.text, HAVE_READ) for piece in context.pieces]
    if context.opening and context.pieces[0].turns:
        turns.insert(0, (context.opening, HAVE_READ))
    elif context.opening:
        turns[0] = (f"{context.opening}\n\n{turns[0][0]}", HAVE_READ)
    exchanged = [message for asked, said in turns for message in (_user(asked), _assistant(said))]
    return [*exchanged, _user(context.question)]


def _tool_results(context: Context) -> list[dict[str, Any]]:
    calls, results = [], []
    for number, piece in enumerate(context.pieces, start=1):
        call = f"toolu_{number:04d}"
        name = piece.title or str(number)
        calls.append({"type": "tool_use", "id": call, "name": READ_TOOL["name"], "input": {"document": name}})
        results.append({"type": "tool_result", "tool_use_id": call, "content": piece.text})
    asked = [*results, {"type": "text", "text": context.question}]
    return [_user(context.opening or TO_READ), _assistant(calls), _user(asked)]


def _documents(context: Context, cited: bool) -> list[dict[str, Any]]:
    opening = [{"type": "text", "text": context.opening}] if context.opening else []
    documents = [
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": piece.text},
            **({"title": piece.title} if piece.title else {}),
            **({"citations": {"enabled": True}} if cited else {}),
        }
        for piece in context.pieces
    ]
    return [*opening, *documents, {"type": "text", "text": context.question}]


def _user(content: object) -> dict[str, Any]:
    return {"role": "user", "content": content}


def _assistant(content: object) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def _folded(text: object) -> str:
    return " ".join(text.split()).casefold() if isinstance(text, str) else ""
