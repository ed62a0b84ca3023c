"""Logs of other programs as requests of the Messages API, by a reader for each form (FORMS).

They are data of others: nothing in them is followed or run, and no more than MOST_OF_SESSION is kept of a session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from longctx.functions.codex import Codex
from longctx.functions.gemini_cli import Checkpoint, Gemini
from longctx.functions.openai_requests import INSTRUCTIONS, Responses, from_chat, from_responses, is_of_chat
from longctx.functions.session_reader import API_ERROR, UNDONE, FoundRequest, Reader, tool_result, tool_use
from longctx.functions.strategies import answered, attached, kind_attached
from longctx.functions.trees import ClaudeCode, Pi, QwenCode, is_linked
from longctx.functions.vendor_requests import translated, unwrapped
from longctx.results.records import fields_of

SAID = "user", "assistant", "tool"
"""The roles of the turns of chat completions."""
STRANGE = 1000
"""The lines of no form with which a log may begin."""
ADDED = ("call_id", "reasoning_details", "signature")
"""The fields that Cline adds to the blocks of the Messages API."""


@dataclass
class OpenCode(Reader):
    """Without what was undone, replies that failed, and summaries."""

    def add(self, number: int, entry: Any) -> None:
        revert = entry["info"].get("revert") or {}
        reader, undone = self, OpenCode()
        for message in entry["messages"]:
            info, parts = message["info"], message["parts"]
            if revert and info.get("id") == revert.get("messageID"):
                ids = [part.get("id") for part in parts]
                place = ids.index(first) if (first := revert.get("partID")) in ids else 0
                self.message(info, parts[:place])
                reader, parts = undone, parts[place:]
            reader.message(info, parts)
        self.left_out.update([UNDONE] * len(undone.turns))

    def message(self, info: Mapping[str, Any], parts: list[Mapping[str, Any]]) -> None:
        error = (info.get("error") or {}).get("name")
        if error and error != "MessageAbortedError":
            self.left_out[API_ERROR] += 1
        elif info.get("summary") is not True:
            self.compactions += sum(part.get("type") == "compaction" for part in parts)
            self.left_out.update(attached(parts))
            for part in parts:
                self.part(info["role"], part)

    def part(self, role: str, part: Mapping[str, Any]) -> None:
        match part:
            case {"type": "text", "text": str(text)} if text and not part.get("ignored"):
                self.say(role, {"type": "text", "text": text})
            case {"type": "tool", "callID": str(identity), "tool": str(name), "state": {"input": given, **state}}:
                result = state.get("output", state.get("error"))
                if isinstance(result, str):
                    self.say("assistant", tool_use(identity, name, given))
                    self.say("user", tool_result(identity, result))


@dataclass
class Turns(Reader):
    """A turn per line, or a list of all turns, such as Cline's: the last of the longest."""

    chosen: int = 1
    """The line of the list."""

    def add(self, number: int, entry: Any) -> None:
        if not isinstance(entry, list):
            self.measure([entry.get("content")])
            self.turns.append(entry)
        elif self.line in (None, number) and len(entry) >= len(self.turns):
            self.chosen, self.turns = number, entry

    def conversation(self) -> FoundRequest | None:
        self.left_out.update(attached(self.turns))
        if any(map(is_of_chat, self.turns)):
            return self.chosen, {"request": from_chat({"messages": self.turns})}
        turns = [{"role": turn["role"], "content": _stripped(turn["content"])} for turn in self.turns]
        return (self.chosen, {"request": {"messages": answered(turns)}}) if turns else None


@dataclass
class Trajectory(Reader):
    """All messages of a run of mini-SWE-agent, without how it ended."""

    def add(self, number: int, entry: Any) -> None:
        self.turns = [message for message in entry["messages"] if message["role"] in (*INSTRUCTIONS, *SAID)]
        self.measure(self.turns)

    def conversation(self) -> FoundRequest | None:
        request = from_chat({"messages": self.turns})
        return (1, {"request": {**request, "messages": answered(request["messages"])}}) if request["messages"] else None


@dataclass
class RequestLog(Reader):
    """Requests, each with all turns before it: the last of those with the most turns."""

    chosen: FoundRequest | None = None
    responses: Responses = field(default_factory=dict)

    def add(self, number: int, entry: Any) -> None:
        if self.line not in (None, number) and "input" not in _body(entry):
            return
        request = _request_of(entry, self.responses)
        turns = request["request"]["messages"]
        self.kept += len(turns) * bool(self.responses)  # each of OpenAI's responses keeps those before it
        self.measure(())
        if self.line in (None, number) and (
            self.chosen is None or len(turns) >= len(self.chosen[1]["request"]["messages"])
        ):
            self.chosen = number, request
            sent = _body(unwrapped(entry))
            as_sent = request["request"].get("messages") is sent.get("messages")
            self.left_out = (
                Counter()
                if as_sent
                else Counter(attached([sent.get(name) for name in ("messages", "input", "contents")]))
            )

    def conversation(self) -> FoundRequest | None:
        return self.chosen


@dataclass(frozen=True, slots=True)
class LogForm:
    """A form of logs."""

    name: str
    dated: str
    """The version and the month of the format that is read."""
    takes: Callable[[Any], bool]
    """Whether a line is of this form."""
    reader: type[Reader]
    strict: bool = False
    """Whether lines of another form are a mistake."""
    links: Callable[[Any], bool] = lambda entry: False
    """Whether a line that has no turn links those of this form."""


def _has(entry: Any, **kinds: type) -> bool:
    """Return whether a line is an object with fields of these types."""
    return isinstance(entry, dict) and all(isinstance(entry.get(name), kind) for name, kind in kinds.items())


def _is_gemini(entry: Any) -> bool:
    is_record = _has(entry, id=str, type=str) and "content" in entry and not {"role", "message"} & entry.keys()
    changes = _has(entry, **{"$set": dict}) or _has(entry, **{"$rewindTo": str})
    return is_record or changes or _has(entry, sessionId=str, projectHash=str)


def _is_message(entry: Any, content: str) -> bool:
    """Return whether a line is a turn of a tree, whose message has such a content."""
    turn = _has(entry, message=dict) and entry.get("type") in ("user", "assistant", "tool_result")
    return turn and isinstance(entry["message"].get(content), str | list)


def _is_claude_code(entry: Any) -> bool:
    return _is_message(entry, "content") or (isinstance(entry, dict) and entry.get("subtype") == "compact_boundary")


def _is_pi(entry: Any) -> bool:
    in_tree = isinstance(entry, dict) and isinstance(entry.get("type"), str) and "parentId" in entry and "id" in entry
    return in_tree or (_has(entry, type=str, version=int, cwd=str) and entry["type"] == "session")


def _is_export(entry: Any) -> bool:
    return _has(entry, info=dict, messages=list) and all(
        _has(each, info=dict, parts=list) for each in entry["messages"]
    )


def _is_mini_swe_agent(entry: Any) -> bool:
    return _has(entry, trajectory_format=str, messages=list) and entry["trajectory_format"].startswith("mini-swe-agent")


def _is_turns(entry: Any) -> bool:
    """Return whether a line is a turn, or a list of turns."""
    first = entry[0] if isinstance(entry, list) and entry else entry
    return _has(first, role=str) and not {"content", "tool_calls"}.isdisjoint(first) and "messages" not in first


def _is_checkpoint(entry: Any) -> bool:
    """Return whether a file is what Gemini CLI saved: contents of its API, or turns with an id around each."""
    turns = entry["history"] if _has(entry, history=list) else [None]
    return all(_has(turn, role=str, parts=list) or _has(turn, id=str, content=dict) for turn in turns)


def _is_request(entry: Any) -> bool:
    return isinstance(entry, dict) and not {"messages", "input", "request", "body", "contents"}.isdisjoint(entry)


FORMS = (
    LogForm("Codex CLI", "0.171, November 2026", lambda entry: _has(entry, type=str, payload=dict), Codex),
    LogForm("Gemini CLI", "0.61, November 2026", _is_gemini, Gemini),
    LogForm("Gemini CLI's /chat save", "0.61, November 2026", _is_checkpoint, Checkpoint, strict=True),
    LogForm("opencode export", "1.18, 2026", _is_export, OpenCode, strict=True),
    LogForm("mini-SWE-agent", "2, 2026", _is_mini_swe_agent, Trajectory, strict=True),
    LogForm("pi", "version 3 of its sessions, August 2026", _is_pi, Pi),
    LogForm("Qwen Code", "0.12, August 2026", lambda entry: _is_message(entry, "parts"), QwenCode, links=is_linked),
    LogForm("Claude Code", "2.1, June 2026", _is_claude_code, ClaudeCode, links=is_linked),
    LogForm("Cline, or other lists of turns", "August 2026", _is_turns, Turns, strict=True),
    LogForm(
        "requests",
        "Messages API, chat completions, responses, Gemini, Converse, LiteLLM",
        _is_request,
        RequestLog,
        strict=True,
    ),
)
"""The forms that are read; the first one that takes a line is that of the log."""
KNOWN = (
    "a line is the body of a request (Messages API, chat completions, responses, Gemini, Converse), or "
    '{"request": BODY, "response": MESSAGE}, or it is of a session: '
    + "; ".join(f"{form.name} ({form.dated})" for form in FORMS[:-1])
)


@dataclass
class Log:
    """A log that is read line by line: the form is that of the first line that has one."""

    line: int | None = None
    form: LogForm | None = None
    reader: Reader = field(default_factory=Reader)
    strange: tuple[int, str] | None = None
    """The first line of another form, and what its fields are."""
    cut: bool = False
    """Whether the log ends within a line, or within its JSON text."""

    def add(self, number: int, entry: Any) -> None:
        """Take up a line. Raises ValueError if it is none of a log."""
        known = self.form
        if known and (known.takes(entry) or known.links(entry)):
            form: LogForm | None = known
        else:
            form = next((form for form in FORMS if form.takes(entry)), None)
        if form and not self.form:
            self.form, self.reader = form, form.reader(self.line)
        if form is None or form is not self.form:
            self.strange = self.strange or (number, f"its fields are {fields_of(entry)}")
            if number > STRANGE and not self.form:
                raise ValueError(self.strange[1])
            return
        try:
            self.reader.add(number, entry)
        except (KeyError, TypeError, AttributeError):
            raise ValueError(f"its fields are {fields_of(entry)}") from None

    def end_early(self) -> None:
        self.cut = True

    @property
    def wrong(self) -> tuple[int, str] | None:
        """The first line that should not be there, and what is wrong with it."""
        return self.strange if self.form is None or self.form.strict else None


def _request_of(entry: Any, responses: Responses) -> dict[str, Any]:
    """Return a line as a request of the Messages API, with the reply if it has one. Raises ValueError, KeyError.

    responses: those before it; this one is added.
    """
    entry = unwrapped(entry)
    request, response = dict(_body(entry)), entry.get("response") or {}
    if translation := translated(request, response):
        return {"request": translation}
    if isinstance(response, Mapping) and isinstance(response.get("body"), Mapping):  # a line of OpenAI's batches
        response = response["body"]
    if "input" in request and "messages" not in request:
        return {"request": from_responses(request, response, responses)}
    if "messages" not in request:
        raise ValueError(f"it has no `messages`, but {fields_of(request)}")
    if isinstance(response, dict) and isinstance(response.get("choices"), list) and response["choices"]:
        request["messages"] = [*request["messages"], response["choices"][0]["message"]]
        response = {}
    if any(is_of_chat(message) for message in request["messages"]):
        request = from_chat(request)
    return {"request": request, "response": response}


def _body(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the body of a request that was logged as it is, as `request`, or as a line of a batch."""
    body = entry.get("request", entry.get("body", entry))
    return body if isinstance(body, Mapping) else dict(body)  # anything else raises


def _stripped(content: Any) -> Any:
    """Return the content of a turn without pictures, files, and what Cline adds."""
    if isinstance(content, str):
        return content
    return [
        {name: _stripped(value) if name == "content" else value for name, value in block.items() if name not in ADDED}
        for block in content
        if not kind_attached(block)
    ]
