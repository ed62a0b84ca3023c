"""Simulated prompt caches for tests and benchmarks. They are never used for recordings."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from longctx.live.cost.prefixes import common_length
from tests.servers import Answer, Body, message, prompt_of

CHARACTERS_A_TOKEN = 4
"""The characters of one token of the simulated tokenizer."""
LOOKBACK = 20
"""A cached prefix is found if it ends at most this many blocks before a mark."""


class PrefixCache:
    """A cache as the Messages API documents it: it keeps marked prefixes and says what a request read and wrote.

    A prefix is found again only by a request that is cut into the same blocks, and a request does not write again any
    part of what it reads. Nothing is ever dropped from the cache.
    """

    def __init__(self, min_tokens: int = 1024, breakpoints: int = 4) -> None:
        self.min_tokens, self.breakpoints = min_tokens, breakpoints
        self.kept: set[tuple[str, ...]] = set()

    def usage(self, body: Body) -> dict[str, int]:
        """Return the usage of a request, and cache the prefixes that it marks."""
        head = (body["model"], body.get("system", ""))
        content = body["messages"][0]["content"]
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        assert all(block["text"] for block in blocks), "an empty block is refused"
        marks = [place for place, block in enumerate(blocks) if "cache_control" in block]
        assert len(marks) <= self.breakpoints, "more marks than the API takes are refused"
        texts = tuple(block["text"] for block in blocks)
        kept = [head + texts[: place + 1] for place in marks if self._tokens(texts[: place + 1]) >= self.min_tokens]
        seen = {place - back for place in marks for back in range(LOOKBACK + 1) if back <= place}
        read = max((self._tokens(texts[: at + 1]) for at in seen if head + texts[: at + 1] in self.kept), default=0)
        last = max((self._tokens(prefix[len(head) :]) for prefix in kept), default=0)
        self.kept |= {prefix for prefix in kept if self._tokens(prefix[len(head) :]) > read}
        whole = self._tokens(texts)
        return {
            "input_tokens": whole - max(read, last),
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": max(0, last - read),
            "output_tokens": 1,
        }

    def script(self, body: Body) -> Answer:
        """Return the same text for every request, with its usage: the script of a SimulatedServer."""
        return 200, {}, message("42", body, usage=self.usage(body))

    def _tokens(self, texts: tuple[str, ...]) -> int:
        return sum(map(len, texts)) // CHARACTERS_A_TOKEN


class LastPrompt:
    """A cache of the last prompt only, as a local server with one slot has it.

    It ignores marks, and its usage says how many tokens were read from the cache, but not how many were written.
    """

    def __init__(self) -> None:
        self._last = ""

    def script(self, body: Body) -> Answer:
        prompt = prompt_of(body)
        read = common_length(self._last, prompt) // CHARACTERS_A_TOKEN
        self._last = prompt
        whole = len(prompt) // CHARACTERS_A_TOKEN
        usage = {"input_tokens": whole - read, "cache_read_input_tokens": read, "output_tokens": 1}
        return 200, {}, message("42", body, usage=usage)


class TimedCache(PrefixCache):
    """A cache that keeps a marked prefix for five minutes, or for an hour if the mark says so; each reading renews it.

    now_s: its clock in seconds, which a test sets. The requests of a batch are answered by `in_batch`, as if all were
    answered at once: none reads what another one wrote.
    """

    SECONDS: ClassVar = {"5m": 300.0, "1h": 3600.0}

    def __init__(self, min_tokens: int = 1024, breakpoints: int = 4) -> None:
        super().__init__(min_tokens, breakpoints)
        self.now_s = 0.0
        self._until: dict[tuple[str, ...], float] = {}

    def usage(self, body: Body) -> dict[str, Any]:
        """Return the usage of a request; it also says how many of the tokens written are kept for an hour."""
        self.kept = {prefix for prefix in self.kept if self._until[prefix] >= self.now_s}
        before = set(self.kept)
        usage: dict[str, Any] = super().usage(body)
        for prefix in self.kept - before:
            self._until[prefix] = self.now_s + self.SECONDS[_ttl(body)]
        if usage["cache_read_input_tokens"]:
            for prefix in before:
                self._until[prefix] = max(self._until[prefix], self.now_s + self.SECONDS[_ttl(body)])
        hour = usage["cache_creation_input_tokens"] if _ttl(body) == "1h" else 0
        return usage | {"cache_creation": {"ephemeral_1h_input_tokens": hour}}

    def in_batch(self, body: Body) -> dict[str, Any]:
        """Return the result of a request in a batch, and leave the cache as it was."""
        kept, until = set(self.kept), dict(self._until)
        usage = self.usage(body)
        self.kept, self._until = kept, until
        return {"type": "succeeded", "message": json.loads(message("42", body, usage=usage))}


def _ttl(body: Body) -> str:
    """Return how long the marked prefixes of a request are kept, `5m` or `1h`; all its marks must agree."""
    content = body["messages"][0]["content"]
    blocks = content if isinstance(content, list) else []
    marks = [block["cache_control"] for block in blocks if "cache_control" in block]
    return marks[0].get("ttl", "5m") if marks else "5m"
