"""Strategies of context management: what is done to a long conversation before a model is asked about it.

A strategy is a treatment, as a model and a shape are: the same item is asked under every strategy. The edits of the API
are described in "Context editing" and "Compaction", https://platform.claude.com/docs/en/build-with-claude.
"""

from __future__ import annotations

import copy
import functools
import importlib.util
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from longctx.config.project_files import check_size
from longctx.corpus.documents import reference_tokens
from longctx.errors import UserError, did_you_mean
from longctx.links import inside
from longctx.vocabulary.shapes import COMPACTION, NO_STRATEGY, SHAPES

if TYPE_CHECKING:
    from longctx.vocabulary.answer import Answer
    from longctx.workspace import Workspace

Messages = list[dict[str, Any]]
BUILT_IN = (NO_STRATEGY, "truncate", "clear_tool_uses", "compact", "summary")
NUMBER = "-([1-9][0-9]{0,8})"
WRITTEN = re.compile(rf"({'|'.join(BUILT_IN)})(?:{NUMBER})?")
AT = re.compile(rf"(.+)-at{NUMBER}")
"""A strategy that is applied each time that the conversation has grown beyond so many tokens."""
APPLIED_AT = ("truncate", "summary")
"""The strategies that may be applied so; the server's have their own trigger."""
GROWTH = 1.25
"""How much a conversation grows before a strategy is applied again that left more than its threshold."""
OWN_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}")
CLEARED = "clear_tool_uses_20250919"
BETAS = {CLEARED: "context-management-2025-06-27", COMPACTION: "compact-2026-01-12"}
"""The beta that each edit of the API needs."""
LAST_TURNS = 4
"""How many turns `summary` keeps besides the summary."""
LEFT_OUT = "[Earlier turns of this conversation were left out.]"
SUMMARY_OF = "Summary of the conversation so far:\n\n{summary}"
SUMMARY_TOKENS = 1024
SUMMARY_PROMPT = (
    "The conversation ends here. Do not continue it, and answer no question in it: write a summary of it, so that the "
    "work can go on from your summary alone. Keep every identifier, file "
    "name and number exactly, the rules that were given, what was corrected and the value that holds now, the "
    "decisions with their reasons, and the tasks that are still open."
)
"""What `summary` asks for, unless the prompt set has a template `summary` for the test."""


class AskForStrategy(Protocol):
    """Asks the model under test on behalf of a strategy; the history's system prompt and tools go with it."""

    def __call__(self, messages: Sequence[dict[str, Any]], /, *, max_tokens: int = ..., **given: Any) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Managed:
    """What is sent of a conversation."""

    messages: Messages
    body: Mapping[str, Any] = field(default_factory=dict)
    """What the strategy adds to the request, such as `context_management`."""

    @property
    def edits(self) -> list[str]:
        """The types of the edits that the server is to make."""
        edits = self.body.get("context_management", {}).get("edits", ())
        return [str(edit.get("type")) for edit in edits if isinstance(edit, Mapping)]

    @property
    def headers(self) -> list[tuple[str, str]]:
        return [("anthropic-beta", BETAS[edit]) for edit in self.edits if edit in BETAS]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy by its name, such as `truncate-800`, or one of the user's own."""

    name: str = NO_STRATEGY
    own: Callable[[Messages, AskForStrategy], object] | None = field(default=None, compare=False)
    """The function of a file of the user's."""
    source: str = field(default="", compare=False)
    """The text of that file."""
    at: int | None = None
    """The tokens beyond which it is applied, each time that the conversation has grown to them; None for at its end."""

    @classmethod
    def of(cls, given: str, workspace: Workspace) -> Strategy:
        """Return the strategy of a name, or of a Python file of the project with a function `strategy(messages, ask)`.

        Either may end with `-at-TOKENS`. Raises UserError.
        """
        if at := AT.fullmatch(given):
            strategy = cls.of(at[1], workspace)
            if strategy.own is None and at[1].partition("-")[0] not in APPLIED_AT:
                raise UserError(
                    "no-such-strategy",
                    f"The strategy {at[1]!r} takes no threshold: {given!r}. Only {' or '.join(APPLIED_AT)} and your "
                    "own files take one; clear_tool_uses-TOKENS and compact-TOKENS are the server's.",
                )
            return cls(f"{strategy.name}-at-{at[2]}", strategy.own, strategy.source, int(at[2]))
        if WRITTEN.fullmatch(given):
            if given.startswith(f"{NO_STRATEGY}-"):
                raise UserError(
                    "no-such-strategy",
                    f"The strategy {NO_STRATEGY!r} takes no number: write {NO_STRATEGY!r}, not {given!r}.",
                )
            return cls(given)
        if not given.endswith(".py"):
            raise UserError(
                "no-such-strategy",
                f"There is no strategy {given!r}. {did_you_mean(given, BUILT_IN)} Name one of {', '.join(BUILT_IN)}, "
                "with -NUMBER after it where it takes one, such as truncate-2000, or your own file, such as "
                "strategies/keep_identifiers.py.",
            )
        path = inside(workspace.root / given, workspace.root)  # it is run: a profile may come from a stranger
        return cls(path.stem, _function_of(path), path.read_text(encoding="utf-8", errors="backslashreplace"))

    @classmethod
    def all_of(cls, given: Sequence[str], workspace: Workspace) -> list[Strategy]:
        """Return several strategies. Raises UserError if two have one name."""
        found: dict[str, Strategy] = {}
        for each in given:
            strategy = cls.of(each, workspace)
            if strategy.name in found:
                raise UserError(
                    "strategy-given-twice",
                    f"Two strategies are named {strategy.name!r}, the second by {each!r}: name it once, or rename a "
                    "file, since the name is part of recordings and results.",
                )
            found[strategy.name] = strategy
        return list(found.values())

    @property
    def _number(self) -> int | None:
        match = WRITTEN.match(self.name)
        return int(match[2]) if match and match[2] else None

    def applied(self, messages: Messages, ask: AskForStrategy, templates: Mapping[str, str]) -> Managed:
        """Return what is sent of a conversation. templates: the test's templates. Raises UserError."""
        if self.at is None:
            return self._applied(messages, ask, templates)
        managed, size, limit = Managed([]), 0, self.at
        for ends in pairwise(starts(messages)):
            added = messages[slice(*ends)]
            managed = Managed(joined([*managed.messages, *added]), managed.body)
            size += tokens_of(added)
            if size > limit:
                managed = self._applied(managed.messages, ask, templates)
                size = tokens_of(managed.messages)
                limit = max(self.at, round(GROWTH * size))
        return managed

    def _applied(self, messages: Messages, ask: AskForStrategy, templates: Mapping[str, str]) -> Managed:
        """Return what is left of a conversation once the strategy is applied."""
        if self.own is not None:
            given = copy.deepcopy(messages)  # all trials share the transcript
            returned = self.own(given, ask)
            if given != messages:
                raise UserError(
                    "strategy-changes-input",
                    f"The strategy {self.name!r} changes the turns that it receives: edit and return "
                    "copy.deepcopy(messages).",
                )
            return _managed(self.name, returned)
        number = self._number
        match self.name.partition("-")[0]:
            case "truncate":
                most = tokens_of(messages) // 2 if number is None else number
                return Managed(from_turn(messages, _newest_within(messages, most)))
            case "summary":
                return Managed(_summarised(messages, LAST_TURNS if number is None else number, ask, templates))
            case "clear_tool_uses":
                return _edited(messages, {"type": CLEARED}, number)
            case "compact":
                instructions = {"instructions": templates["compact"]} if "compact" in templates else {}
                return _edited(messages, {"type": COMPACTION, **instructions}, number)
        return Managed(messages)


def tokens_of(messages: Sequence[Mapping[str, Any]]) -> int:
    """Count the tokens of turns in the reference vocabulary: texts, and other blocks as JSON."""
    return sum(_counted(_text_of(block)) for message in messages for block in blocks_of(message))


@functools.lru_cache(maxsize=1 << 16)
def _counted(text: str) -> int:
    """Count the tokens of a text, which the trials of one transcript ask for again and again."""
    return reference_tokens(text)


def blocks_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the content of a turn as blocks."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def joined(messages: Sequence[Mapping[str, Any]]) -> Messages:
    """Return turns in which no two neighbours have the same role: the blocks of such are joined."""
    found: Messages = []
    for message in messages:
        if found and found[-1]["role"] == message["role"]:
            found[-1] = {"role": message["role"], "content": blocks_of(found[-1]) + blocks_of(message)}
        else:
            found.append(dict(message))
    return found


def from_turn(messages: Sequence[Mapping[str, Any]], start: int, before: str = LEFT_OUT) -> Messages:
    """Return the turns from `start` on, after a text of the user about the others; all of them if `start` is 0."""
    if not start:
        return [dict(message) for message in messages]
    return joined([{"role": "user", "content": before}, *messages[start:]])


def starts(messages: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the turns from which a conversation can go on alone: those without results of calls made before them.

    The last of them is the end, from which nothing is kept.
    """
    return [
        index
        for index, message in enumerate(messages)
        if all(block.get("type") != "tool_result" for block in blocks_of(message))
    ] + [len(messages)]


def unpaired(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the id of a tool call without its result in the next turn, or of a result without its call, if any."""
    called: list[str] = []
    for message in messages:
        blocks = blocks_of(message)
        results = [str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result"]
        if other := [*set(called).symmetric_difference(results)]:
            return min(other)
        called = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
    return called[0] if called else ""


def answered(turns: Sequence[Mapping[str, Any]]) -> Messages:
    """Return the turns without tool calls that have no result, such as interrupted ones, and results without a call.

    The log is written while tools run, so a result may come after another call of the same turn. A result that comes
    even later is moved to its call.
    """
    blocks = [block for turn in turns for block in blocks_of(turn)]
    called = {block["id"] for block in blocks if block["type"] == "tool_use"}
    results: dict[object, dict[str, Any]] = {}
    for block in blocks:
        if block["type"] == "tool_result" and block["tool_use_id"] in called:
            results.setdefault(block["tool_use_id"], block)

    def is_whole(block: dict[str, Any]) -> bool:
        if block["type"] == "tool_use":
            return block["id"] in results
        return block["type"] != "tool_result" or results.get(block["tool_use_id"]) is block

    kept: Messages = []
    for turn in turns:
        content = list(filter(is_whole, given := blocks_of(turn)))
        kept += [{**turn} if content == given else {"role": turn["role"], "content": content}] * bool(content)
    if not unpaired(joined(kept)):
        return kept
    moved: Messages = []
    for turn in kept:
        said = [block for block in blocks_of(turn) if block["type"] != "tool_result"]
        answers = [results[block["id"]] for block in said if block["type"] == "tool_use"]
        moved += [{"role": turn["role"], "content": said}] * bool(said)
        moved += [{"role": "user", "content": answers}] * bool(answers)
    return moved


PICTURES = ("image", "image_url", "input_image")
FILES = ("document", "file", "input_file")
"""The types of blocks that are pictures, and other files."""
NESTED = ("attachments", "content", "functionResponse", "messages", "output", "parts", "response", "result", "state")
"""The fields in which blocks may have pictures."""


def attached(content: Any) -> Iterator[str]:
    """Yield `picture` or `file` for each of these in a content, however it is nested."""
    left = [content]
    while left:
        match left.pop():
            case list(inner):
                left += inner
            case dict(block):
                if kind := kind_attached(block):
                    yield kind
                else:
                    left += [block[name] for name in NESTED if name in block]


def kind_attached(block: Mapping[str, Any]) -> str:
    """Return `picture` or `file` if a block is one of these, in any of the APIs and programs; else empty."""
    data = block.get("inlineData") or block.get("fileData") or {}
    kind, mime = block.get("type"), str(block.get("mime") or data.get("mimeType") or "")
    if kind in PICTURES or mime.startswith("image/"):
        return "picture"
    is_text = kind == "file" and mime in ("text/plain", "application/x-directory")  # opencode has these as text, too
    return "file" if data or (kind in FILES and not is_text) else ""


def _newest_within(messages: Sequence[Mapping[str, Any]], most: int) -> int:
    """Return the first of the newest turns that have at most so many tokens together."""
    after = tokens_after(messages)
    return next(start for start in starts(messages) if after[start] <= most)


def tokens_after(messages: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return for each turn the tokens from its beginning to the end, and 0 for the end."""
    after = [0]
    for message in reversed(messages):
        after.append(after[-1] + tokens_of([message]))
    return after[::-1]


def _summarised(messages: Messages, last: int, ask: AskForStrategy, templates: Mapping[str, str]) -> Messages:
    start = max(place for place in starts(messages) if place <= max(0, len(messages) - last) or place == 0)
    if not start:
        return messages
    prompt = templates.get("summary", SUMMARY_PROMPT)
    asked = joined([*messages[:start], {"role": "user", "content": prompt}])
    summary = ask(asked, max_tokens=SUMMARY_TOKENS).text
    return from_turn(messages, start, SUMMARY_OF.replace("{summary}", summary))


def _edited(messages: Messages, edit: Mapping[str, Any], trigger: int | None) -> Managed:
    at = {} if trigger is None else {"trigger": {"type": "input_tokens", "value": trigger}}
    return Managed(messages, {"context_management": {"edits": [{**edit, **at}]}})


def _managed(name: str, returned: object) -> Managed:
    """Return what a strategy of the user's returned. Raises UserError if it cannot be sent."""
    try:  # a copy, which the strategy cannot change later
        copied = json.loads(json.dumps(dict(returned) if isinstance(returned, Mapping) else returned, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise UserError(
            "bad-strategy",
            f"The strategy {name!r} returned something that no request can contain ({error}): return turns of text and "
            "blocks that "
            "can be written as JSON.",
        ) from None
    body: dict[str, Any] = copied if isinstance(copied, dict) else {"messages": copied}
    messages: Any = body.pop("messages", None)
    if not (isinstance(messages, list) and all(map(_is_turn, messages))):
        raise UserError(
            "bad-strategy",
            f"The strategy {name!r} did not return a list of turns: return messages, each with a role and a content of "
            "text or blocks, or a dict with `messages` and other entries of the request, such as `context_management`.",
        )
    if not messages:
        raise UserError(
            "bad-strategy",
            f"The strategy {name!r} returned no turns, so the question would be sent without the conversation: keep at "
            "least one.",
        )
    if lost := unpaired(messages):
        raise UserError(
            "unpaired-tool-use",
            f"The strategy {name!r} kept the tool call {lost} without its result, or the result without its call, "
            "which the API refuses: keep or drop both.",
        )
    return Managed(joined(messages), body)


def _is_turn(message: object) -> bool:
    if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
        return False
    return _is_content(message.get("content"))


def _is_content(content: object) -> bool:
    """Return whether this is a text or a list of blocks."""
    return isinstance(content, str) or (isinstance(content, list) and all(map(_is_block, content)))


def _is_block(block: object) -> bool:
    match block:
        case {"type": "text"}:
            return isinstance(block, dict) and isinstance(block.get("text"), str)
        case {"type": "tool_result", "content": content}:
            return _is_content(content)
        case {"type": str()}:
            return True
    return False


def _function_of(path: Path) -> Callable[[Messages, AskForStrategy], object]:
    name = path.stem
    if not OWN_NAME.fullmatch(name) or name in (*BUILT_IN, *SHAPES):  # they share the names of cassettes
        raise UserError(
            "bad-strategy-name",
            f"The strategy {path} is named after its file, {name!r}: use lower-case letters, digits and _, but none of "
            f"longctx's own names ({', '.join((*BUILT_IN, *SHAPES))}).",
        )
    check_size(path)
    spec = importlib.util.spec_from_file_location(f"longctx_strategy_{name}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise UserError("no-strategy-file", f"There is no file {path}: write one with strategy(messages, ask).")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError("bad-strategy", f"{path} cannot be imported: {type(error).__name__}: {error}.") from None
    function = getattr(module, "strategy", None)
    if not callable(function):
        raise UserError("bad-strategy", f"{path} has no function strategy(messages, ask), which returns the messages.")
    return function  # type: ignore[no-any-return]


def _text_of(block: Mapping[str, Any]) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "tool_result", "content": str(text)}:
            return text
        case {"type": "tool_use"}:
            return json.dumps([block.get("name"), block.get("input")], ensure_ascii=False)
    return json.dumps(block, ensure_ascii=False)
