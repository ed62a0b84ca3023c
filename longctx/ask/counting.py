"""How many tokens the prompts take by the server's own count, which is free, before any is asked."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

import anthropic
from anthropic import AsyncAnthropic

from longctx.ask.case import Question
from longctx.ask.request import parameters

PATIENCE_S = 30
Size = tuple[str, str, str, int]
"""Prompts with the same are about as long: model, prompt set, family, and the size by the model's profile."""


async def counted(client: AsyncAnthropic, questions: Sequence[Question]) -> list[Question]:
    """The same questions, whose cases know what one prompt of their size takes, where the server counts tokens."""
    samples = {_size(question): question for question in reversed(questions)}
    found = await asyncio.gather(*(_count(client, question) for question in samples.values()))
    tokens = dict(zip(samples, found, strict=True))
    return [
        dataclasses.replace(question, case=dataclasses.replace(question.case, counted=tokens[_size(question)]))
        for question in questions
    ]


def _size(question: Question) -> Size:
    case = question.case
    return (case.model.model, case.wording.prompt_set, case.scenario.family, case.size_tokens)


async def _count(client: AsyncAnthropic, question: Question) -> int | None:
    """None where the server does not say: its own failures are for the asking to meet."""
    sent = parameters(question.build(), question.case.model)
    del sent["max_tokens"]
    try:
        answer = await client.with_options(max_retries=0, timeout=PATIENCE_S).messages.count_tokens(**sent)
    except (anthropic.AnthropicError, ValueError):
        return None
    return answer.input_tokens
