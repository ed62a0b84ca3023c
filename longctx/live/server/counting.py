"""What servers tell for free before a run sends requests: the limits of models, and the tokens of texts and prompts."""

from __future__ import annotations

import asyncio
import dataclasses
import shlex
import statistics
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import quote

import anthropic
import httpx2

from longctx import clocks
from longctx.cells.cell import Cell
from longctx.config.keeping import keep_probed, keep_token_counts
from longctx.config.models import ModelProfile, TokenCounts
from longctx.config.prompts import PromptSet, Wording
from longctx.corpus.documents import load_corpus
from longctx.errors import UserError
from longctx.live.failure import Failure, Unasked
from longctx.live.server.calls import (
    ENQUIRY_ERRORS,
    TIMEOUT_S,
    body_of,
    if_there,
    no_connection,
    positive,
    read_count,
    read_model,
    table,
)
from longctx.live.server.client import Client
from longctx.live.server.explaining import explain
from longctx.live.watch import Say, waiting
from longctx.recording.answer_body import MalformedAnswer
from longctx.recording.apis import api_of, gemini, messages
from longctx.recording.request import (
    Request,
    count_arguments,
    count_post_arguments,
    request_body,
    user_text,
    with_model_profile,
)
from longctx.registry import shipped
from longctx.vocabulary.point import PROTOCOL, Declaration
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


async def ask_token_count(client: Client, model: ModelProfile, text: str, system: str = "") -> int:
    """Return the input tokens of a prompt. Raises ENQUIRY_ERRORS, also if the provider does not count."""
    turns: Any = [{"role": "user", "content": text}]
    by_itself = counts_by_itself(model)

    def counted(of: Client) -> Awaitable[bytes]:
        if by_itself:
            told = {"system": system} if system else {}
            body = with_model_profile({"messages": turns, "max_tokens": 1, **told}, model)
            return body_of(of.post(**count_post_arguments(body, model), cast_to=httpx2.Response))
        call = of.messages.with_raw_response.count_tokens(
            model=model.sent_as,
            messages=turns,
            system=model.system_prompt(system) or anthropic.omit,
            extra_headers=model.treatments or None,
        )
        return body_of(call)

    field = api_of(model).COUNT_FIELD if by_itself else messages.COUNT_FIELD
    return read_count(await if_there(client, counted), field)


def counts_by_itself(model: ModelProfile) -> bool:
    """Return whether the tokens of a model are counted by its own API, and not by that of Messages."""
    return model.api != messages.NAME and bool(api_of(model).COUNT_PATH)


async def token_counts(
    client: Client,
    model: ModelProfile,
    test: Declaration,
    wording: Wording,
    counter: TokenCounter = ask_token_count,
) -> TokenCounts:
    """Count the tokens of the probes of a protocol, or of a cell of a test function. Raises ENQUIRY_ERRORS."""
    assert test.counts is not None
    probes = test.counts.probes(wording.templates).items()
    counts = {name: await counter(client, model, text, wording.templates.get("system", "")) for name, text in probes}
    try:
        values = test.counts.kept(counts)
    except ValueError as error:
        raise _contradiction(str(error)) from None
    for name, text in probes:
        if not len(text) / 50 <= counts[name] <= 4 * len(text.encode()) + MOST_UNSEEN:
            raise _contradiction(f"a text of {len(text):,} characters would take {counts[name]:,} tokens")
    return TokenCounts(
        test=test.name,
        wording=test.counts.key(wording.digest, wording.templates),
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
        texts = test.units(prompts.wording(test.cell).templates) if test.units else {}
        for unit, (few, many, more) in texts.items():
            tokens_of[unit] = round(
                (await ask_token_count(client, model, many) - await ask_token_count(client, model, few)) / more, 2
            )
    first, second, *_ = load_corpus(workspace.find("register")).sections
    difference = await ask_token_count(client, model, f"{first.text}\n\n{second.text}") - await ask_token_count(
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


STRANGE = ("malformed_answer", "timeout")
"""The causes of failure that are reported. A server need not count, and the live pass will meet all other failures."""
SAMPLED = 4
"""The prompts of a cell that are built for their mean length, if it is not kept."""
PromptKind = tuple[str, str, str, str, int]
"""The kind of a prompt: model, prompt set, shape, test, and the size by the model's profile."""


async def with_counted_tokens(client: Client, requests: Sequence[Request], say: Say) -> list[Request]:
    """Return the same requests with the tokens of their cells' prompts as the server counts them, if it does.

    One request of each kind is counted, with everything that it holds; the tokens of others are estimated from its
    tokens per character.
    """
    # Cells cannot be hashed, and two may have one name: their identity is the key.
    samples = {id(request.cell): request for request in reversed(requests)}
    lengths = _lengths(requests)
    kinds = {_kind(sample): sample for sample in samples.values()}
    with waiting(say, f"{source_of(client)} to count the tokens of prompts (up to {TIMEOUT_S:g} s)"):
        results = await asyncio.gather(*(_count(client, sample) for sample in kinds.values()))
    counts = [result if isinstance(result, int) else None for result in results]
    if strange := [result for result in results if isinstance(result, Failure) and result.cause in STRANGE]:
        say(f"Tokens are taken from the profile, not counted: {strange[0].message}")
    tokens = {
        kind: None if tokens is None else tokens / _length(sample)
        for (kind, sample), tokens in zip(kinds.items(), counts, strict=True)
    }
    cells = {}
    for cell, sample in samples.items():
        each = tokens[_kind(sample)]
        cells[cell] = dataclasses.replace(sample.cell, counted=None if each is None else round(each * lengths[cell]))
    return [request.of_cell(cells[id(request.cell)]) for request in requests]


def _lengths(requests: Sequence[Request]) -> dict[int, float]:
    """Return the mean length of each cell's prompts, in characters: of those that were kept, and of the first few."""
    kept: dict[int, list[int]] = defaultdict(list)
    for request in requests:
        if request.built is not None or len(kept[id(request.cell)]) < SAMPLED:
            kept[id(request.cell)].append(_length(request))
    return {cell: statistics.fmean(lengths) for cell, lengths in kept.items()}


def _length(request: Request) -> int:
    return len(user_text(request.build(), request.model))


def _kind(request: Request) -> PromptKind:
    cell = request.cell
    return (cell.model.model, cell.wording.prompt_set, cell.shape, cell.point.test, cell.size_tokens)


async def _count(client: Client, request: Request) -> int | Failure:
    model, built = request.model, request.build()
    once = client.with_options(max_retries=0)
    try:
        if counts_by_itself(model):
            sent = count_post_arguments(request_body(built, model), model)
            return read_count(await body_of(once.post(**sent, cast_to=httpx2.Response)), api_of(model).COUNT_FIELD)
        counting = once.messages.with_raw_response.count_tokens(**count_arguments(built, model))
        return read_count(await body_of(counting))
    except (*ENQUIRY_ERRORS, ValueError) as error:  # ValueError: the SDK cannot send the text
        return explain(error, client.base_url)


async def with_server_facts(
    workspace: Workspace, client: Client, cells: Sequence[Cell], say: Say
) -> tuple[list[Cell], list[Unasked]]:
    """Return the cells with what the server said, and apart those that need a count of tokens the server does not give.

    The server's answers are kept in the model's profile. Raises UserError if no cell is left to ask.
    """
    models: dict[str, ModelProfile] = {}
    for cell in cells:
        if cell.model.model not in models:
            models[cell.model.model] = await _with_window(workspace, client, cell.model, say)
    known = [dataclasses.replace(cell, model=models[cell.model.model]) for cell in cells]
    calibrated, uncounted = await count_probes(workspace, client, known, say)
    print_uncounted(say, uncounted, alone=not calibrated)
    return calibrated, uncounted


async def count_probes(
    workspace: Workspace, client: Client, cells: Sequence[Cell], say: Say
) -> tuple[list[Cell], list[Unasked]]:
    """Return the cells with the counts of their probes, and apart those whose probes the server does not count.

    Counts are kept in the models' profiles, and are not repeated. Raises UserError.
    """
    models = {cell.model.model: cell.model for cell in cells}
    untold: dict[tuple[str, str, str], Failure] = {}
    for cell in cells:
        name = cell.model.model
        current = dataclasses.replace(cell, model=models[name])
        if current.token_values is not None or _counted(cell) in untold:
            continue
        counts = await _token_counts(client, current, say)
        if isinstance(counts, Failure):
            untold[_counted(cell)] = counts
            continue
        keep_token_counts(workspace, name, counts)
        models[name] = models[name].model_copy(update={"token_counts": (*models[name].token_counts, counts)})
    uncounted = [(cell, untold[_counted(cell)]) for cell in cells if _counted(cell) in untold]
    counted = [
        dataclasses.replace(cell, model=models[cell.model.model]) for cell in cells if _counted(cell) not in untold
    ]
    return counted, uncounted


def print_uncounted(say: Say, uncounted: Sequence[Unasked], alone: bool) -> None:
    """Print why cells are not sent. alone: whether there are no others; it then raises UserError."""
    for message in dict.fromkeys(failure.message for _, failure in uncounted):
        if alone:
            raise UserError("tokens-not-counted", message)
        say(message)


def _counted(cell: Cell) -> tuple[str, str, str]:
    """Return what identifies the count of tokens that a cell needs: the model, the test and its probes."""
    return cell.model.model, cell.point.test, cell.counts_key


async def _with_window(workspace: Workspace, client: Client, model: ModelProfile, say: Say) -> ModelProfile:
    if model.window is not None:
        return model
    try:
        with waiting(say, f"{source_of(client)} to describe {model.model} (up to {TIMEOUT_S:g} s)"):
            description = await described_by_server(client, model)
    except ENQUIRY_ERRORS as error:
        failure = explain(error, client.base_url)
        if no_connection(error):
            raise UserError("nothing-answered", failure.message) from None
        say(f"The window of {model.model} is not known, so prompts are not checked against it: {failure.message}")
        return model
    if "window" not in description:
        return model
    keep_probed(workspace, model.model, source_of(client), description)
    return model.model_copy(update={"window": description["window"]})


async def _token_counts(client: Client, cell: Cell, say: Say) -> TokenCounts | Failure:
    """Count the probe texts of a cell's test. Raises UserError if questions would fail for the same reason."""
    model = cell.model.model
    try:
        with waiting(say, f"{source_of(client)} to count tokens for {cell.point.test}"):
            return await token_counts(client, cell.model, cell.point.declared, cell.wording)
    except ENQUIRY_ERRORS as error:
        failure = explain(error, client.base_url)
    why = (
        f"{model}: {cell.point.test} cannot build its prompts, because its tokens could not be counted: "
        f"{failure.message}"
    )
    if failure.fatal and failure.cause != "no_such_model":  # a server without count_tokens answers this too
        raise UserError("tokens-not-counted", why)
    if cell.point.test not in shipped():
        return Failure(
            "not_counted",
            f"{why} Use a server that counts tokens, or leave it out with -k 'not {cell.point.test}'. Add counts that "
            "you know to the model's profile: docs/models.md shows the table [[measured]], whose wording is "
            f"{cell.counts_key!r}.",
            True,
        )
    chosen = "" if cell.wording.prompt_set == PROTOCOL else f" --prompts {shlex.quote(cell.wording.prompt_set)}"
    command = f"python -m longctx models probe {shlex.quote(model)} --ask --base-url {source_of(client)}{chosen}"
    return Failure(
        "not_counted",
        f"{why} They can also be counted by replies of one token, which cost money: {command}",
        True,
    )
