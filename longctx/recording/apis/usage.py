"""The tokens of an answer, as vendors and gateways name them: read from the prompt cache, written to it, reasoning.

`FIELDS` is the table. Its sources, of November 2026:

- OpenAI, Azure: developers.openai.com/api/docs/guides/prompt-caching (`cache_write_tokens` since GPT-5.6)
- Anthropic: platform.claude.com/docs/en/build-with-claude/prompt-caching
- Google: ai.google.dev/api/generate-content, UsageMetadata
- DeepSeek: api-docs.deepseek.com/api/create-chat-completion, api-docs.deepseek.com/guides/kv_cache
- Moonshot: platform.kimi.ai/docs/api/chat
- Mistral: docs.mistral.ai/api, chat completions, UsageInfo
- xAI: docs.x.ai/developers/advanced-api-usage/prompt-caching/usage-and-pricing, docs.x.ai/developers/rate-limits
- Alibaba: alibabacloud.com/help/en/model-studio/context-cache
- Z.AI: docs.bigmodel.cn/cn/guide/capabilities/cache (OpenAI's names)
- OpenRouter: openrouter.ai/docs/guides/best-practices/prompt-caching
- LiteLLM: docs.litellm.ai/docs/completion/prompt_caching
- SGLang, vLLM, llama-server: UsageInfo of their sources (OpenAI's names; SGLang's reasoning is at the top)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from longctx.recording.answer_body import count

READ = "cache_read_input_tokens"
WRITTEN = "cache_creation_input_tokens"
HOUR = "cache_creation.ephemeral_1h_input_tokens"
THOUGHT = "output_tokens_details.thinking_tokens"
KNOWN = ""
"""The meaning of a field that adds nothing to the others."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of usage."""

    path: str
    """Its name; a dot leads into a table."""
    meaning: str
    """The field of the Messages API with the same meaning."""
    vendors: str


FIELDS = (
    Field("prompt_tokens_details.cached_tokens", READ, "OpenAI, Azure, xAI, Groq, Z.AI, OpenRouter, LiteLLM, vLLM"),
    Field("input_tokens_details.cached_tokens", READ, "OpenAI's responses, xAI, Alibaba"),
    Field("prompt_cache_hit_tokens", READ, "DeepSeek"),
    Field("cached_tokens", READ, "Moonshot"),
    Field("num_cached_tokens", READ, "Mistral"),
    Field("prompt_token_details.cached_tokens", READ, "Mistral"),
    Field("cachedContentTokenCount", READ, "Google"),
    Field(READ, READ, "Anthropic, LiteLLM"),
    Field("prompt_tokens_details.cache_write_tokens", WRITTEN, "OpenAI, OpenRouter"),
    Field("input_tokens_details.cache_write_tokens", WRITTEN, "OpenAI's responses"),
    Field("prompt_tokens_details.cache_creation_tokens", WRITTEN, "LiteLLM"),
    Field("prompt_tokens_details.cache_creation_input_tokens", WRITTEN, "Alibaba"),
    Field("input_tokens_details.cache_creation_input_tokens", WRITTEN, "Alibaba's responses"),
    Field(WRITTEN, WRITTEN, "Anthropic, LiteLLM"),
    Field("prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens", HOUR, "LiteLLM"),
    Field("prompt_tokens_details.cache_creation.ephemeral_1h_input_tokens", HOUR, "gateways"),
    Field(HOUR, HOUR, "Anthropic"),
    Field("completion_tokens_details.reasoning_tokens", THOUGHT, "OpenAI, DeepSeek, xAI, OpenRouter, LiteLLM"),
    Field("output_tokens_details.reasoning_tokens", THOUGHT, "OpenAI's responses"),
    Field("reasoning_tokens", THOUGHT, "SGLang"),
    Field("thoughtsTokenCount", THOUGHT, "Google"),
    Field(THOUGHT, THOUGHT, "Anthropic"),
    Field("prompt_cache_miss_tokens", KNOWN, "DeepSeek: the rest of the prompt"),
    Field("cacheTokensDetails", KNOWN, "Google: by kind of content"),
    Field("cache_creation", KNOWN, "Anthropic: by lifetime"),
    Field("prompt_tokens_details.cache_creation", KNOWN, "Alibaba: by lifetime"),
    Field("prompt_tokens_details.cache_creation_token_details", KNOWN, "LiteLLM: by lifetime"),
    Field("x_details", KNOWN, "Alibaba: the same counts again"),
    Field("cost_details", KNOWN, "OpenRouter: USD"),
    Field("iterations", KNOWN, "Anthropic: of the request's parts"),
)
_PATHS = {
    meaning: tuple(tuple(field.path.split(".")) for field in FIELDS if field.meaning == meaning)
    for meaning in (READ, WRITTEN, HOUR, THOUGHT)
}
_KNOWN = frozenset(field.path for field in FIELDS)
MOST_DEPTH = 4
"""The tables within tables in which a field is looked for."""


def as_messages_usage(usage: Mapping[str, Any], sent: object, answered: object) -> dict[str, Any]:
    """Return usage as the Messages API counts it, where cached tokens are no input tokens. Raises ValueError.

    sent, answered: the tokens of the whole prompt, and of the reply. Where several fields count the same, as some
    gateways have them, the largest is right: the others are left at zero. xAI counts reasoning besides the reply, as
    its total tells.
    """
    known = {name: number for name in (READ, WRITTEN) if (number := _largest(usage, name)) is not None}
    hour, thought = _largest(usage, HOUR), _largest(usage, THOUGHT)
    prompt, reply, total = count(sent), count(answered), usage.get("total_tokens")
    if thought and total == prompt + reply + thought:
        reply += thought
    return {
        "input_tokens": max(0, prompt - sum(known.values())),
        "output_tokens": reply,
        **known,
        **({"cache_creation": {"ephemeral_1h_input_tokens": hour}} if hour else {}),
        **({} if thought is None else {"output_tokens_details": {"thinking_tokens": thought}}),
    }


def unread(usage: object) -> list[str]:
    """Return the names of fields that count something of a cache, and that the table does not have."""
    return [".".join(path) for path in _of_cache(usage, ())]


def _largest(usage: Mapping[str, Any], meaning: str) -> int | None:
    values = (_at(usage, path) for path in _PATHS[meaning])
    return max((count(value) for value in values if value is not None), default=None)


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _of_cache(value: object, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, each in value.items() if isinstance(value, Mapping) and len(above) < MOST_DEPTH else ():
        path = (*above, str(name))
        if ".".join(path) in _KNOWN:
            continue
        if isinstance(each, Mapping):
            yield from _of_cache(each, path)
        elif type(each) is int and each > 0 and any("cache" in part.lower() for part in path):
            yield path
