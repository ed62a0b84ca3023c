"""Prompts of which a server read only a part, by the tokens that it counted: it cuts what its window cannot take.

Some servers cut a prompt without an error. Then what a run asks is not what the model was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from longctx.config.models import ModelProfile
from longctx.corpus.documents import reference_tokens

PROMPT_CUT = "prompt_cut"
"""Why a trial is not measured whose prompt was cut."""
LEAST = 256
"""Prompts with fewer tokens than this are estimated too roughly, and are cut by no server."""
CHARACTERS_A_TOKEN = 4
PART = 0.5
"""The share of the estimate below which a count is that of a part."""
UNLIKE = 1.2
"""The ratio from which on two prompts differ too much to have the same number of tokens."""
ALIKE = 3
"""How many prompts with the same count show a limit."""


@dataclass(frozen=True, slots=True)
class PromptCut:
    """A prompt that was cut: the tokens that the server counted, and about those that it has."""

    counted: int
    estimated: int


@dataclass(frozen=True, slots=True)
class _Sent:
    trial: str
    text: str
    model: ModelProfile


class CutPrompts:
    """Finds, among the requests of a cell, those that were cut: each alone, and by the limit that several share."""

    def __init__(self) -> None:
        self.of: dict[str, PromptCut] = {}
        """The trials with a prompt that was cut."""
        self._longest: dict[str, tuple[int, list[_Sent]]] = {}
        """The requests with the largest count of each model: those at its limit, if it has one."""

    def add(self, trial: str, model: ModelProfile, body: Mapping[str, Any], counted: int) -> None:
        """Add a request that was answered. counted: its input tokens, cached ones included."""
        text = prompt_text(body)
        if not counted or "context_management" in body or len(text) < LEAST * CHARACTERS_A_TOKEN:
            return
        if (cut := cut_alone(text, model, counted)) is not None:
            self.of.setdefault(trial, cut)
        most, sent = self._longest.get(model.model, (0, []))
        if counted >= most:
            kept = sent if counted == most else []
            self._longest[model.model] = counted, [*kept, _Sent(trial, text, model)]

    def found(self) -> dict[str, PromptCut]:
        """Return the trials with a prompt that was cut, once all requests were added."""
        for counted, sent in self._longest.values():
            lengths = [len(each.text) for each in sent]
            if len(sent) < ALIKE or max(lengths) < UNLIKE * min(lengths):
                continue
            sizes = [(len(each.text), reference_tokens(each.text)) for each in sent]
            # Longer by characters and by tokens: a text in another language is longer by one of them.
            if any(a > UNLIKE * b and c > UNLIKE * d for a, c in sizes for b, d in sizes):
                for each in sent:
                    self.of.setdefault(each.trial, PromptCut(counted, _estimated(each.text, each.model)))
        return self.of


def cut_alone(text: str, model: ModelProfile, counted: int) -> PromptCut | None:
    """Return how a prompt was cut if the server counted less than half of its tokens; None if it was not."""
    if len(text) / CHARACTERS_A_TOKEN * model.tokens.reference * PART <= counted:
        return None
    estimated = _estimated(text, model)  # takes longer
    return PromptCut(counted, estimated) if counted < PART * estimated else None


def prompt_text(body: Mapping[str, Any]) -> str:
    """Return the texts of a request: its system prompt, and those of its turns. Images and thoughts are none."""
    return "\n".join(_texts([body.get("system", ""), body.get("messages", ())]))


def cut_prompts_sentence(model: str, cut: Mapping[str, PromptCut], trials: int) -> str:
    """Return the sentence on the trials of a cell whose prompts were cut."""
    counted = sorted({each.counted for each in cut.values()})
    shown = f"{counted[0]:,}" if len(counted) == 1 else f"{counted[0]:,} to {counted[-1]:,}"
    longest = max(each.estimated for each in cut.values())
    return (
        f"{len(cut):,} of {trials:,} trials are not measured, because the server of {model} read only a part of their "
        f"prompts: it counted {shown} input tokens for prompts of up to about {longest:,}. Raise the window of "
        "the server (such as num_ctx or --ctx-size) and record the trials again with --ctx-record all, or leave out "
        "lengths that do not fit."
    )


def _estimated(text: str, model: ModelProfile) -> int:
    """Estimate the tokens of a text: the fewer of those by its characters, and those by the reference vocabulary."""
    return round(min(len(text) / CHARACTERS_A_TOKEN, reference_tokens(text)) * model.tokens.reference)


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list() | tuple():
            for each in value:
                yield from _texts(each)
        case {"type": "base64" | "url" | "file" | "thinking" | "redacted_thinking"}:
            return
        case dict():
            for name in ("content", "text", "source", "data", "title", "context", "input"):
                yield from _texts(value.get(name, ""))
