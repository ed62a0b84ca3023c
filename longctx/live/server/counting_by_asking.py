"""The tokens of a prompt by sending it, for providers that count none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anthropic
import httpx2

from longctx.config.models import ModelProfile
from longctx.live.server.calls import body_of
from longctx.live.server.client import Client
from longctx.recording.answer_body import MalformedAnswer
from longctx.recording.apis import api_of, messages, to_answer
from longctx.recording.request import post_arguments
from longctx.vocabulary.answer import Answer

NAMED = "model", "max_tokens", "messages"
"""The arguments of the SDK's call; what else a request has is its `extra_body`, as in a run."""
ROOM = 16
"""The max_tokens of a request where one token is refused."""
ANSWER_WITHIN_S = 90.0
"""The seconds within which each must be answered, enough for a slow model that thinks."""


async def count_by_asking(client: Client, model: ModelProfile, text: str, system: str = "") -> int:
    """Count the input tokens of a prompt by sending it, for providers without count_tokens.

    Raises ENQUIRY_ERRORS.
    """
    request: dict[str, Any] = {"model": model.sent_as, "messages": [{"role": "user", "content": text}]}
    if system := model.system_prompt(system):
        request["system"] = system
    try:
        answer = await _ask(client, model, request | {"max_tokens": 1})
    except (anthropic.BadRequestError, anthropic.UnprocessableEntityError):
        answer = await _ask(client, model, request | {"max_tokens": ROOM})  # some gateways refuse less than 16
    if answer.input_tokens <= 0:
        raise MalformedAnswer(f"the server's usage cannot be right: a prompt would take {answer.input_tokens} tokens")
    return answer.input_tokens


async def _ask(client: Client, model: ModelProfile, request: Mapping[str, Any]) -> Answer:
    """Send a request of the Messages API by the API of the model, and return the answer."""
    body = await _sent(client, model, request)
    return to_answer(api_of(model).PATH, body, messages.Receipt(live=True))


async def _sent(client: Client, model: ModelProfile, request: Mapping[str, Any]) -> bytes:
    if model.api != messages.NAME:
        api = api_of(model)
        sent = post_arguments(api.PATH, api.rendered(dict(request), model), model.treatments)
        return await body_of(client.post(**sent, cast_to=httpx2.Response), ANSWER_WITHIN_S)
    named = {name: value for name, value in request.items() if name in NAMED}
    extra = {name: value for name, value in request.items() if name not in NAMED}
    call = client.messages.with_raw_response.create(
        **named, extra_body=extra or None, extra_headers=model.treatments or None
    )
    return await body_of(call, ANSWER_WITHIN_S)
