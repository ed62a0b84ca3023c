"""A model's answer to `ask`, with readers that raise Unparseable where it cannot be read."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from longctx.vocabulary.reading import Letter, chosen, simplified, split_thinking

Schema = TypeVar("Schema")
CUT_OFF = {"max_tokens": "", "model_context_window_exceeded": ", with the window full"}
"""Stop reasons of an answer that was cut off, and what each adds to the sentence about it."""
INTEGER = re.compile(r"-?\d{1,3}(?:,\d{3})+(?!\d)|-?\d+", re.ASCII)
SHOWN_OF_ANSWER = 80
"""The most characters of an answer that a message quotes."""
READINGS = 100
"""How often `json` reads the length of an answer, in search of JSON, before it gives up."""


class Unparseable(ValueError):
    """An answer that cannot be read. A trial that ends with it has the outcome `unparseable`."""


class JudgeUnreadable(ValueError):
    """A judge's answer that cannot be read. A trial that ends with it is not measured (`judge_error`)."""


@dataclass(frozen=True, slots=True)
class CompactionUsage:
    """The tokens of one compaction that the server made before it answered."""

    input_tokens: int
    cached_tokens: int
    """How many of the input tokens were read from the prompt cache."""
    cache_write_tokens: int
    hour_write_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer. Token counts are the server's own.

    Example:
        >>> answer = Answer("The key is 12,345.", "end_turn", "my-model", input_tokens=40, output_tokens=9)
        >>> answer.integer()
        12345
    """

    text: str
    """The text, without thinking blocks and tool calls. In a test function, inline `<think>…</think>` is kept."""
    stop_reason: str | None
    """Why generation stopped, as a Messages API `stop_reason`."""
    model: str
    """The model name that the server reported; empty if it reported none."""
    input_tokens: int
    """The number of prompt tokens, including prompt-cache reads and writes."""
    cached_tokens: int | None = None
    """The number of tokens read from the prompt cache; None if the server did not report it."""
    output_tokens: int = 0
    """The number of tokens in the reply, including thinking."""
    latency_s: float | None = None
    """The time until the complete answer arrived, in seconds; None if it was not measured."""
    recorded_at: str = ""
    """The time of the answer in ISO 8601, UTC."""
    request_sha256: str = ""
    """The digest of the request."""
    live: bool = False
    """Whether this run received it, rather than an earlier one."""
    cache_write_tokens: int = 0
    """The tokens that were written to the prompt cache."""
    hour_write_tokens: int = 0
    """How many of the written tokens the cache keeps for an hour."""
    batched: bool = False
    """Whether it came from a batch, at the batch price."""
    thinking_tokens: int | None = None
    """The tokens of its output that the model thought with; None if the server did not report it."""
    refusal: str = ""
    """The category of the refusal, such as `cyber`; empty if the server reported none."""
    fallback: bool = False
    """Whether a fallback model answered because the requested one declined."""
    compactions: tuple[CompactionUsage, ...] = ()
    """The compactions of the server, whose tokens are among the answer's and are priced as requests of their own."""
    unread_usage: tuple[str, ...] = ()
    """Cache-related fields in the server's usage report that longctx does not recognize."""
    thought: str = ""
    """The thinking that the server left at the start of the text, and that `text` is without."""
    message: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The answer in the form of a Messages API message."""
    told: Callable[[object], object] | None = field(default=None, compare=False)
    """Called with what a reader has read of a judge's answer; None for any other answer."""
    compared: Callable[[str, str], object] | None = field(default=None, compare=False, repr=False)
    """For internal use. Called with the allowed letters and each value that a test compares the result of `choice`
    with."""

    def __repr__(self) -> str:
        return f"Answer({self.text!r}, {self.stop_reason!r})"

    @property
    def cut_off(self) -> bool:
        """Whether the answer was cut off by `max_tokens` or by the end of the context window."""
        return self.stop_reason in CUT_OFF

    @property
    def says_nothing(self) -> bool:
        """Whether the answer contains neither text nor a complete tool call."""
        return not self.text.strip() and self.stop_reason != "tool_use"

    @property
    def content(self) -> list[dict[str, Any]]:
        """The content blocks as the server returned them (text, thinking, tool_use), to send back as the assistant's
        turn."""
        return list(self.message.get("content", ()))

    @property
    def _answer(self) -> str:
        """The text without the thinking that a server left in it."""
        return split_thinking(self.text)[1]

    @property
    def tool_uses(self) -> list[dict[str, Any]]:
        """The tools that the model calls, each with `id`, `name` and `input`."""
        return [block for block in self.content if block["type"] == "tool_use"]

    @property
    def citations(self) -> list[dict[str, Any]]:
        """The citations of all text blocks, in order."""
        return [cited for block in self.content if block["type"] == "text" for cited in citations_of(block)]

    @property
    def usage(self) -> Mapping[str, Any]:
        """The token counts that the server reported, unchanged; empty if it reported none."""
        return self.message.get("usage") or {}

    @property
    def turn(self) -> dict[str, Any]:
        """The answer as an assistant turn, to add to the conversation."""
        return {"role": "assistant", "content": self.content}

    def tool_results(self, functions: Mapping[str, Callable[..., object]]) -> dict[str, Any]:
        """Run the answer's tool calls and return a user turn with the results.

        A result that is not text is sent as JSON. An exception of the function and a call of an unknown tool are sent
        back as errors, as an agent would do. Raises Unparseable for a call without id, name or input.

        Args:
            functions: The function of each tool, called with the tool's input as keyword arguments.
        """
        for use in self.tool_uses:
            if not (isinstance(use.get("id"), str) and isinstance(use.get("name"), str) and "input" in use):
                raise Unparseable("a tool call without id, name or input")
        return {"role": "user", "content": [_result(use, functions) for use in self.tool_uses]}

    def integer(self) -> int:
        """Return the first integer in the text, such as 12,345. Raises Unparseable if there is none."""
        match = INTEGER.search(simplified(self._answer))
        if match is None:
            raise self._unreadable("no number in the reply")
        try:
            return self._read(int(match[0].replace(",", "")))
        except ValueError:  # Python limits the digits of a number
            raise self._unreadable("a number of thousands of digits in the reply") from None

    def choice(self, letters: str = "ABCD") -> str:
        """Return the chosen letter in upper case. Raises Unparseable if the answer names no letter or several.

        The last letter that the answer states counts, as in "The answer is B" or on its own line. An answer that
        states none must name exactly one letter. For the letters YN, the words yes and no are read too.
        """
        named = chosen(simplified(self._answer).strip(), letters.upper())
        if len(named) != 1:
            raise self._unreadable(
                f"none of {letters} in the reply" if not named else f"several of {letters} in the reply"
            )
        letter = self._read(named.pop())
        return Letter.told(letter, functools.partial(self.compared, letters.upper())) if self.compared else letter

    def tag(self, name: str) -> str:
        """Return the text of the first <name>…</name>. Raises Unparseable if there is none."""
        text = self.thought + self.text if name == "think" else self._answer
        _, opened, after = text.partition(f"<{name}>")
        value, closed, _ = after.partition(f"</{name}>")
        if not (opened and closed):
            raise self._unreadable(f"no <{name}>…</{name}> in the reply")
        return self._read(value.strip())

    def json(self, schema: type[Schema] | None = None) -> Any:
        """Return the first JSON object or list in the text or in a fenced block. Raises Unparseable if there is none.

        Args:
            schema: A type that it must have, such as a pydantic model, a dataclass or `dict[str, int]`; it is then
                returned as that type.
        """
        value = self._first_json()
        if schema is None:
            return self._read(value)
        from pydantic import TypeAdapter, ValidationError  # most runs need neither

        try:
            return self._read(TypeAdapter(schema).validate_python(value))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the JSON"
            raise self._unreadable(f"{where} of the reply does not fit: {first['msg']}") from None

    def _first_json(self) -> Any:
        decoder, text = json.JSONDecoder(), self._answer
        left = READINGS * len(text)
        for match in re.finditer(r"[{\[]", text):
            try:
                return decoder.raw_decode(text, match.start())[0]
            except json.JSONDecodeError as error:
                left -= error.pos - match.start()
            except (ValueError, RecursionError):  # such as a number of thousands of digits
                left -= len(text)
            if left < 0:
                break
        raise self._unreadable("no JSON in the reply")

    def _read(self, value: Schema) -> Schema:
        if self.told is not None:
            self.told(value)
        return value

    def _unreadable(self, why: str) -> ValueError:
        text = " ".join(self.text.split())
        quoted = (
            f"{why}: {text[:SHOWN_OF_ANSWER]!r}{'…' if len(text) > SHOWN_OF_ANSWER else ''}"
            if text
            else "an empty reply"
        )
        return JudgeUnreadable(quoted) if self.told else Unparseable(quoted)


def _result(use: Mapping[str, Any], functions: Mapping[str, Callable[..., object]]) -> dict[str, Any]:
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": use["id"]}
    function = functions.get(use["name"])
    if function is None:
        return result | {"content": f"There is no tool {use['name']!r}.", "is_error": True}
    try:
        value = function(**use["input"])
    except Exception as error:
        return result | {"content": f"{type(error).__name__}: {error}", "is_error": True}
    return result | {"content": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}


def citations_of(block: Mapping[str, Any]) -> list[Any]:
    """Return the citations of a block; none if it contains no list of them."""
    listed = block.get("citations")
    return listed if isinstance(listed, list) else []
