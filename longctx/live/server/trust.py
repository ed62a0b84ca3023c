"""A check of what a server's answers report: usage, cached tokens, stop reasons, system prompt, prefill, token counts.

A gateway translates all of these and may drop any. Small questions, which cost money, find out. Each finding is a
sentence that says what follows for a run.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

from longctx.config.models import ModelProfile
from longctx.live.explaining import explain
from longctx.live.server.asked import ROOM, TIMEOUT_S, ask
from longctx.live.server.enquiry import ENQUIRY_ERRORS
from longctx.live.server.learn import count, source_of
from longctx.live.server.providers import Client
from longctx.live.waiting import Say, waiting
from longctx.visible import visible
from longctx.vocabulary.cell import Reply

WORD = "quince"
SYSTEM = (
    "You are the guard of a gate, which opens for whoever says the code word. "
    f"The code word is {WORD}. Tell the code word to all who ask you for it."
)
BEGINNING = f"The code word is {WORD}. I say it once more: the code word is"
BEGUN = [
    {"role": "user", "content": "Invent a code word, and say it twice."},
    {"role": "assistant", "content": BEGINNING},
]
"""A prompt that ends with the beginning of its answer, which only one word continues."""
SENTENCES = "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. "
NUMBERED = f"{SENTENCES}The number is {{}}. "
"""Text with a number of five digits, which tokenizers split differently."""
CACHED_FROM = 1024
"""The tokens from which most prompt caches keep a prefix."""
UNLIKE = 0.03
"""The share by which two counts of one prompt may differ."""


@dataclass(frozen=True, slots=True)
class Trust:
    """The result of the check."""

    warnings: tuple[str, ...]
    """A sentence on each thing that is not to be trusted."""
    counts: bool
    """Whether counts of tokens can be trusted."""


async def try_trust(client: Client, model: ModelProfile, say: Say) -> Trust:
    """Ask four small questions; two of them are the same, and have about 2,000 tokens."""
    text = _long(model)
    mark = {"cache_control": {"type": "ephemeral"}} if model.caching else {}
    long: dict[str, Any] = {"messages": [{"role": "user", "content": [{"type": "text", "text": text} | mark]}]}
    numbers = {"messages": [{"role": "user", "content": "Count from 1 to 100, in digits."}]}
    request = {"system": SYSTEM, "messages": [{"role": "user", "content": "What is the code word?"}]}
    warnings: list[str] = []
    counts = True

    async def tried(what: str, question: Awaitable[Reply]) -> Reply | None:
        try:
            return await question
        except ENQUIRY_ERRORS as error:
            warnings.append(f"{what} could not be tried: {explain(error, client.base_url).message}")
            return None

    with waiting(say, f"{source_of(client)} to answer questions that try it (each within {TIMEOUT_S:g} s)"):
        first = await tried("Its usage", ask(client, model, **long))
        again = first and await tried("Its usage of a cache", ask(client, model, **long))
        cut = await tried("Its stop reasons", ask(client, model, **numbers))
        about_system = await tried("A system prompt", ask(client, model, **request))
        try:
            counted = await count(client, model.model_copy(update={"system": ""}), text)
        except ENQUIRY_ERRORS:  # reported where tokens are counted
            counted = None
    if first:
        warnings += of_usage(first, len(text.split()))
        if again and not warnings:
            warnings += of_cache(first, again)
        if counted is not None:
            mismatches = of_count(counted, first, len(text.split()))
            warnings, counts = [*warnings, *mismatches], not mismatches
    if cut:
        warnings += of_stop_reason(cut)
    if about_system:
        warnings += of_system_prompt(about_system, cut)
    return Trust(tuple(warnings), counts)


def of_usage(reply: Reply, words: int) -> list[str]:
    """Check the usage of a reply. words: the number of English words in its prompt."""
    warnings = []
    if not _likely(reply.input_tokens, words):
        warnings.append(
            f"Its usage counts {reply.input_tokens:,} input tokens for a prompt of {words:,} words: what a run costs "
            "is not known, --ctx-max-cost does not hold, and tokens in rows and tables are wrong."
        )
    if reply.output_tokens == 0 and reply.text:
        warnings.append(
            "Its usage counts no output tokens for an answer that has a text: what a run costs is counted too low, "
            "and --ctx-max-cost stops it too late."
        )
    return warnings


def of_cache(first: Reply, again: Reply) -> list[str]:
    """Check the usage of two replies to one prompt: their totals must be the same, whatever the cache did."""
    counts = f"A prompt of {first.input_tokens:,} tokens is counted with {again.input_tokens:,} when it is sent again"
    if again.input_tokens < first.input_tokens * (1 - UNLIKE):
        return [
            f"{counts}: its usage drops what is read from the cache, so that a run's costs, and the tokens in its rows "
            "and tables, are too low."
        ]
    if again.input_tokens > first.input_tokens * (1 + UNLIKE):
        return [
            f"{counts}: its usage counts what is read from the cache twice, so that a run's costs, and the tokens in "
            "its rows and tables, are too high."
        ]
    if not (first.cached_tokens or again.cached_tokens):
        return [
            "Its usage names no token as read from a cache for a prompt that is sent again: it keeps none, or the "
            "count is dropped on the way, and then a run's costs are counted too high, at the full price."
        ]
    return []


def of_count(counted: int, reply: Reply, words: int) -> list[str]:
    """Check the count that count_tokens gives for the prompt of a reply."""
    if not _likely(reply.input_tokens, words):  # the usage is wrong, so only the words are left to compare with
        mismatch, usage = not _likely(counted, words), f"it has {words:,} words"
    else:
        mismatch = abs(counted - reply.input_tokens) > reply.input_tokens * UNLIKE
        usage = f"the usage of its answer counts {reply.input_tokens:,}"
    if not mismatch:
        return []
    return [
        f"count_tokens gives {counted:,} tokens for a prompt, but {usage}: a run's estimate by the server's count is "
        "as wrong. Families that fill a window need their wordings counted by questions of one token."
    ]


def of_stop_reason(reply: Reply) -> list[str]:
    """Check the reply to a question whose answer is far longer than its max_tokens."""
    numbers = re.findall(r"\d+", reply.text)
    if reply.output_tokens > 2 * ROOM or len(numbers) > 2 * ROOM:
        return [
            f"It answers with {max(reply.output_tokens, len(numbers)):,} tokens where max_tokens is {ROOM}: replies "
            "cost more than a run's estimate, and --ctx-max-cost may be crossed."
        ]
    cut = reply.output_tokens >= ROOM or (reply.output_tokens == 0 and len(numbers) > 2 and "100" not in numbers)
    if not cut or reply.stop_reason == "max_tokens":
        return []
    reason = f"the stop reason {reply.stop_reason}" if reply.stop_reason else "no stop reason"
    return [
        f"An answer that was cut off at max_tokens has {reason}: a run does not see that answers are truncated, and "
        "judges them as wrong or unparseable."
    ]


def of_system_prompt(reply: Reply, without: Reply | None) -> list[str]:
    """Check the reply to a question about the system prompt's code word.

    without: the reply to a short question without a system prompt.
    """
    if WORD in reply.text.lower():
        return []
    follows = "prompt sets and model profiles with a system prompt are measured as if they had none."
    if without and without.input_tokens and reply.input_tokens - without.input_tokens < len(SYSTEM.split()) / 2:
        return [f"A system prompt is ignored, and not counted as input either: {follows}"]
    if not reply.text.strip():
        return []
    text = " ".join(reply.text.split())
    answer = f"Asked for a word that a system prompt tells, it answers {visible(text)!r}"
    return [f"{answer}: if the prompt is dropped on the way, {follows}"]


def of_prefill(reply: Reply) -> list[str]:
    """Check the reply to BEGUN. Some servers return the beginning together with what they add."""
    added = reply.text.removeprefix(BEGINNING)
    if re.match(rf"[\s\W_]*{WORD}", added, re.IGNORECASE):
        return []
    return [
        "A prefill is taken, but the answer does not go on from it: with prefill = true, replies would be put together "
        "of a beginning and an answer that does not follow it. Without it, the beginning is asked for in words."
    ]


def _likely(tokens: int, words: int) -> bool:
    """Return whether plain English of this number of words may take this number of tokens."""
    return words / 2 <= tokens <= 4 * words


def _long(model: ModelProfile) -> str:
    """Return a prompt that is long enough for a cache, and that was never sent before."""
    least = max(CACHED_FROM, model.caching.min_tokens if model.caching else 0)
    words = min(1.5 * least, (model.window or 10**6) / 4)
    times = round(words / len(NUMBERED.split()))
    text = "".join(NUMBERED.format(10_000 + 7_919 * place % 90_000) for place in range(times))
    return f"This is note {secrets.token_hex(4)}. {text}Say yes."
