"""Learning from the server, for free, what a model's profile lacks: its window, and the tokens of probe texts."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence

from longctx.cases.case import Case
from longctx.config.keeping import keep_probed, keep_token_counts
from longctx.config.models import ModelProfile, TokenCounts
from longctx.errors import UserError
from longctx.live.explaining import explain
from longctx.live.failure import Failure, Unasked
from longctx.live.server.enquiry import ENQUIRY_ERRORS, TIMEOUT_S, no_connection
from longctx.live.server.learn import retrieve, source_of, token_counts
from longctx.live.server.providers import Client
from longctx.live.waiting import Say, waiting
from longctx.registry import shipped
from longctx.vocabulary.prompt_sets import PROTOCOL
from longctx.workspace import Workspace


async def calibrate(
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
    say_uncounted(say, uncounted, alone=not calibrated)
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


def say_uncounted(say: Say, uncounted: Sequence[Unasked], alone: bool) -> None:
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
            description = await retrieve(client, model)
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
