"""Logs of other programs as requests of the Messages API, by a reader for each form (FORMS).

They are data of others: nothing in them is followed or run, and no more than MOST_OF_SESSION is kept of a session.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from longctx.functions.session_reader import (
    API_ERROR,
    FoundRequest,
    Reader,
    Turn,
    TurnBlock,
    output_text,
    text_of,
    tool_result,
    tool_use,
)
from longctx.functions.strategies import answered, attached, kind_attached
from longctx.functions.trees import ClaudeCode, Pi, QwenCode, is_linked
from longctx.functions.vendor_requests import translated, unwrapped
from longctx.results.records import fields_of

INSTRUCTIONS = ("system", "developer")
"""The roles of chat completions that are a system prompt."""
SAID = "user", "assistant", "tool"
"""The roles of its turns."""
STRANGE = 1000
"""The lines of no form with which a log may begin."""
COMPACTIONS = 100
"""The most compactions of a session."""
ADDED = ("call_id", "reasoning_details", "signature")
"""The fields that Cline adds to the blocks of the Messages API."""
Responses = dict[str, tuple[list[str], list[Turn]]]
"""OpenAI's responses by their id: the system prompts and the turns so far."""


@dataclass
class Codex(Reader):
    """Every turn that was not undone; of what a compaction left, only what the log does not have itself."""

    said: list[int] = field(default_factory=list)
    """The places of the turns that a person said."""

    def add(self, number: int, entry: Any) -> None:
        payload = entry["payload"]
        match entry["type"], payload.get("type"):
            case "session_meta", _:
                base = payload.get("base_instructions") or {}
                self.system.append(base.get("text") or payload.get("instructions") or "")
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
                for _ in range(min(payload["num_turns"], len(self.said))):
                    del self.turns[self.said.pop() :]

    def drop_summary(self, told: str) -> None:
        """Drop the reply in which the model wrote a compaction's summary. told: what Codex goes on with; it ends so."""
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
            case _ if turn := _of_item(item):
                self.said += [len(self.turns)] * _is_said(turn)
                self.say(turn["role"], *turn["content"])


def _is_said(turn: Turn) -> bool:
    """Return whether a person said a turn: others are results, and what Codex tells of itself."""
    texts = [block["text"].lstrip() for block in turn["content"] if block["type"] == "text"]
    return turn["role"] == "user" and any(not text.startswith(("<", "# AGENTS.md")) for text in texts)


@dataclass
class Gemini(Reader):
    """Every turn that was not undone; a compaction replaces the turns of the program, but not those of the log."""

    records: dict[str, tuple[list[Turn], Counter[str], int]] = field(default_factory=dict)
    """The turns of each record, what of it is left out, and its characters; the log writes it again when it changes."""
    summaries: set[str] = field(default_factory=set)
    """The records that a compaction made."""

    def add(self, number: int, entry: Any) -> None:
        changed = entry.get("$set")
        if isinstance(target := entry.get("$rewindTo"), str):
            ends = target if target in self.records else next(iter(self.records), None)
            while self.records and ends in self.records:
                self.drop(next(reversed(self.records)))
        elif isinstance(changed, dict):
            if isinstance(messages := changed.get("messages"), list):
                self.go_on_with({message["id"]: message for message in messages})
        else:
            for message in [entry] if "type" in entry else entry.get("messages") or ():
                self.record(message)

    def go_on_with(self, messages: Mapping[str, Mapping[str, Any]]) -> None:
        """Take up what the program goes on with: some turns were undone, or a summary stands for them."""
        gone = self.records.keys() - messages.keys()
        new = [name for name in messages if name not in self.records]
        if new and gone:
            self.compactions += 1
            self.summaries.update(new)
            if self.compactions > COMPACTIONS:
                raise ValueError(f"it was compacted more than {COMPACTIONS:,} times")
            return
        for name in gone:
            self.drop(name)
        for name in new:
            self.record(messages[name])

    def drop(self, name: str) -> None:
        self.kept -= self.records.pop(name)[2]

    def record(self, record: Mapping[str, Any]) -> None:
        if record["id"] in self.summaries or record["type"] not in ("user", "gemini", "error"):
            return
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
        return super().conversation()


def _of_gemini(record: Mapping[str, Any]) -> Iterator[Turn]:
    """Yield the turns of a record: what was said, with calls, and their results."""
    content = [part for part in _parts(record.get("content")) if not part.get("thought")]
    said = [{"type": "text", "text": part["text"]} for part in content if part.get("text")]
    calls = [*(record.get("toolCalls") or ()), *(part.get("functionCall") or {} for part in content)]
    said += [tool_use(call["id"], call["name"], call.get("args") or {}) for call in calls if "id" in call]
    answers = [part.get("functionResponse") or {} for part in content]
    for call in calls:
        answers += [
            {**part["functionResponse"], "id": call["id"]}
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
class OpenCode(Reader):
    """Without what was undone, replies that failed, and summaries."""

    def add(self, number: int, entry: Any) -> None:
        undone = (entry["info"].get("revert") or {}).get("messageID")
        for message in entry["messages"]:
            info, parts = message["info"], message["parts"]
            error = (info.get("error") or {}).get("name")
            if undone and info.get("id") == undone:
                return
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
        if any(map(_of_chat, self.turns)):
            return self.chosen, {"request": _from_chat({"messages": self.turns})}
        turns = [{"role": turn["role"], "content": _stripped(turn["content"])} for turn in self.turns]
        return (self.chosen, {"request": {"messages": answered(turns)}}) if turns else None


@dataclass
class Trajectory(Reader):
    """All messages of a run of mini-SWE-agent, without how it ended."""

    def add(self, number: int, entry: Any) -> None:
        self.turns = [message for message in entry["messages"] if message["role"] in (*INSTRUCTIONS, *SAID)]
        self.measure(self.turns)

    def conversation(self) -> FoundRequest | None:
        request = _from_chat({"messages": self.turns})
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


def _is_request(entry: Any) -> bool:
    return isinstance(entry, dict) and not {"messages", "input", "request", "body", "contents"}.isdisjoint(entry)


FORMS = (
    LogForm("Codex CLI", "0.153, September 2026", lambda entry: _has(entry, type=str, payload=dict), Codex),
    LogForm("Gemini CLI", "0.56, August 2026", _is_gemini, Gemini),
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
        return {"request": _from_responses(request, response, responses)}
    if "messages" not in request:
        raise ValueError(f"it has no `messages`, but {fields_of(request)}")
    if isinstance(response, dict) and isinstance(response.get("choices"), list) and response["choices"]:
        request["messages"] = [*request["messages"], response["choices"][0]["message"]]
        response = {}
    if any(_of_chat(message) for message in request["messages"]):
        request = _from_chat(request)
    return {"request": request, "response": response}


def _body(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the body of a request that was logged as it is, as `request`, or as a line of a batch."""
    body = entry.get("request", entry.get("body", entry))
    return body if isinstance(body, Mapping) else dict(body)  # anything else raises


def _of_chat(message: Any) -> bool:
    return isinstance(message, dict) and (message.get("role") in (*INSTRUCTIONS, "tool") or "tool_calls" in message)


def _from_chat(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request of OpenAI's chat completions as one of the Messages API."""
    messages = request["messages"]
    system = [text_of(message["content"]) for message in messages if message["role"] in INSTRUCTIONS]
    turns = [_turn(message) for message in messages if message["role"] not in INSTRUCTIONS]
    tools = [tool["function"] for tool in request.get("tools") or () if isinstance(tool.get("function"), dict)]
    return {"messages": turns, "system": "\n\n".join(filter(None, system)), "tools": _named(tools)}


def _named(tools: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "name": tool["name"],
            "description": tool.get("description") or "",
            "input_schema": tool.get("parameters") or {"type": "object"},
        }
        for tool in tools
    ]


def _turn(message: Mapping[str, Any]) -> Turn:
    if message["role"] == "tool":
        return {"role": "user", "content": [tool_result(message["tool_call_id"], text_of(message["content"]))]}
    text = text_of(message.get("content"))
    blocks: list[TurnBlock] = [{"type": "text", "text": text}] if text else []
    calls = [_call(call["id"], call["function"]) for call in message.get("tool_calls") or ()]
    return {"role": message["role"], "content": [*blocks, *calls]}


def _call(identity: str, function: Mapping[str, Any]) -> TurnBlock:
    given = function.get("arguments") or "{}"
    try:
        return tool_use(identity, function["name"], json.loads(given))
    except ValueError:  # a model's arguments may be no JSON
        return tool_use(identity, function["name"], given)


def _from_responses(request: Mapping[str, Any], response: Mapping[str, Any], known: Responses) -> dict[str, Any]:
    """Return a request of OpenAI's responses, with its reply, as one of the Messages API. Raises ValueError."""
    before = request.get("previous_response_id")
    if before and before not in known:
        raise ValueError(f"it continues the response {before!r}, which is not in the log before it")
    given = request["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
    items += response.get("output") or ()
    system, turns = known.get(str(before), ([], []))
    system = [*system, *(text_of(item["content"]) for item in items if item.get("role") in INSTRUCTIONS)]
    said = (_of_item(item) for item in items if item.get("role") not in INSTRUCTIONS)
    turns = [*turns, *filter(None, said)]
    if identity := response.get("id"):
        known[str(identity)] = system, turns
    tools = [tool for tool in request.get("tools") or () if tool.get("type") == "function" and "name" in tool]
    system = [request.get("instructions") or "", *system]
    return {"messages": turns, "system": "\n\n".join(filter(None, system)), "tools": _named(tools)}


def _of_item(item: Mapping[str, Any]) -> Turn | None:
    """Return an item of OpenAI's responses as a turn; None for those that are left out, such as reasoning."""
    match item:
        case {"type": "function_call", "call_id": str(identity)}:
            return {"role": "assistant", "content": [_call(identity, item)]}
        case {"type": "function_call_output", "call_id": str(identity)}:
            return {"role": "user", "content": [tool_result(identity, output_text(item.get("output")))]}
        case {"role": str(role), "content": content}:
            return {"role": role, "content": [{"type": "text", "text": text}] if (text := text_of(content)) else []}
    return None


def _stripped(content: Any) -> Any:
    """Return the content of a turn without pictures, files, and what Cline adds."""
    if isinstance(content, str):
        return content
    return [
        {name: _stripped(value) if name == "content" else value for name, value in block.items() if name not in ADDED}
        for block in content
        if not kind_attached(block)
    ]
