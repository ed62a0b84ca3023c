"""The count of the prompts' tokens by the server, which is free, before anything is asked."""

from __future__ import annotations

import asyncio
import dataclasses
import shlex
import statistics
from collections import defaultdict
from collections.abc import Sequence

import httpx2

from longctx.cases.case import Case, Trial
from longctx.config.keeping import keep_probed, keep_token_counts
from longctx.config.models import ModelProfile, TokenCounts
from longctx.errors import UserError
from longctx.live.explaining import explain
from longctx.live.failure import Failure, Unasked
from longctx.live.server.enquiry import ENQUIRY_ERRORS, TIMEOUT_S, body_of, no_connection, read_count
from longctx.live.server.learn import counts_by_itself, described_by_server, source_of, token_counts
from longctx.live.server.providers import Client
from longctx.live.watch import Say, waiting
from longctx.recording.apis import api_of
from longctx.recording.request import count_arguments, count_post_arguments, request_body, user_text
from longctx.registry import shipped
from longctx.vocabulary.cell import PROTOCOL
from longctx.workspace import Workspace

STRANGE = ("malformed_answer", "timeout")
"""The causes of failure that are reported. A server need not count, and the asking will meet all other failures."""
SAMPLED = 4
"""The prompts of a case that are built for their mean length, if it is not kept."""
PromptKind = tuple[str, str, str, str, int]
"""The kind of a prompt: model, prompt set, shape, test, and the size by the model's profile."""


async def with_counted_tokens(client: Client, trials: Sequence[Trial], say: Say) -> list[Trial]:
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
            sent = count_post_arguments(request_body(built, model), model)
            return read_count(await body_of(once.post(**sent, cast_to=httpx2.Response)), api_of(model).COUNT_FIELD)
        counting = once.messages.with_raw_response.count_tokens(**count_arguments(built, model))
        return read_count(await body_of(counting))
    except (*ENQUIRY_ERRORS, ValueError) as error:  # ValueError: the SDK cannot send the text
        return explain(error, client.base_url)


async def with_server_facts(
    workspace: Workspace, client: Client, cases: Sequence[Case], say: Say
) -> tuple[list[Case], list[Unasked]]:
    """Return the cases with what the server told, and apart those that need a count of tokens the server does not give.

    What the server tells is kept in the model's profile. Raises UserError if no case is left to ask.
    """
    models: dict[str, ModelProfile] = {}
    for case in cases:
        if case.model.model not in models:
            models[case.model.model] = await _with_window(workspace, client, case.model, say)
    known = [dataclasses.replace(case, model=models[case.model.model]) for case in cases]
    calibrated, uncounted = await count_probes(workspace, client, known, say)
    print_uncounted(say, uncounted, alone=not calibrated)
    return calibrated, uncounted


async def count_probes(
    workspace: Workspace, client: Client, cases: Sequence[Case], say: Say
) -> tuple[list[Case], list[Unasked]]:
    """Return the cases with the counts of their probes, and apart those whose probes the server does not count.

    What is counted is kept in the models' profiles; what is there is not counted again. Raises UserError.
    """
    models = {case.model.model: case.model for case in cases}
    untold: dict[tuple[str, str, str], Failure] = {}
    for case in cases:
        name = case.model.model
        current = dataclasses.replace(case, model=models[name])
        if current.token_values is not None or _counted(case) in untold:
            continue
        counts = await _token_counts(client, current, say)
        if isinstance(counts, Failure):
            untold[_counted(case)] = counts
            continue
        keep_token_counts(workspace, name, counts)
        models[name] = models[name].model_copy(update={"token_counts": (*models[name].token_counts, counts)})
    uncounted = [(case, untold[_counted(case)]) for case in cases if _counted(case) in untold]
    counted = [
        dataclasses.replace(case, model=models[case.model.model]) for case in cases if _counted(case) not in untold
    ]
    return counted, uncounted


def print_uncounted(say: Say, uncounted: Sequence[Unasked], alone: bool) -> None:
    """Print why cases are not asked. alone: whether there are no others; it then raises UserError."""
    for message in dict.fromkeys(failure.message for _, failure in uncounted):
        if alone:
            raise UserError("tokens-not-counted", message)
        say(message)


def _counted(case: Case) -> tuple[str, str, str]:
    """Return what identifies the count of tokens that a case needs: the model, the test and its probes."""
    return case.model.model, case.cell.test, case.counts_key


async def _with_window(workspace: Workspace, client: Client, model: ModelProfile, say: Say) -> ModelProfile:
    if model.window is not None:
        return model
    try:
        with waiting(say, f"{source_of(client)} to describe {model.model} (up to {TIMEOUT_S:g} s)"):
            description = await described_by_server(client, model)
    except ENQUIRY_ERRORS as error:
        failure = explain(error, client.base_url)
        if no_connection(error):
            raise UserError("nothing-answered", failure.message) from None
        say(f"The window of {model.model} is not known, and prompts are not checked against it: {failure.message}")
        return model
    if "window" not in description:
        return model
    keep_probed(workspace, model.model, source_of(client), description)
    return model.model_copy(update={"window": description["window"]})


async def _token_counts(client: Client, case: Case, say: Say) -> TokenCounts | Failure:
    """Count the probe texts of a case's test. Raises UserError if questions would fail for the same reason."""
    model = case.model.model
    try:
        with waiting(say, f"{source_of(client)} to count tokens for {case.cell.test}"):
            return await token_counts(client, case.model, case.cell, case.wording)
    except ENQUIRY_ERRORS as error:
        failure = explain(error, client.base_url)
    why = (
        f"{model}: its tokens could not be counted, which {case.cell.test} needs to build its prompts: "
        f"{failure.message}"
    )
    if failure.fatal and failure.cause != "no_such_model":  # a server without count_tokens answers this too
        raise UserError("tokens-not-counted", why)
    if case.cell.test not in shipped():
        return Failure(
            "not_counted",
            f"{why} Ask a server that counts tokens, or leave it out with -k 'not {case.cell.test}'. Counts "
            "that you know go into the model's profile: docs/models.md shows the table [[measured]], whose wording is "
            f"{case.counts_key!r}.",
            True,
        )
    chosen = "" if case.wording.prompt_set == PROTOCOL else f" --prompts {shlex.quote(case.wording.prompt_set)}"
    command = f"python -m longctx models probe {shlex.quote(model)} --ask --base-url {source_of(client)}{chosen}"
    return Failure(
        "not_counted",
        f"{why} They can also be counted by asking for replies of one token, which costs money: {command}",
        True,
    )
