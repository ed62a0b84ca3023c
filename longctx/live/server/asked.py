"""Small questions to a model, to learn of it and of its server. They are paid for."""

from __future__ import annotations

from typing import Any

import anthropic

from longctx.config.models import ModelProfile
from longctx.live.server.enquiry import body_of
from longctx.live.server.providers import Client
from longctx.recording.reply import MalformedAnswer, to_reply
from longctx.recording.request import system_prompt
from longctx.vocabulary.scenario import Reply

USER = {"role": "user", "content": "Say yes."}
ROOM = 16
"""max_tokens of each request, beside room for thinking."""
PATIENCE_S = 90.0
"""Within which each must be answered, so that a slow model can think."""


async def ask(client: Client, model: ModelProfile, **changed: Any) -> Reply:
    """The reply to a plain question, with top-level fields of its request changed. Raises what UNTOLD names."""
    request: dict[str, Any] = {"model": model.sent_as, "max_tokens": ROOM, "messages": [USER]}
    call = client.messages.with_raw_response.create(**request | changed)
    body = await body_of(call, PATIENCE_S)
    return to_reply(body, latency_s=None, recorded_at="", request_sha256="", live=True)


async def count_by_asking(client: Client, model: ModelProfile, text: str, system: str = "") -> int:
    """Input tokens of a prompt by its answer's usage, where the provider counts none. Raises what UNTOLD names."""
    changed: dict[str, Any] = {"messages": [{"role": "user", "content": text}]}
    if system := system_prompt(system, model):
        changed["system"] = system
    try:
        reply = await ask(client, model, **changed, max_tokens=1)
    except (anthropic.BadRequestError, anthropic.UnprocessableEntityError):
        reply = await ask(client, model, **changed)  # some APIs behind a gateway take no max_tokens below 16
    if reply.input_tokens <= 0:
        raise MalformedAnswer(f"the server's usage cannot be right: a prompt would take {reply.input_tokens} tokens")
    return reply.input_tokens
