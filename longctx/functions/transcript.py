"""Long conversations that a model is asked about: as an agent logged them, or made by a generator.

A part of a session that contains the evidence of probes and a given number of tokens: the fill of a context window.

All probes whose evidence fits into half of the fill share one context, so that the same fact is asked for at every
fill with only the turns around it changed, and a prompt cache serves all but the first probe of a fill.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import Any

from longctx.errors import Absent, UserError
from longctx.functions.case import Case
from longctx.functions.cells import load_cases
from longctx.functions.session_reader import UNDONE
from longctx.functions.sessions import KNOWN, Log
from longctx.functions.strategies import (
    LEFT_OUT,
    SUMMARY_OF,
    Messages,
    blocks_of,
    joined,
    starts,
    tokens_after,
    tokens_of,
    unpaired,
)
from longctx.links import inside
from longctx.pytest_file import root_around
from longctx.results.records import log_lines
from longctx.text import count
from longctx.vocabulary.naming import folded, names


@dataclass(frozen=True)
class Divided:
    """The parts of a conversation that can be left out: a turn, or a tool call together with its result."""

    messages: Messages

    @cached_property
    def parts(self) -> list[range]:
        return [range(*ends) for ends in pairwise(starts(self.messages))]

    @cached_property
    def sizes(self) -> list[int]:
        """The tokens of each part, in the reference vocabulary."""
        return [tokens_of([self.messages[place] for place in part]) for part in self.parts]

    @cached_property
    def tokens(self) -> int:
        return sum(self.sizes)

    def part_of(self, turn: int) -> int:
        """Return the part that has a turn, by its place."""
        return next(number for number, part in enumerate(self.parts) if turn in part)

    def groups(self, evidence: Sequence[int], tokens: int) -> list[list[int]]:
        """Return the parts with evidence by the context that they share: together at most half of the tokens.

        One that is longer than that has its own context.
        """
        groups: list[list[int]] = []
        size = 0
        for part in sorted(set(evidence)):
            if not groups or size + self.sizes[part] > tokens / 2:
                groups.append([])
                size = 0
            groups[-1].append(part)
            size += self.sizes[part]
        return groups

    def closes(self, part: int) -> bool:
        """Return whether a part ends with an answer of the agent, not with a request or inside a tool exchange."""
        last = self.messages[self.parts[part][-1]]
        calls = any(block.get("type") == "tool_use" for block in blocks_of(last))
        return last["role"] == "assistant" and not calls

    def closed_around(self, evidence: Sequence[int], tokens: int) -> list[int]:
        """Return the parts of a context as `around` does, but with an end at which no request is open.

        If the exchange of the last evidence has no end that fits, the context is that of `around`.
        """
        chosen, last = self.around(evidence, tokens), max(evidence)
        if self.closes(chosen[-1]):
            return chosen
        ends = [part for part in range(last, chosen[-1] + 1) if self.closes(part)]
        if ends:
            return self.around(evidence, tokens, ends[-1])
        end = next((part for part in range(last, len(self.parts)) if self.closes(part)), None)
        if end is None or sum(self.sizes[part] for part in {*evidence, *range(last, end + 1)}) > tokens:
            return chosen
        return self.around([*evidence, *range(last + 1, end + 1)], tokens, end)

    def around(self, evidence: Sequence[int], tokens: int, end: int | None = None) -> list[int]:
        """Return the parts of a context in their order: those with evidence, and the nearest others that fit.

        end: the last part that it may have; None for any.
        """
        chosen = set(evidence)
        left = tokens - sum(self.sizes[part] for part in chosen)
        others = [part for part in range(len(self.parts) if end is None else end + 1) if part not in chosen]
        for part in sorted(others, key=lambda part: (min(abs(part - own) for own in evidence), part)):
            if self.sizes[part] <= left:
                chosen.add(part)
                left -= self.sizes[part]
        return sorted(chosen)

    def of(self, chosen: Sequence[int]) -> tuple[Messages, dict[int, int]]:
        """Return the turns of parts, no two neighbours of the same role, and where each of the session's turns is."""
        before = [{"role": "user", "content": LEFT_OUT}] if chosen and chosen[0] else []
        turns = [turn for part in chosen for turn in self.parts[part]]
        messages = [*before, *(self.messages[turn] for turn in turns)]
        places = accumulate((one["role"] != other["role"] for one, other in pairwise(messages)), initial=0)
        return joined(messages), dict(zip(turns, islice(places, len(before), None), strict=False))


PLURALS = {UNDONE: "turns undone"}
"""The plurals of what a log leaves out, if they are no word with an s."""
ENOUGH = 0.95
"""The share of a fill that a session must have."""
THOUGHTS = ("thinking", "redacted_thinking")
"""Blocks that are left out: only the model that signed them may get them back."""
NAMES = {"user": "User", "assistant": "Agent"}
NOT_KNOWN = "not known"
"""What the model is asked to answer if the conversation does not say."""
MOST_QUOTED = 120
"""The most characters of the evidence that is quoted for a probe."""
PROBE = (
    "{question}\nAnswer in a few words, with nothing but the answer. If this conversation does not say, answer: "
    f"{NOT_KNOWN}."
)
"""The user's turn of a probe, unless the prompt set has a template `probe` for the test."""


CHUNKS = (
    "{question}\nAnswer in a few words, with nothing but the answer. If these documents do not say, answer: "
    f"{NOT_KNOWN}."
)
"""The question about chunks, unless the prompt set has a template `chunks` for the test."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A long conversation, which `ask` and `ask.probe` send under the run's strategy.

    Example:
        >>> turns = [{"role": "user", "content": "Berth 4 is free."}, {"role": "assistant", "content": "Noted."}]
        >>> Transcript(turns).depth_of("Berth 4")
        0.0
    """

    messages: Messages
    """The turns; no two neighbours have the same role."""
    system: str | Sequence[Mapping[str, Any]] = ""
    """The system prompt; empty for none."""
    tools: Sequence[Mapping[str, Any]] = ()
    """The definitions of the tools that the conversation uses."""
    compactions: int = field(default=0, compare=False)
    """How often the program compacted the conversation, as far as its log tells."""
    lacks: tuple[str, ...] = field(default=(), compare=False)
    """What the product sends but does not log: `system prompt`, `tool descriptions`."""
    left_out: tuple[str, ...] = field(default=(), compare=False)
    """Parts of the log that were dropped, such as `2 pictures` or `1 API error`."""
    probes: tuple[Probe, ...] = field(default=(), compare=False)
    """The probes whose evidence `filled` also includes if it fits."""
    fill: int | None = field(default=None, compare=False)
    """The tokens of a part of a conversation; None for all of it."""
    places: Mapping[int, int] | None = field(default=None, compare=False, repr=False)
    """Where the turns of the conversation are in a part of it."""
    origin: Transcript | None = field(default=None, compare=False, repr=False)
    """The conversation of which it is a part."""
    _known: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)
    """What was learned from it: where evidence is, and the parts that were made."""

    def depth_of(self, text: str) -> float | None:
        """Return the depth of the first turn that contains `text`, from 0 to 1; None if no turn does."""
        for index, message in enumerate(self.messages):
            if any(folded(text) in folded(read_block(block)) for block in blocks_of(message)):
                return self.depth_at(index)
        return None

    def depth_at(self, turn: int) -> float | None:
        """Return the share of tokens before turn number `turn` (counted from 0), from 0 to 1; None if there is none."""
        after = tokens_after(self.messages)
        return 1 - after[turn] / after[0] if 0 <= turn < len(self.messages) else None

    def depth_for(self, probe: Probe) -> float | None:
        """Return the place of a probe's answer; None if the conversation does not have what the probe names."""
        turn = (self.origin or self).turn_of(probe)
        if turn is None:
            return None
        return self.depth_at(turn if self.places is None else self.places.get(turn, -1))

    def turn_of(self, probe: Probe) -> int | None:
        """Return the place of the turn with a probe's evidence, from 0; None if there is none."""
        if probe.turn is not None:
            return probe.turn - 1 if probe.turn <= len(self.messages) else None
        if probe.evidence not in self._known:
            sought = folded(probe.evidence)
            if "texts of it" not in self._known:
                self._known["texts of it"] = [
                    folded(" ".join(map(read_block, blocks_of(each)))) for each in self.messages
                ]
            texts = enumerate(self._known["texts of it"])
            self._known[probe.evidence] = next((place for place, text in texts if sought and sought in text), None)
        found: int | None = self._known[probe.evidence]
        return found

    def filled(
        self, tokens: int, probe: Probe | Case | Mapping[str, Any], *, whole_exchanges: bool = False
    ) -> Transcript:
        """Return an excerpt of about `tokens` tokens (reference vocabulary) that contains the probe's evidence.

        It has the evidence of the transcript's other probes, too, as far as that fits into half of the tokens, so that
        these probes share it. The rest are the turns around the evidence, the nearest first.

        Args:
            tokens: How many, in the reference vocabulary.
            probe: A probe, or a case as `ask.probe` takes it.
            whole_exchanges: Whether it ends with an answer of the agent, never inside a tool exchange or after an open
                request, which a model continues instead of answering. False keeps the recordings of older tests valid.

        Raises:
            UserError: The conversation is shorter, or has no such evidence, or it is longer than the tokens.

        Example:
            >>> turns = [{"role": ("user", "assistant")[n % 2], "content": f"Berth {n} is free."} for n in range(20)]
            >>> part = Transcript(turns).filled(40, Probe("Which?", ("9",), evidence="Berth 9"))
            >>> part.messages[-1]["content"]
            'Berth 11 is free.'
        """
        probe = probe if isinstance(probe, Probe) else Probe.of(probe)
        parts, probed = self._parts()
        turn = self.turn_of(probe)
        if turn is None:
            raise UserError(
                "probe-without-evidence",
                f"The session has {len(self.messages):,} turns, but none is the turn {probe.turn or ''} of the probe "
                f"{probe.question[:60]!r} or contains its evidence {probe.evidence[:60]!r}: quote a turn exactly.",
            )
        if parts.tokens < tokens * ENOUGH:
            raise UserError(
                "fill-beyond-session",
                f"A fill of {tokens:,} tokens exceeds the session, which has {parts.tokens:,}: leave it out of "
                "`fill` in the profile.",
            )
        own = parts.part_of(turn)
        if parts.sizes[own] > tokens:
            raise UserError(
                "evidence-beyond-fill",
                f"The turn with the evidence of the probe {probe.question[:60]!r} has {parts.sizes[own]:,} tokens, "
                f"more than the fill of {tokens:,}: leave out the probe, or that fill.",
            )
        evidence = probed if own in probed else [own]
        group = tuple(next(group for group in parts.groups(evidence, tokens) if own in group))
        key = tokens, group, whole_exchanges
        if key not in self._known:
            chosen = (parts.closed_around if whole_exchanges else parts.around)(group, tokens)
            messages, places = parts.of(chosen)
            self._known[key] = replace(
                self, messages=messages, places=places, origin=self, fill=tokens, probes=(), _known={}
            )
        made: Transcript = self._known[key]
        return made

    def _parts(self) -> tuple[Divided, list[int]]:
        """Return the parts of the conversation, and those with the evidence of its probes."""
        if "parts of it" not in self._known:
            parts = Divided(self.messages)
            turns = [self.turn_of(probe) for probe in self.probes]
            self._known["parts of it"] = parts, sorted({parts.part_of(turn) for turn in turns if turn is not None})
        found: tuple[Divided, list[int]] = self._known["parts of it"]
        return found

    def asked(self, messages: Messages, question: str) -> Messages:
        """Return turns that end with a question about them."""
        return joined([*messages, {"role": "user", "content": question}])


@dataclass(frozen=True, slots=True)
class Probe:
    """A question about a conversation, and its accepted answers.

    Example:
        >>> probe = Probe("Which berth is free?", accept=("4",), stale=("7",), kind="correction")
        >>> probe.grade("Berth 4."), probe.grade("Berth 7."), probe.grade("Not known."), probe.grade("Berth 9.")
        ('kept', 'stale', 'lost', 'invented')
    """

    question: str
    """The question, without its template."""
    accept: tuple[str | tuple[str, ...], ...]
    """The accepted answers. For a tuple, the reply must contain all of its texts."""
    stale: tuple[str, ...] = ()
    """Answers that were right earlier in the conversation."""
    kind: str = ""
    """The kind of fact, such as `identifier`."""
    evidence: str = ""
    """An exact quote from the turn that contains the answer."""
    turn: int | None = None
    """The number of that turn, from 1. It takes precedence over `evidence`."""
    alone: bool | None = None
    """Whether the model answered correctly when given only the evidence; None if that was not tested."""

    @classmethod
    def of(cls, given: Case | Mapping[str, Any]) -> Probe:
        """Return the probe in a case. Raises ValueError, which states what is wrong."""
        accept, stale = given.get("accept"), given.get("stale", [])
        accept = [accept] if isinstance(accept, str) else accept
        if not isinstance(given.get("question"), str) or not given["question"].strip():
            raise ValueError("it has no question")
        if not (isinstance(accept, list) and accept and all(map(_is_answer, accept))):
            raise ValueError("`accept` is an answer, or a list of answers, each a text or a list of texts")
        if not (isinstance(stale, list) and all(isinstance(each, str) and each.strip() for each in stale)):
            raise ValueError("`stale` is a list of answers that are out of date")
        for name in ("kind", "evidence"):
            if not isinstance(given.get(name, ""), str):
                raise ValueError(f"`{name}` is not a text")
        turn = given.get("turn")
        if turn is not None and (type(turn) is not int or turn < 1):
            raise ValueError("`turn` is the number of a turn, from 1")
        alone = given.get("alone")
        if not isinstance(alone, bool | None):
            raise ValueError("`alone` is true or false: whether the answer was right with the evidence alone")
        alternatives = tuple(tuple(each) if isinstance(each, list) else each for each in accept)
        return cls(
            given["question"],
            alternatives,
            tuple(stale),
            given.get("kind", ""),
            given.get("evidence", ""),
            turn,
            alone,
        )

    def is_in(self, text: str) -> bool:
        """Return whether a text has the evidence, however its lines are wrapped."""
        return bool(self.evidence) and folded(self.evidence) in folded(text)

    def grade(self, reply: str) -> str:
        """Return `kept`, `stale`, `lost` (the reply states that the answer is not known) or `invented`.

        A reply that names both an accepted and an outdated answer is stale: nobody could act on it.
        """
        text = folded(reply)
        if any(names(text, each) for each in self.stale):
            return "stale"
        for answer in self.accept:
            if all(names(text, part) for part in ((answer,) if isinstance(answer, str) else answer)):
                return "kept"
        return (
            "lost"
            if names(text, NOT_KNOWN) or re.search(r"\b(unknown|does not say|not mentioned)\b", text)
            else "invented"
        )


def transcript(path: str | Path, line: int | None = None, *, probes: str | Path | None = None) -> Transcript:
    """Read a logged conversation: JSON lines with requests of the Messages API or of OpenAI's two APIs.

    Each line is a request body, or an object with `request` and optionally `response`. Each request repeats the earlier
    turns, so the conversation is the request with the most turns (the last one, if several tie) and its reply. Requests
    to Gemini's API and Bedrock's Converse, LiteLLM rows and plain lists of turns are accepted, too. So are sessions of
    Codex CLI, Gemini CLI (including `/chat save` files), opencode (`opencode export`), Claude Code, Qwen Code, pi,
    mini-SWE-agent and Cline, without their subagents. If a session was rewound, the branch that ends last is used. A
    truncated log is read up to its last complete turn. Thinking, prompt-cache marks, summaries and all content before a
    compaction block of the Messages API are dropped. Pictures, API errors and undone turns of sessions are dropped and
    listed in `left_out`.

    Args:
        path: The file, relative to the calling file or to the working directory.
        line: Read only this line, numbered from 1.
        probes: A JSON Lines file of probes. `filled` puts the evidence of several into one context.

    Raises:
        UserError: A file is missing or its format is not supported.

    Example:
        >>> session = transcript("session.jsonl")  # doctest: +SKIP
        >>> len(session.messages)  # doctest: +SKIP
        214
    """
    caller = Path(sys._getframe(1).f_globals.get("__file__", ".")).parent
    read = read_transcript(_beside(caller, path), line, caller)
    if probes is None:
        return read
    return replace(read, probes=read_probes(_beside(caller, probes), Path(path).stem), _known={})


def _beside(caller: Path, path: str | Path) -> Path:
    return Path(path) if Path(path).exists() and not (caller / path).exists() else caller / path


def read_probes(path: Path, session: str) -> tuple[Probe, ...]:
    """Read a file of probes, without those that name another session. Raises UserError, which names the probe."""
    found = []
    for case in load_cases(path, None):
        if case.get("session", session) != session:
            continue
        try:
            found.append(Probe.of(case))
        except ValueError as error:
            raise UserError("bad-probe", f"{path}, the probe {case['id']}: {error}.") from None
    return tuple(found)


def read_transcript(path: Path, line: int | None = None, caller: Path = Path()) -> Transcript:
    """Read a conversation; see `transcript`. Raises UserError, also for a link that leads out of the project.

    caller: a folder of the project. A path outside it is one that its code, or the person, names.
    """
    root, named = root_around(caller.absolute()) or caller.absolute(), Path(os.path.abspath(path))  # noqa: PTH100
    inside(named, root if named.is_relative_to(root) else named.parent)
    log, number = Log(line), 1
    try:
        for number, entry in log_lines(path, log.end_early):
            log.add(number, entry)
        if log.wrong:
            number, told = log.wrong
            raise ValueError(told)
        found = log.reader.conversation()
        made = _of_line(found[1]) if found else None
    except FileNotFoundError:
        raise Absent(
            "no-transcript", f"There is no transcript {path}: log one, with one JSON line per request.", path=Path(path)
        ) from None
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        told = str(error) if isinstance(error, ValueError) else "its turns are no lists of texts, calls and results"
        told = "it is nested too deeply" if isinstance(error, RecursionError) else told
        raise UserError(
            "bad-transcript", f"{path}, line {number} is not a log of requests ({told}): {KNOWN}."
        ) from None
    if log.reader.before:
        base = f"{shlex.quote(str(path.parent))}/{log.reader.before}"
        raise UserError(
            "part-of-transcript",
            f"{path} goes on with a session that is in another file: join them, as in "
            f"`cat {base} {shlex.quote(str(path))} > session.jsonl`, and read that.",
        )
    if made is None or found is None:
        where = f"is a log of {log.form.name} without turns" if log.form else "is empty"
        where = f"has no line {line} with a request" if line else where
        raise UserError("empty-transcript", f"The transcript {path} {where}: log the requests of a session into it.")
    if lost := unpaired(made.messages):
        raise UserError(
            "unpaired-tool-use",
            f"{path}, line {found[0]}: the tool call {lost} has no result in the next turn, or the result no call, "
            "which the API refuses: choose another line, as in transcript(path, line=12), or complete the log.",
        )
    left_out = [count(many, kind, PLURALS.get(kind, "")) for kind, many in log.reader.left_out.items()]
    left_out += [*made.left_out, *["the end, which is cut"] * log.cut]
    return replace(made, compactions=made.compactions + log.reader.compactions, left_out=tuple(left_out))


def place_of(session: Transcript, probe: Probe, first: int) -> tuple[str, int | None]:
    """Return a text that is in the turn with a probe's answer and in none before it; if there is none, that turn.

    first: the place from which on the answer is, from 0.
    """
    texts = [" ".join(map(read_block, blocks_of(message))) for message in session.messages[first:]]
    answers = [part for each in probe.accept for part in ((each,) if isinstance(each, str) else each)]
    place = next((n for n, text in enumerate(texts) if any(names(folded(text), each) for each in answers)), 0)
    for quoted in quotes(texts[place], probe):
        if session.turn_of(replace(probe, evidence=quoted, turn=None)) == first + place:
            return quoted, None
    return "", first + place + 1


def quotes(text: str, probe: Probe) -> Iterator[str]:
    """Yield the sentences of a text that name an accepted answer."""
    answers = [part for each in probe.accept for part in ((each,) if isinstance(each, str) else each)]
    for sentence in re.split(r"(?<=[.!?;])\s+|\n+", text):
        quoted = " ".join(sentence.split())[:MOST_QUOTED]
        if any(names(folded(quoted), each) for each in answers):
            yield quoted


def stretches(session: Transcript, tokens: int) -> list[tuple[int, str]]:
    """Return the turns as texts of about so many tokens or more, each with the number of its first turn, from 1."""
    after = tokens_after(session.messages)
    found: list[tuple[int, list[str]]] = []
    for index, message in enumerate(session.messages):
        if not found or after[found[-1][0] - 1] - after[index] >= tokens:
            found.append((index + 1, []))
        found[-1][1].append(f"{NAMES[message['role']]}: {_shown(message)}")
    return [(turn, "\n\n".join(texts) + "\n") for turn, texts in found]


def _shown(message: Mapping[str, Any]) -> str:
    """Return a turn as people read it: its texts, calls and results."""
    return "\n".join(filter(None, (read_block(block) for block in blocks_of(message))))


def _of_line(logged: Mapping[str, Any]) -> Transcript:
    request, response = logged["request"], logged.get("response") or {}
    messages = [_turn(message["role"], message["content"]) for message in request["messages"]]
    if response.get("content"):
        reply = _turn("assistant", response["content"])
        if all(block["type"] != "tool_use" for block in blocks_of(reply)):  # its result is not logged yet
            messages.append(reply)
    if not messages:
        raise ValueError("it has no messages")
    messages, compactions, dropped = _after_compaction(messages)
    kept = [_results_first(message) for message in joined([message for message in messages if message["content"]])]
    system, tools = _plain(request.get("system", "")), request.get("tools", ())
    names = dict.fromkeys(
        str(block["name"]) for each in kept for block in blocks_of(each) if block["type"] == "tool_use"
    )
    undescribed = [name for name in names if all(tool.get("name") != name for tool in tools)]
    lacks = [*(["system prompt"] if not system else []), *(["tool descriptions"] if undescribed else [])]
    left_out = (f"{count(dropped, 'turn')} before a compaction",) if dropped else ()
    return Transcript(
        kept,
        system,
        [*tools, *map(_undescribed, undescribed)],
        compactions=compactions,
        lacks=tuple(lacks),
        left_out=left_out,
    )


def _after_compaction(messages: Messages) -> tuple[Messages, int, int]:
    """Return what a model saw of turns, how often the server compacted them, and how many turns it left out.

    The API sends what stands after the last block of a compaction, with the summary in it.
    """
    blocks = [
        (index, number, block["content"])
        for index, message in enumerate(messages)
        for number, block in enumerate(blocks_of(message))
        if block["type"] == "compaction" and isinstance(block.get("content"), str)
    ]
    if not blocks:
        return messages, 0, 0
    index, number, summary = blocks[-1]
    seen: Messages = [{"role": "user", "content": SUMMARY_OF.format(summary=summary)}]
    if rest := blocks_of(messages[index])[number + 1 :]:
        seen.append({"role": messages[index]["role"], "content": rest})
    return [*seen, *messages[index + 1 :]], len(blocks), index


def _undescribed(name: str) -> dict[str, Any]:
    """Return a tool of which a log has only calls: the API refuses calls of tools that a request does not name."""
    return {"name": name, "description": "", "input_schema": {"type": "object"}}


def _results_first(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a turn with its tool results before its text, as the API wants them."""
    blocks = blocks_of(message)
    if all(block["type"] != "tool_result" for block in blocks):
        return dict(message)
    return {**message, "content": sorted(blocks, key=lambda block: block["type"] != "tool_result")}


def _turn(role: object, content: Any) -> dict[str, Any]:
    if role not in ("user", "assistant"):
        raise ValueError(f"a turn has the role {role!r}")
    return {"role": role, "content": _plain(content)}


def _plain(content: Any) -> Any:
    """Return a content without thinking and marks of the prompt cache."""
    if isinstance(content, str):
        return content
    blocks = [{name: value for name, value in block.items() if name != "cache_control"} for block in content]
    return [block for block in blocks if block["type"] not in THOUGHTS]


def _is_answer(value: object) -> bool:
    texts = value if isinstance(value, list) and value else [value]
    return all(isinstance(text, str) and text.strip() for text in texts)


def read_block(block: Mapping[str, Any]) -> str:
    """Return a block of a turn as text."""
    match block:
        case {"type": "text", "text": str(text)} | {"type": "tool_result", "content": str(text)}:
            return text
        case {"type": "tool_result", "content": list(inner)}:
            return "\n".join(map(read_block, inner))
        case {"type": "tool_use", "input": given}:
            return json.dumps(given, ensure_ascii=False)
    return ""
