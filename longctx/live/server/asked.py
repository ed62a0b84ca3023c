"""Small questions that are asked to learn something about a model and its server. They cost money."""

from __future__ import annotations

from typing import Any

import anthropic

from longctx.config.models import ModelProfile
from longctx.live.server.enquiry import body_of
from longctx.live.server.providers import Client
from longctx.recording.apis.messages import read, to_reply
from longctx.recording.reply import MalformedAnswer
from longctx.vocabulary.scenario import Reply

USER = {"role": "user", "content": "Say yes."}
ROOM = 16
"""The max_tokens of each request, without thinking."""
TIMEOUT_S = 90.0
"""The seconds within which each must be answered, enough for a slow model that thinks."""


async def ask(client: Client, model: ModelProfile, **changed: Any) -> Reply:
    """Ask a plain question and return the reply. Raises ENQUIRY_ERRORS.

    changed: top-level fields of the request to change or to add.
    """
    request: dict[str, Any] = {"model": model.sent_as, "max_tokens": ROOM, "messages": [USER]}
    call = client.messages.with_raw_response.create(**request | changed, extra_headers=model.treatments or None)
    body = await body_of(call, TIMEOUT_S)
    return to_reply(read(body), latency_s=None, recorded_at="", request_sha256="", live=True)


async def count_by_asking(client: Client, model: ModelProfile, text: str, system: str = "") -> int:
    """Count the input tokens of a prompt by asking it, for providers without count_tokens.

    Raises ENQUIRY_ERRORS.
    """
    changed: dict[str, Any] = {"messages": [{"role": "user", "content": text}]}
    if system := model.system_prompt(system):
        changed["system"] = system
    try:
        reply = await ask(client, model, **changed, max_tokens=1)
    except (anthropic.BadRequestError, anthropic.UnprocessableEntityError):
        reply = await ask(client, model, **changed)  # some APIs behind gateways refuse a max_tokens below 16
    if reply.input_tokens <= 0:
        raise MalformedAnswer(f"the server's usage cannot be right: a prompt would take {reply.input_tokens} tokens")
    return reply.input_tokens
