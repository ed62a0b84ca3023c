"""Everything that can be learnt of a model from its server, and what it means for the model's profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longctx.config.models import ModelProfile, TokenCounts
from longctx.config.prompts import PromptSet, Wording
from longctx.errors import UserError
from longctx.live.server.calls import ENQUIRY_ERRORS, TIMEOUT_S
from longctx.live.server.client import Client
from longctx.live.server.counting import ask_token_count, described_by_server, source_of, token_counts, tokens_per_unit
from longctx.live.server.counting_by_asking import count_by_asking
from longctx.live.server.explaining import explain
from longctx.live.watch import Say, waiting
from longctx.registry import shipped
from longctx.vocabulary.point import Declaration
from longctx.workspace import Workspace

Counted = tuple[Declaration, Wording]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What was learned about a model."""

    values: dict[str, Any]
    """What was learned, by the fields of `Probed`."""
    token_counts: tuple[TokenCounts, ...]
    """The token counts of the prompts that need them."""
    notes: tuple[str, ...]
    """A sentence on each thing that is still unknown."""


async def probe(
    workspace: Workspace, client: Client, model: ModelProfile, ask: bool, prompts: str, say: Say
) -> ProbeResult:
    """Ask the server about its model. Raises UserError if it tells nothing.

    ask: whether tokens are counted by replies of one token, which cost money. prompts: the prompt set whose tokens are
    counted.
    """
    counted = _counted(PromptSet.open(workspace, prompts))
    description, notes = await _description(client, model, say)
    counts: tuple[TokenCounts, ...] = ()
    what = "to answer requests of one token" if ask else f"to count tokens (each time within {TIMEOUT_S:g} s)"
    try:
        with waiting(say, f"{source_of(client)} {what}"):
            if not ask:
                description |= await tokens_per_unit(workspace, client, model)
            counter = count_by_asking if ask else ask_token_count
            counts = tuple([await token_counts(client, model, *texts, counter) for texts in counted])
    except ENQUIRY_ERRORS as error:
        failure = explain(error, client.base_url)
        if not description:
            raise UserError(
                "probe-failed", f"The server returned no information about {model.model}: {failure.message}"
            ) from None
        tests = ", ".join(test.name for test, _ in counted)
        how, until = ("by replies of one token", "") if ask else ("for free", " until --ask gives one")
        notes.append(
            f"Tokens could not be counted {how}: {failure.message} A run sends no request of tests that need a count "
            f"({tests}){until}."
        )
    return ProbeResult(description, counts, tuple(notes))


async def _description(client: Client, model: ModelProfile, say: Say) -> tuple[dict[str, Any], list[str]]:
    """Return the server's description of the model, and a sentence if there is none."""
    try:
        with waiting(say, f"{source_of(client)} to describe {model.model} (up to {TIMEOUT_S:g} s)"):
            description = await described_by_server(client, model)
    except ENQUIRY_ERRORS as error:
        return {}, [f"The server does not describe the model: {explain(error, client.base_url).message}"]
    notes = "The server does not describe the model: it lists no models, or not this one."
    return description, [] if description else [notes]


def _counted(prompts: PromptSet) -> list[Counted]:
    """Return the tests of the set whose prompts can be built only after their wording was counted."""
    held = [test for test in shipped().values() if prompts.holds(test.cell)]
    worded = [(test, prompts.wording(test.cell)) for test in held]
    return [(test, wording) for test, wording in worded if test.counts]


def differences(profile: ModelProfile, values: dict[str, Any]) -> list[str]:
    """Return a sentence, with what to do, for each entry of the profile that contradicts the server."""
    lines = []
    for name, limit in (("window", profile.window), ("max_output", profile.max_output)):
        if limit and limit != values.get(name, limit):
            lines.append(
                f"{name} = {limit} is used, although the server reports {values[name]}: delete it to use the server's."
            )
    for name in profile.tokens.model_fields_set:
        value = getattr(profile.tokens, name)
        if name in values and abs(value - values[name]) > 0.02 * values[name]:
            lines.append(
                f"tokens.{name} = {value} is used, although {values[name]} were counted: delete it to use the count."
            )
    for name, chosen in (("effort", profile.effort), ("thinking", profile.thinking and profile.thinking.type)):
        if chosen and chosen not in values.get(name, [chosen]):
            advice = (
                f"choose one of {', '.join(values[name])}"
                if values[name]
                else "delete it, because the model accepts none"
            )
            lines.append(f"{name} {chosen!r} is refused: {advice}.")
    return lines
