"""What a model takes, tried by asking it: a few requests of a dozen tokens each, which are paid for."""

from __future__ import annotations

from typing import Any

import anthropic

from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.live.failure import explain
from longctx.live.server.enquiry import UNTOLD, body_of
from longctx.live.server.learn import source_of
from longctx.live.server.providers import Client
from longctx.live.waiting import Say, waiting
from longctx.recording.reply import MalformedAnswer, input_tokens, read_message
from longctx.recording.request import system_prompt

USER = {"role": "user", "content": "Say yes."}
ROOM = 16
"""max_tokens of each request, beside room for thinking."""
PATIENCE_S = 90.0
"""Within which each must be answered, so that a slow model can think."""
BUDGET = 1024
"""The fewest tokens to think that a server takes."""
TRIED: dict[str, dict[str, Any]] = {
    "prefill": {"messages": [USER, {"role": "assistant", "content": "The answer is"}]},
    "temperature": {"extra_body": {"temperature": 0}},
    "enabled": {"thinking": {"type": "enabled", "budget_tokens": BUDGET}, "max_tokens": BUDGET + ROOM},
    "adaptive": {"thinking": {"type": "adaptive"}, "max_tokens": BUDGET + ROOM},
    "disabled": {"thinking": {"type": "disabled"}},
}


async def try_out(client: Client, model: ModelProfile, say: Say) -> dict[str, Any]:
    """Which requests were answered, by the names of `Probed`. Raises UserError where not even a plain one is."""
    try:
        with waiting(say, f"{source_of(client)} to answer tiny questions (each within {PATIENCE_S:g} s)"):
            await _send(client, model, {})
            took = [name for name, changed in TRIED.items() if await _takes(client, model, changed)]
    except UNTOLD as error:
        raise UserError(f"{model.model} could not be asked: {explain(error, client.base_url).message}") from None
    return {
        "prefill": "prefill" in took,
        "temperature": "temperature" in took,
        "thinking": [name for name in took if name not in ("prefill", "temperature")],
    }


async def count_by_asking(client: Client, model: ModelProfile, text: str, system: str = "") -> int:
    """Input tokens of a prompt by its answer's usage, where the provider counts none. Raises what UNTOLD names."""
    changed: dict[str, Any] = {"messages": [{"role": "user", "content": text}], "max_tokens": 1}
    if system := system_prompt(system, model):
        changed["system"] = system
    tokens = input_tokens(await _send(client, model, changed))
    if tokens <= 0:
        raise MalformedAnswer(f"the server's usage cannot be right: a prompt would take {tokens} tokens")
    return tokens


async def _takes(client: Client, model: ModelProfile, changed: dict[str, Any]) -> bool:
    try:
        await _send(client, model, changed)
    except (anthropic.BadRequestError, anthropic.UnprocessableEntityError):
        return False
    return True


async def _send(client: Client, model: ModelProfile, changed: dict[str, Any]) -> dict[str, Any]:
    """The message that answers. Raises what UNTOLD names."""
    request: dict[str, Any] = {"model": model.sent_as, "max_tokens": ROOM, "messages": [USER]}
    call = client.messages.with_raw_response.create(**request | changed)
    return read_message(await body_of(call, PATIENCE_S))
