"""Learns from the server, for free, what a model's profile does not say: its window, and tokens per probe text."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import anthropic

from longctx.ask.case import Case
from longctx.ask.failure import explain
from longctx.ask.learn import measure, retrieve, source_of
from longctx.ask.providers import Client
from longctx.config.keeping import keep_measured, keep_probed
from longctx.config.models import Measured, ModelProfile
from longctx.errors import UserError


async def calibrate(client: Client, cases: Sequence[Case]) -> list[Case]:
    """The same cases with what the server told, which is kept in the model's profile. Raises UserError."""
    models: dict[str, ModelProfile] = {}
    for case in cases:
        name = case.model.model
        if name not in models:
            models[name] = await _with_window(client, case.model)
        current = dataclasses.replace(case, model=models[name])
        if current.measured is None:
            measured = await _measured(client, current)
            keep_measured(name, measured)
            models[name] = models[name].model_copy(update={"measured": (*models[name].measured, measured)})
    return [dataclasses.replace(case, model=models[case.model.model]) for case in cases]


async def _with_window(client: Client, model: ModelProfile) -> ModelProfile:
    if model.window is not None:
        return model
    told = await retrieve(client, model)
    if "window" not in told:
        return model
    keep_probed(model.model, source_of(client), told)
    return model.model_copy(update={"window": told["window"]})


async def _measured(client: Client, case: Case) -> Measured:
    try:
        return await measure(client, case.model, type(case.scenario), case.wording)
    except anthropic.AnthropicError as error:
        raise UserError(
            f"{case.model.model}: its tokens could not be counted, which {case.scenario.family} needs to place its "
            f"needle. {explain(error, client.base_url).message}"
        ) from None
