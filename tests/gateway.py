"""A simulated gateway that answers as the Messages API documents, except for one chosen fault. It is no model."""

from __future__ import annotations

import json
from typing import Any

from tests.servers import Answer, Body, count_tokens, failing, message, prompt_of

FRESH = 10
"""The tokens of a repeated prompt that are not read from the cache."""


class Gateway:
    """Scripts for a SimulatedServer: `answer` answers questions and caches every prompt, `count` counts tokens.

    fault: the name of the one thing that it does wrong; with an empty name it does nothing wrong.
    """

    def __init__(self, fault: str = "") -> None:
        self._fault = fault
        self._kept: set[str] = set()

    def answer(self, body: Body) -> Answer:
        if self._fault == "least of 16" and body["max_tokens"] < 16:
            return failing(400, "max_output_tokens: must be at least 16")(body)
        text, stopped = self._text(body)
        answer = json.loads(message(text, body, stop_reason=stopped, usage=self._usage(body, text)))
        if self._fault == "no usage":
            del answer["usage"]
        return 200, {}, json.dumps(answer).encode()

    def count(self, body: Body) -> Answer:
        tokens = self._tokens(body)
        match self._fault:
            case "no count":
                return failing(404, "no such path")(body)
            case "html count":
                return 200, {"content-type": "text/html"}, b"<html>It works!</html>"
            case "one count":
                tokens = 12
            case "another tokenizer":
                tokens = round(tokens * 1.3)
        return 200, {}, json.dumps({"input_tokens": tokens}).encode()

    def _text(self, body: Body) -> tuple[str, str | None]:
        """Return the text of the answer and the stop reason."""
        if "quince" in body.get("system", "") and not self._fault.startswith("system"):
            return "Quince.", "end_turn"
        if body["messages"][-1]["role"] == "assistant":
            return "Certainly! Apple, apple." if self._fault == "prefill" else " quince.", "end_turn"
        if "Count from 1" not in prompt_of(body):
            return "yes", "end_turn"
        numbers = [str(number) for number in range(1, 101)]
        if self._fault == "no limit":
            return " ".join(numbers), "end_turn"
        stopped = {"end_turn": "end_turn", "no stop reason": None}.get(self._fault, "max_tokens")
        return " ".join(numbers[: body["max_tokens"]]), stopped

    def _usage(self, body: Body, text: str) -> dict[str, Any]:
        prompt, tokens = prompt_of(body), self._tokens(body)
        cached = max(0, tokens - FRESH) if prompt in self._kept else 0
        self._kept.add(prompt)
        usage = {
            "input_tokens": tokens - cached,
            "output_tokens": count_tokens(text),
            "cache_read_input_tokens": cached,
        }
        match self._fault:
            case "zero":
                return {"input_tokens": 0, "output_tokens": 0}
            case "no output":
                return usage | {"output_tokens": 0}
            case "cached dropped":
                return usage | {"cache_read_input_tokens": 0}
            case "cached twice":
                return usage | {"input_tokens": tokens}
            case "no cache":
                return {"input_tokens": tokens, "output_tokens": count_tokens(text)}
        return usage

    def _tokens(self, body: Body) -> int:
        system = "" if self._fault == "system dropped" else body.get("system", "")
        return count_tokens(f"{system}\n{prompt_of(body)}")
