"""Learns from the server, for free, what a model's profile does not say: its window, and tokens per probe text."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Sequence

import anthropic
from anthropic import AsyncAnthropic

from longctx.ask.case import Case
from longctx.ask.failure import explain
from longctx.config.keeping import keep_measured
from longctx.config.models import Measured, ModelProfile, load_model
from longctx.errors import UserError


async def calibrate(client: AsyncAnthropic, cases: Sequence[Case]) -> list[Case]:
    """The same cases with what the server told. Measures are kept in the model's profile. Raises UserError."""
    models: dict[str, ModelProfile] = {}
    for case in cases:
        name = case.model.model
        if name not in models:
            models[name] = await _with_window(client, case.model)
        current = dataclasses.replace(case, model=models[name])
        if current.measured is None:
            keep_measured(name, await _measure(client, current))
            models[name] = models[name].model_copy(update={"measured": load_model(name).measured})
    return [dataclasses.replace(case, model=models[case.model.model]) for case in cases]


async def _with_window(client: AsyncAnthropic, model: ModelProfile) -> ModelProfile:
    if model.window is not None:
        return model
    try:
        info = await client.models.retrieve(model.model)
    except anthropic.APIError:
        return model  # not every server lists its models; the window stays unknown
    return model.model_copy(update={"window": info.max_input_tokens})


async def _measure(client: AsyncAnthropic, case: Case) -> Measured:
    counts: dict[str, int] = {}
    words = case.wording.words
    for name, text in case.scenario.probes(words).items():
        try:
            counted = await client.messages.count_tokens(
                model=case.model.model,
                messages=[{"role": "user", "content": text}],
                system=words["system"] or anthropic.omit,
            )
        except anthropic.APIError as error:
            raise UserError(
                f"{case.model.model}: its tokens could not be counted, which {case.scenario.family} needs to place its "
                f"needle. {explain(error, client.base_url).message}"
            ) from None
        counts[name] = counted.input_tokens
    return Measured(
        family=case.scenario.family,
        wording=case.wording.digest,
        on=datetime.datetime.now(datetime.UTC).date(),
        values=case.scenario.measured(counts),
    )
