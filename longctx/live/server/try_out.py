"""The parameters that a model accepts, found out by a few requests of a dozen tokens each, which cost money."""

from __future__ import annotations

from typing import Any

import anthropic

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.live.explaining import explain
from longctx.live.server.asked import ROOM, TIMEOUT_S, ask
from longctx.live.server.enquiry import ENQUIRY_ERRORS
from longctx.live.server.learn import source_of
from longctx.live.server.providers import Client
from longctx.live.server.trust import BEGUN, of_prefill
from longctx.live.waiting import Say, waiting
from longctx.recording.apis import messages
from longctx.recording.reply import MalformedAnswer
from longctx.vocabulary.cell import Reply

NOT_EXPRESSED = "not-in-api"
"""The code of an error for what an API does not have."""
BUDGET = 1024
"""The least thinking budget that servers accept, in tokens."""
TRIED: dict[str, dict[str, Any]] = {
    "prefill": {"messages": BEGUN},
    "temperature": {"temperature": 0},
    "enabled": {"thinking": {"type": "enabled", "budget_tokens": BUDGET}, "max_tokens": BUDGET + ROOM},
    "adaptive": {"thinking": {"type": "adaptive"}, "max_tokens": BUDGET + ROOM},
    "disabled": {"thinking": {"type": "disabled"}},
}


async def try_out(client: Client, model: ModelProfile, say: Say) -> tuple[dict[str, Any], list[str]]:
    """Return what the model accepts, by the fields of `Probed`, and a sentence if it accepts a prefill but ignores it.

    Only profiles of the Messages API may have a prefill, so it is tried by that alone. Raises UserError if the model
    does not answer a plain request.
    """
    try:
        with waiting(say, f"{source_of(client)} to answer tiny questions (each within {TIMEOUT_S:g} s)"):
            await ask(client, model)
            replies = {
                name: await _answered(client, model, changed)
                for name, changed in TRIED.items()
                if name != "prefill" or model.api == messages.NAME
            }
    except ENQUIRY_ERRORS as error:
        follows = " A run would measure nothing with such answers." if isinstance(error, MalformedAnswer) else ""
        why = explain(error, client.base_url).message
        raise UserError("probe-not-answered", f"{model.model} could not be asked: {why}{follows}") from None
    prefilled = replies.pop("prefill", None)
    ignored = [] if prefilled is None else of_prefill(prefilled)
    accepted = [name for name, reply in replies.items() if reply is not None]
    probed = {
        "prefill": prefilled is not None and not ignored,
        "temperature": "temperature" in accepted,
        "thinking": [name for name in accepted if name != "temperature"],
    }
    return probed, ignored


async def _answered(client: Client, model: ModelProfile, changed: dict[str, Any]) -> Reply | None:
    """Return the reply; None if the request was refused, or if the model's API has no such thing."""
    try:
        return await ask(client, model, **changed)
    except (anthropic.BadRequestError, anthropic.UnprocessableEntityError):
        return None
    except UserError as error:
        if error.code != NOT_EXPRESSED:
            raise
        return None
