"""What a server tells of a model for free: its limits, what it takes, and what its tokenizer makes of texts."""

from __future__ import annotations

import datetime
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anthropic
from anthropic.types import ModelInfo

from longctx.ask.providers import Client
from longctx.ask.request import system_prompt
from longctx.config.models import Measured, ModelProfile
from longctx.config.prompts import PromptSet, Wording
from longctx.corpus.documents import load_corpus
from longctx.corpus.settings import REGISTER
from longctx.scenarios import LineRetrieval
from longctx.scenarios.base import Scenario

Counter = Callable[[Client, ModelProfile, str, str], Awaitable[int]]
"""Gives the input tokens of a prompt and a system prompt."""

LINES = 500, 1500
"""Sizes of the files whose difference gives the tokens of a line."""


async def retrieve(client: Client, model: ModelProfile) -> dict[str, Any]:
    """What models.retrieve tells, by the names of `Probed`. Not every server lists its models: often empty."""
    listed = getattr(client, "models", None)
    if listed is None:
        return {}
    try:
        info = await listed.retrieve(model.sent_as)
    except anthropic.APIError:
        return {}
    if not isinstance(info, ModelInfo):
        return {}
    said = info.model_dump()
    can = said.get("capabilities") or {}
    told = {
        "window": _positive(said.get("max_input_tokens")),
        "max_output": _positive(said.get("max_tokens")),
        "thinking": _supported((can.get("thinking") or {}).get("types")),
        "effort": _supported(can.get("effort")),
        "batch": (can.get("batch") or {}).get("supported"),
    }
    return {name: value for name, value in told.items() if value is not None}


async def count(client: Client, model: ModelProfile, text: str, system: str = "") -> int:
    """Input tokens of a prompt. Raises anthropic.AnthropicError, also where the provider counts none."""
    messages: Any = [{"role": "user", "content": text}]
    counted = await client.messages.count_tokens(
        model=model.sent_as, messages=messages, system=system_prompt(system, model) or anthropic.omit
    )
    return counted.input_tokens


async def measure(
    client: Client, model: ModelProfile, family: type[Scenario], wording: Wording, counter: Counter = count
) -> Measured:
    """What the tokenizer makes of a family's wording. Raises anthropic.AnthropicError."""
    probes = family.probes(wording.words).items()
    counts = {name: await counter(client, model, text, wording.words["system"]) for name, text in probes}
    return Measured(
        family=family.family,
        wording=wording.digest,
        system=model.system_digest,
        on=datetime.datetime.now(datetime.UTC).date(),
        values=family.measured(counts),
    )


async def tokens_per_unit(client: Client, model: ModelProfile) -> dict[str, float]:
    """Tokens of a line of line retrieval and of a reference token, as TokensPerUnit has them. Raises AnthropicError."""
    words = PromptSet.open("seed").wording(LineRetrieval).words
    few, many = (LineRetrieval(lines).build(words, seed=0, index=0).user for lines in LINES)
    first, second, *_ = load_corpus(REGISTER).sections
    both = await count(client, model, f"{first.text}\n\n{second.text}") - await count(client, model, first.text)
    return {
        "line": round((await count(client, model, many) - await count(client, model, few)) / (LINES[1] - LINES[0]), 2),
        "reference": round(both / second.tokens, 3),
    }


def source_of(client: Client) -> str:
    """The server's address, without a password."""
    return str(client.base_url.copy_with(userinfo=b"")).rstrip("/")


def _supported(capabilities: Mapping[str, Any] | None) -> list[str] | None:
    if capabilities is None:
        return None
    return [name for name, one in capabilities.items() if isinstance(one, dict) and one.get("supported")]


def _positive(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None
