"""What a server tells of a model for free: its limits, its capabilities, and the token counts of texts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote

import anthropic
import httpx2

from longctx import clocks
from longctx.config.models import ModelProfile, TokenCounts
from longctx.config.prompts import PromptSet, Wording
from longctx.corpus.documents import load_corpus
from longctx.live.server.enquiry import body_of, if_there, no_connection, positive, read_count, read_model, table
from longctx.live.server.providers import Client
from longctx.recording.apis import api_of, gemini, messages, to_reply
from longctx.recording.apis import messages as messages_api
from longctx.recording.reply import MalformedAnswer
from longctx.recording.request import count_post_arguments, post_arguments, with_model_profile
from longctx.registry import shipped
from longctx.vocabulary.cell import PROTOCOL, Cell, Reply
from longctx.workspace import Workspace

MOST_UNSEEN = 20_000
"""The most tokens that a server may add to a prompt, such as instructions of its own."""
TokenCounter = Callable[[Client, ModelProfile, str, str], Awaitable[int]]
"""A function that returns the input tokens of a prompt and a system prompt."""


async def described_by_server(client: Client, model: ModelProfile) -> dict[str, Any]:
    """Return what models.retrieve tells, by the fields of `Probed`; empty if the server does not list the model.

    Raises ENQUIRY_ERRORS.
    """
    if getattr(client, "models", None) is None:
        return {}

    def described(of: Any) -> Awaitable[bytes]:
        if model.api == gemini.NAME:
            return body_of(of.get(f"/models/{quote(model.sent_as, safe='')}", cast_to=httpx2.Response))
        return body_of(of.models.with_raw_response.retrieve(model.sent_as))

    try:
        description = read_model(await if_there(client, described))
    except anthropic.APIError as error:
        if isinstance(error.__cause__, MalformedAnswer):  # our transport raised it
            raise error.__cause__ from None
        if no_connection(error):
            raise
        return {}
    capabilities = table(description.get("capabilities"))
    batch = table(capabilities.get("batch")).get("supported")
    probed = {
        "window": positive(description.get("max_input_tokens", description.get("inputTokenLimit"))),
        "max_output": positive(description.get("max_tokens", description.get("outputTokenLimit"))),
        "thinking": _supported(table(capabilities.get("thinking")).get("types")),
        "effort": _supported(capabilities.get("effort")),
        "batch": batch if isinstance(batch, bool) else None,
    }
    return {name: value for name, value in probed.items() if value is not None}


async def count_tokens(client: Client, model: ModelProfile, text: str, system: str = "") -> int:
    """Return the input tokens of a prompt. Raises ENQUIRY_ERRORS, also if the provider does not count."""
    messages: Any = [{"role": "user", "content": text}]
    by_itself = counts_by_itself(model)

    def counted(of: Client) -> Awaitable[bytes]:
        if by_itself:
            told = {"system": system} if system else {}
            body = with_model_profile({"messages": messages, "max_tokens": 1, **told}, model)
            return body_of(of.post(**count_post_arguments(body, model), cast_to=httpx2.Response))
        call = of.messages.with_raw_response.count_tokens(
            model=model.sent_as,
            messages=messages,
            system=model.system_prompt(system) or anthropic.omit,
            extra_headers=model.treatments or None,
        )
        return body_of(call)

    field = api_of(model).COUNT_FIELD if by_itself else messages_api.COUNT_FIELD
    return read_count(await if_there(client, counted), field)


def counts_by_itself(model: ModelProfile) -> bool:
    """Return whether the tokens of a model are counted by its own API, and not by that of Messages."""
    return model.api != messages_api.NAME and bool(api_of(model).COUNT_PATH)


async def token_counts(
    client: Client,
    model: ModelProfile,
    test: type[Cell] | Cell,
    wording: Wording,
    counter: TokenCounter = count_tokens,
) -> TokenCounts:
    """Count the tokens of the probes of a protocol, or of a cell of a test function. Raises ENQUIRY_ERRORS."""
    probes = test.probes(wording.words).items()
    counts = {name: await counter(client, model, text, wording.words.get("system", "")) for name, text in probes}
    try:
        values = test.token_values(counts)
    except ValueError as error:
        raise _contradiction(str(error)) from None
    for name, text in probes:
        if not len(text) / 50 <= counts[name] <= 4 * len(text.encode()) + MOST_UNSEEN:
            raise _contradiction(f"a text of {len(text):,} characters would take {counts[name]:,} tokens")
    return TokenCounts(
        test=test.test,
        wording=test.counts_key(wording.digest, wording.words),
        system=model.system_digest,
        on=clocks.now().date(),
        values=values,
    )


async def tokens_per_unit(workspace: Workspace, client: Client, model: ModelProfile) -> dict[str, float]:
    """Return the tokens of each unit of TokensPerUnit: the tests' own units, and a reference token.

    Raises ENQUIRY_ERRORS.
    """
    prompts = PromptSet.open(workspace, PROTOCOL)
    tokens_of: dict[str, float] = {}
    for test in shipped().values():
        texts = test.cell.unit_texts(prompts.wording(test.cell).words)
        for unit, (few, many, more) in texts.items():
            tokens_of[unit] = round(
                (await count_tokens(client, model, many) - await count_tokens(client, model, few)) / more, 2
            )
    first, second, *_ = load_corpus(workspace.find("register")).sections
    difference = await count_tokens(client, model, f"{first.text}\n\n{second.text}") - await count_tokens(
        client, model, first.text
    )
    tokens_of["reference"] = round(difference / second.tokens, 3)
    if nothing := [name for name, tokens in tokens_of.items() if tokens <= 0]:
        raise _contradiction(f"a {nothing[0]} would take {tokens_of[nothing[0]]:g} tokens")
    return tokens_of


def _contradiction(why: str) -> MalformedAnswer:
    return MalformedAnswer(f"the server's counts cannot be right: {why}")


def source_of(client: Client) -> str:
    """Return the server's address without a password."""
    return str(client.base_url.copy_with(userinfo=b"")).rstrip("/")


def _supported(capabilities: object) -> list[str] | None:
    if not isinstance(capabilities, dict):
        return None
    return [name for name, capability in capabilities.items() if table(capability).get("supported") is True]


NAMED = "model", "max_tokens", "messages"
"""The arguments of the SDK's call; what else a request has is its `extra_body`, as in a run."""
ROOM = 16
"""The max_tokens of a request where one token is refused."""
ANSWER_WITHIN_S = 90.0
"""The seconds within which each must be answered, enough for a slow model that thinks."""


async def count_by_asking(client: Client, model: ModelProfile, text: str, system: str = "") -> int:
    """Count the input tokens of a prompt by asking it, for providers without count_tokens.

    Raises ENQUIRY_ERRORS.
    """
    request: dict[str, Any] = {"model": model.sent_as, "messages": [{"role": "user", "content": text}]}
    if system := model.system_prompt(system):
        request["system"] = system
    try:
        reply = await _ask(client, model, request | {"max_tokens": 1})
    except (anthropic.BadRequestError, anthropic.UnprocessableEntityError):
        reply = await _ask(client, model, request | {"max_tokens": ROOM})  # some gateways refuse less than 16
    if reply.input_tokens <= 0:
        raise MalformedAnswer(f"the server's usage cannot be right: a prompt would take {reply.input_tokens} tokens")
    return reply.input_tokens


async def _ask(client: Client, model: ModelProfile, request: Mapping[str, Any]) -> Reply:
    """Send a request of the Messages API by the API of the model, and return the reply."""
    body = await _sent(client, model, request)
    return to_reply(api_of(model).PATH, body, messages.Receipt(live=True))


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
