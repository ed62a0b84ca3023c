"""Everything that can be learnt of a model from its server, and what it means for the model's profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longctx.config.models import ModelProfile, TokenCounts, TokensPerUnit
from longctx.config.prompts import PromptSet, Wording
from longctx.errors import UserError
from longctx.live.explaining import explain
from longctx.live.server.asked import count_by_asking
from longctx.live.server.enquiry import ENQUIRY_ERRORS, TIMEOUT_S
from longctx.live.server.learn import retrieve, source_of, token_counts, tokens_per_unit
from longctx.live.server.providers import Client
from longctx.live.server.trust import try_trust
from longctx.live.server.try_out import try_out
from longctx.live.waiting import Say, waiting
from longctx.registry import shipped
from longctx.vocabulary.cell import Cell
from longctx.workspace import Workspace

Counted = tuple[type[Cell], Wording]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What was learnt of a model."""

    values: dict[str, Any]
    """By the fields of `Probed`."""
    token_counts: tuple[TokenCounts, ...]
    """Those of wordings that need them."""
    notes: tuple[str, ...]
    """A sentence on each thing that is still unknown."""
    warnings: tuple[str, ...] | None = None
    """A sentence on each thing that is not to be trusted; None if it was not tried."""


async def probe(
    workspace: Workspace, client: Client, model: ModelProfile, ask: bool, prompts: str, say: Say
) -> ProbeResult:
    """Ask the server about its model. Raises UserError if it tells nothing.

    ask: whether to ask the model small questions, too, which cost money. prompts: the prompt set whose tokens are
    counted.
    """
    counted = _counted(PromptSet.open(workspace, prompts))
    description, notes = await _description(client, model, say)
    counts: tuple[TokenCounts, ...] = ()
    try:
        with waiting(say, f"{source_of(client)} to count tokens (each time within {TIMEOUT_S:g} s)"):
            description |= await tokens_per_unit(workspace, client, model)
            counts = tuple([await token_counts(client, model, *texts) for texts in counted])
    except ENQUIRY_ERRORS as error:
        failure = explain(error, client.base_url)
        if not description and not ask:
            raise UserError("probe-failed", f"Nothing was found out about {model.model}: {failure.message}") from None
        tests = ", ".join(cell.test for cell, _ in counted)
        follows = "" if ask else f" A run does not ask families that need a count ({tests}) until --ask gives one."
        notes.append(f"Tokens could not be counted for free: {failure.message}{follows}")
    if not ask:
        notes.append(
            "Whether the model takes a prefill or a temperature, and whether its answers are to be trusted, is learnt "
            "by asking it, with --ask."
        )
        return ProbeResult(description, counts, tuple(notes))
    tried, ignored = await try_out(client, model, say)
    trust = await try_trust(client, model, say)
    if not trust.counts:
        description, counts = (
            {name: value for name, value in description.items() if name not in TokensPerUnit.model_fields},
            (),
        )
    if not counts:
        counts, why = await _counted_by_asking(client, model, counted, say)
        notes += why
    # The server's own description counts for more than what was tried.
    return ProbeResult(tried | description, counts, tuple(notes), (*trust.warnings, *ignored))


async def _description(client: Client, model: ModelProfile, say: Say) -> tuple[dict[str, Any], list[str]]:
    """Return the server's description of the model, and a sentence if there is none."""
    try:
        with waiting(say, f"{source_of(client)} to describe {model.model} (up to {TIMEOUT_S:g} s)"):
            description = await retrieve(client, model)
    except ENQUIRY_ERRORS as error:
        return {}, [f"The server does not say what the model can: {explain(error, client.base_url).message}"]
    notes = "The server does not say what the model can: it lists no models, or not this one."
    return description, [] if description else [notes]


def _counted(prompts: PromptSet) -> list[Counted]:
    """Return the tests of the set whose prompts can be built only after their wording was counted."""
    held = [test.cell for test in shipped().values() if prompts.holds(test.cell)]
    worded = [(cell, prompts.wording(cell)) for cell in held]
    return [(cell, wording) for cell, wording in worded if cell.is_counted()]


async def _counted_by_asking(
    client: Client, model: ModelProfile, counted: Sequence[Counted], say: Say
) -> tuple[tuple[TokenCounts, ...], list[str]]:
    """Return the counts by asking, or a sentence on why they failed."""
    try:
        with waiting(say, f"{source_of(client)} to answer questions of one token"):
            return tuple([await token_counts(client, model, *texts, count_by_asking) for texts in counted]), []
    except ENQUIRY_ERRORS as error:
        why = explain(error, client.base_url).message
        tests = ", ".join(cell.test for cell, _ in counted)
        return (), [
            f"Tokens of {model.model} could not be counted by asking either: {why} A run does not ask families that "
            f"need a count ({tests})."
        ]


def differences(profile: ModelProfile, values: dict[str, Any]) -> list[str]:
    """Return a sentence, with what to do, for each entry of the profile that contradicts the server."""
    lines = []
    for name, limit in (("window", profile.window), ("max_output", profile.max_output)):
        if limit and limit != values.get(name, limit):
            lines.append(f"{name} = {limit} is used, though the server says {values[name]}: delete it to use that.")
    for name in profile.tokens.model_fields_set:
        value = getattr(profile.tokens, name)
        if name in values and abs(value - values[name]) > 0.02 * values[name]:
            lines.append(f"tokens.{name} = {value} is used, though {values[name]} were counted: delete it to use that.")
    for name, chosen in (("effort", profile.effort), ("thinking", profile.thinking and profile.thinking.type)):
        if chosen and chosen not in values.get(name, [chosen]):
            advice = (
                f"choose one of {', '.join(values[name])}" if values[name] else "delete it, since the model takes none"
            )
            lines.append(f"{name} {chosen!r} is refused: {advice}.")
    if values.get("prefill") is False and profile.prefill:
        lines.append(
            "prefill = true is refused or ignored: delete it. Prompts that ended in a prefill are then asked again."
        )
    if values.get("prefill") and not profile.prefill:
        lines.append("A prefill is taken: prefill = true would use it. Prompts that have one are then asked again.")
    if values.get("temperature") is False and "temperature" in profile.extra_body:
        lines.append("temperature in extra_body is refused: delete it.")
    return lines
