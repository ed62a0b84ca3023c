"""The count of the prompts' tokens by the server, which is free, before anything is asked."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

from longctx.live.explaining import explain
from longctx.live.failure import Failure
from longctx.live.server.enquiry import ENQUIRY_ERRORS, TIMEOUT_S
from longctx.live.server.learn import count, source_of
from longctx.live.server.providers import Client
from longctx.live.waiting import Say, waiting
from longctx.recording.case import Question
from longctx.recording.request import user_text

STRANGE = ("malformed_answer", "timeout")
"""The causes of failure that are reported. A server need not count, and the asking will meet all other failures."""
PromptKind = tuple[str, str, str, int]
"""The kind of a prompt: model, prompt set, family, and the size by the model's profile."""


async def counted(client: Client, questions: Sequence[Question], say: Say) -> list[Question]:
    """Return the same questions with the tokens of their cases' prompts as the server counts them, if it does.

    One prompt of each kind is counted; the tokens of others are estimated from its tokens per character.
    """
    # Cases cannot be hashed, and two may have one name: their identity is the key.
    samples = {id(question.case): question for question in reversed(questions)}
    lengths = {case: len(user_text(sample.build(), sample.case.model)) for case, sample in samples.items()}
    kinds = {_kind(sample): sample for sample in samples.values()}
    with waiting(say, f"{source_of(client)} to count the tokens of prompts (up to {TIMEOUT_S:g} s)"):
        results = await asyncio.gather(*(_count(client, sample) for sample in kinds.values()))
    counts = [result if isinstance(result, int) else None for result in results]
    if strange := [result for result in results if isinstance(result, Failure) and result.cause in STRANGE]:
        say(f"Tokens are not counted, but taken from the profile: {strange[0].message}")
    tokens = {
        kind: None if tokens is None else tokens / lengths[id(sample.case)]
        for (kind, sample), tokens in zip(kinds.items(), counts, strict=True)
    }
    cases = {}
    for case, sample in samples.items():
        each = tokens[_kind(sample)]
        cases[case] = dataclasses.replace(sample.case, counted=None if each is None else round(each * lengths[case]))
    return [dataclasses.replace(question, case=cases[id(question.case)]) for question in questions]


def _kind(question: Question) -> PromptKind:
    case = question.case
    return (case.model.model, case.wording.prompt_set, case.scenario.family, case.size_tokens)


async def _count(client: Client, question: Question) -> int | Failure:
    trial, model = question.build(), question.case.model
    try:
        return await count(client.with_options(max_retries=0), model, user_text(trial, model), trial.system)
    except (*ENQUIRY_ERRORS, ValueError) as error:  # ValueError: the SDK cannot send the text
        return explain(error, client.base_url)
