"""The case of a trial, and a model's answer to `ask`, with readers that raise Unparseable where it cannot be read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from longctx.recording.apis.messages import citations_of
from longctx.vocabulary.bank import simplified
from longctx.vocabulary.judging import split_thinking

Schema = TypeVar("Schema")
INTEGER = re.compile(r"-?\d{1,3}(?:,\d{3})+(?!\d)|-?\d+", re.ASCII)
WORDS = {"yes": "Y", "no": "N"}
"""What `choice` also reads for these letters."""
BEFORE, AFTER = r"(?<![A-Za-z0-9])(?<![A-Za-z]')", r"(?![A-Za-z0-9]|'[A-Za-z])"
"""Match around a letter that is no part of a word."""
MARKS = r"[\s*_\"'“”()\[\]{}<>`#$\\]{0,20}+"
"""Matches what replies put around a letter."""
ENDED = r"[ \t]{0,3}(?:[\n).:,;!*_\"'“”\]}>`]|\Z)"
"""Matches what comes after a letter in lower case that is no word."""
SAYS = rf"\banswer{MARKS}(?:is\b|[:=-]>?|){MARKS}:?|\bboxed{MARKS}(?:text)?"
STATES = rf"(?i:(?:{SAYS}){MARKS}(?:(?:option|choice)\s)?{MARKS})"
"""Matches what comes before a letter that a reply states."""
SHOWN = 80
"""The most characters of a reply that a message quotes."""
READINGS = 100
"""How often `json` reads the length of a reply, in search of JSON, before it gives up."""


class Unparseable(ValueError):
    """A reply that cannot be read. A trial that ends with it has the outcome `unparseable`."""


class JudgeUnreadable(ValueError):
    """A judge's reply that cannot be read. A trial that ends with it is not measured (`judge_error`)."""


class Case:
    """The fixture `case`: a line of the file that the marker names. Its fields are attributes and items.

    Example:
        >>> def test_fee(ask: Ask, case: Case):
        ...     assert case.answer in ask(case.text, case.question).text
    """

    def __init__(self, current: Callable[[], Mapping[str, Any]]) -> None:
        """current: returns the line of the trial that is running."""
        self._current = current

    def __getattr__(self, name: str) -> Any:
        line = self._current()
        return line[name] if name in line else getattr(line, name)  # a field may be named as a method of dicts is

    def __contains__(self, name: object) -> bool:
        return name in self._current()

    def __iter__(self) -> Iterator[str]:
        return iter(self._current())

    def __getitem__(self, name: str) -> Any:
        return self._current()[name]


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply of the model, as the Messages API gives it.

    Example:
        >>> answer = Answer({"content": [{"type": "text", "text": "It is 12,345."}], "stop_reason": "end_turn"})
        >>> answer.integer()
        12345
    """

    message: Mapping[str, Any]
    """The reply as the server sent it."""
    of_judge: bool = False
    told: Callable[[object], object] | None = field(default=None, compare=False, repr=False)
    """Called with what a reader has read."""

    @property
    def content(self) -> list[dict[str, Any]]:
        """The blocks of the reply as sent: text, thinking, tool_use. Send them back as the assistant's turn."""
        return list(self.message["content"])

    @property
    def text(self) -> str:
        """The text of the reply, without blocks of thinking and tool calls; `<think>…</think>` in it stays."""
        return "".join(block["text"] for block in self.content if block["type"] == "text")

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
        """The citations of all text blocks, in their order."""
        return [cited for block in self.content for cited in citations_of(block)]

    @property
    def stop_reason(self) -> str | None:
        """Why the reply ended, in the API's word."""
        return self.message.get("stop_reason")

    @property
    def usage(self) -> Mapping[str, Any]:
        """The tokens that the server counted."""
        return self.message.get("usage") or {}

    @property
    def turn(self) -> dict[str, Any]:
        """The reply as a turn of the conversation, to be followed by the next user turn."""
        return {"role": "assistant", "content": self.content}

    def tool_results(self, functions: Mapping[str, Callable[..., object]]) -> dict[str, Any]:
        """Call the tools that the reply asks for, and return the user turn with their results.

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
        """Return the first integer in the text; commas between thousands are allowed. Raises Unparseable."""
        match = INTEGER.search(simplified(self._answer))
        if match is None:
            raise self._unreadable("no number in the reply")
        try:
            return self._read(int(match[0].replace(",", "")))
        except ValueError:  # Python limits the digits of a number
            raise self._unreadable("a number of thousands of digits in the reply") from None

    def choice(self, letters: str = "ABCD") -> str:
        """Return the letter that the reply chooses, in upper case. Raises Unparseable if it names none, or several.

        The last letter that the reply states counts, as in "The answer is B" or on its own line. A reply that
        states none must name exactly one letter. For the letters YN, the words yes and no are read too.
        """
        named = _chosen(simplified(self._answer).strip(), letters.upper())
        if len(named) != 1:
            raise self._unreadable(
                f"none of {letters} in the reply" if not named else f"several of {letters} in the reply"
            )
        return self._read(named.pop())

    def tag(self, name: str) -> str:
        """Return the text of the first <name>…</name>. Raises Unparseable if there is none."""
        text = self.text if name == "think" else self._answer
        _, opened, after = text.partition(f"<{name}>")
        value, closed, _ = after.partition(f"</{name}>")
        if not (opened and closed):
            raise self._unreadable(f"no <{name}>…</{name}> in the reply")
        return self._read(value.strip())

    def json(self, schema: type[Schema] | None = None) -> Any:
        """Return the first JSON object or list in the text, also from a fenced block. Raises Unparseable.

        Args:
            schema: A type that it must have, such as a pydantic model, a dataclass or `dict[str, int]`; it is then
                returned as that type.
        """
        value = self._first_json()
        if schema is None:
            return self._read(value)
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
        quoted = f"{why}: {text[:SHOWN]!r}{'…' if len(text) > SHOWN else ''}" if text else "an empty reply"
        return JudgeUnreadable(quoted) if self.of_judge else Unparseable(quoted)


def _chosen(text: str, letters: str) -> set[str]:
    """Return the letters that a text may choose: one if it states or names one."""
    words = WORDS if set(letters) == set(WORDS.values()) else {}
    letter, any_case = f"[{re.escape(letters)}]", f"[{re.escape(letters + letters.lower())}]"
    word = f"(?i:{'|'.join(words) or '(?!)'})"
    one = f"{BEFORE}(?:{word}{AFTER}|{letter}{AFTER}|{any_case}(?={ENDED}))"
    # A letter of several, as in "A or B", or with a question mark after it, is not stated.
    stated = re.findall(rf"{STATES}({one})(?!{MARKS}\?)(?!\W*(?:or|and|/|,|&)\W*{letter}{AFTER})", text)
    whole = rf"{MARKS}({any_case}|{word}){MARKS}[.:,;!]?{MARKS}"
    tried = (
        stated[-1:],
        [found[1] for line in text.splitlines() if (found := re.fullmatch(whole, line))],
        re.findall(rf"\A{MARKS}({word})(?={ENDED})", text),
        re.findall(rf"{BEFORE}(?<!\b(?i:not) )(?<!n't )({letter}){AFTER}", text),
        re.findall(rf"(?:\A{MARKS}|{BEFORE}(?=\w+\W*\Z))({word}){AFTER}", text),
    )
    return {words.get(each.lower(), each.upper()) for each in next(filter(None, tried), ())}


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


def texts(content: str | Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a turn's content: its text blocks, documents and tool results."""
    if isinstance(content, str):
        return content
    parts = []
    for block in content:
        match block:
            case {"type": "text", "text": str(text)}:
                parts.append(text)
            case {"type": "document", "source": {"type": "text", "data": str(text)}}:
                parts.append(text)
            case {"type": "tool_result", "content": inner} if inner:
                parts.append(texts(inner))
    return "\n".join(parts)
