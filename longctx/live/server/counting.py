"""The count of the prompts' tokens by the server, which is free, before anything is asked."""

from __future__ import annotations

import asyncio
import dataclasses
import statistics
from collections import defaultdict
from collections.abc import Sequence

import httpx2

from longctx.cases.case import Trial
from longctx.live.explaining import explain
from longctx.live.failure import Failure
from longctx.live.server.enquiry import ENQUIRY_ERRORS, TIMEOUT_S, body_of, read_count
from longctx.live.server.learn import counts_by_itself, source_of
from longctx.live.server.providers import Client
from longctx.live.waiting import Say, waiting
from longctx.recording.apis import api_of
from longctx.recording.request import count_call, count_posted, request_body, user_text

STRANGE = ("malformed_answer", "timeout")
"""The causes of failure that are reported. A server need not count, and the asking will meet all other failures."""
SAMPLED = 4
"""The prompts of a case that are built for their mean length, if it is not kept."""
PromptKind = tuple[str, str, str, str, int]
"""The kind of a prompt: model, prompt set, shape, test, and the size by the model's profile."""


async def counted(client: Client, trials: Sequence[Trial], say: Say) -> list[Trial]:
    """Return the same questions with the tokens of their cases' prompts as the server counts them, if it does.

    One request of each kind is counted, with everything that it holds; the tokens of others are estimated from its
    tokens per character.
    """
    # Cases cannot be hashed, and two may have one name: their identity is the key.
    samples = {id(trial.case): trial for trial in reversed(trials)}
    lengths = _lengths(trials)
    kinds = {_kind(sample): sample for sample in samples.values()}
    with waiting(say, f"{source_of(client)} to count the tokens of prompts (up to {TIMEOUT_S:g} s)"):
        results = await asyncio.gather(*(_count(client, sample) for sample in kinds.values()))
    counts = [result if isinstance(result, int) else None for result in results]
    if strange := [result for result in results if isinstance(result, Failure) and result.cause in STRANGE]:
        say(f"Tokens are not counted, but taken from the profile: {strange[0].message}")
    tokens = {
        kind: None if tokens is None else tokens / _length(sample)
        for (kind, sample), tokens in zip(kinds.items(), counts, strict=True)
    }
    cases = {}
    for case, sample in samples.items():
        each = tokens[_kind(sample)]
        cases[case] = dataclasses.replace(sample.case, counted=None if each is None else round(each * lengths[case]))
    return [dataclasses.replace(trial, case=cases[id(trial.case)]) for trial in trials]


def _lengths(trials: Sequence[Trial]) -> dict[int, float]:
    """Return the mean length of each case's prompts, in characters: of those that were kept, and of the first few."""
    kept: dict[int, list[int]] = defaultdict(list)
    for trial in trials:
        if trial.built is not None or len(kept[id(trial.case)]) < SAMPLED:
            kept[id(trial.case)].append(_length(trial))
    return {case: statistics.fmean(lengths) for case, lengths in kept.items()}


def _length(trial: Trial) -> int:
    return len(user_text(trial.build(), trial.case.model))


def _kind(trial: Trial) -> PromptKind:
    case = trial.case
    return (case.model.model, case.wording.prompt_set, case.shape, case.cell.test, case.size_tokens)


async def _count(client: Client, trial: Trial) -> int | Failure:
    model, built = trial.case.model, trial.build()
    once = client.with_options(max_retries=0)
    try:
        if counts_by_itself(model):
            sent = count_posted(request_body(built, model), model)
            return read_count(await body_of(once.post(**sent, cast_to=httpx2.Response)), api_of(model).COUNT_FIELD)
        counting = once.messages.with_raw_response.count_tokens(**count_call(built, model))
        return read_count(await body_of(counting))
    except (*ENQUIRY_ERRORS, ValueError) as error:  # ValueError: the SDK cannot send the text
        return explain(error, client.base_url)
