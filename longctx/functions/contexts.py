"""What the trials of a test function share: the order in which they are sent, and marks for the prompt cache.

Trials of one cluster, such as questions about one document, and repeats of one trial, begin alike. They are asked one
after another, the first before the others, and their requests are marked where they begin to differ. A mark changes no
digest: it is placed at the end of a text alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longctx.cells.cell import Trial
from longctx.config.models import Caching, ModelProfile
from longctx.functions.strategies import blocks_of
from longctx.live.cost.prefixes import (
    CHARACTERS_A_TOKEN,
    LEAST,
    cheaper,
    common_length,
    for_an_hour,
    pays,
    pays_in_batches,
)
from longctx.recording.request import Request, Shared, cache_mark
from longctx.results.grouping import grouped

Message = Mapping[str, Any]
MARKED = ("text", "tool_use", "tool_result")
"""The blocks that are marked as they are, at their end."""
Cut = tuple[int, int]
"""The place where requests begin to differ: the index of a message, and the characters of its text before it.

In a message with other blocks than text it is, as a negative number, how many of its blocks are before it.
"""


def in_contexts(trials: Sequence[Trial]) -> list[list[Trial]]:
    """Return trials by what they are about, each group in its order: a cluster, or a trial with its repeats."""
    by_context = grouped(
        trials, lambda trial: (id(trial.cell), trial.cell.point.context_name(trial.index) or trial.index)
    )
    return list(by_context.values())


def of_one_context(requests: Sequence[Request]) -> Iterator[list[Request]]:
    """Yield the first requests of the trials about one context; other requests, such as later ones, by themselves."""
    alone = Counter(request.key for request in requests)
    groups: dict[object, list[Request]] = {}
    for request in requests:
        point, index = request.cell.point, request.trial.index
        shares = point.context_name(index)
        context: object = (request.place.file, request.place.model, shares or index)
        if shares != point.cluster(index):  # cases that begin alike: only what they send tells what they share
            context = context, _beginning(request)
        if request.place.number or alone[request.key] > 1:
            context = request.place.trial, request.place.key
        groups.setdefault(context, []).append(request)
    yield from groups.values()


def shared_requests(requests: Sequence[Request], batch: bool = False) -> list[Request]:
    """Return the requests of one context, in the order in which they are sent, marked where they begin to differ.

    batch: whether the run asks in batches; what is cheaper directly is marked as such.
    """
    caching = requests[0].model.caching
    cut = _cut(requests, caching) if caching else None
    if cut is None:
        return list(requests)
    length, place = cut
    directly = _marked(requests, requests[0].model, length, place)
    if not batch:
        rates = [request.model.prices and request.model.prices.at(request.tokens.prompt) for request in requests]
        return directly if pays(rates) else list(requests)
    hourly = for_an_hour(requests[0].model)
    batched = list(requests)
    if hourly.caching:
        hour_marked = _marked(requests, hourly, length, place)
        if pays_in_batches(hour_marked, [length / request.shared.length for request in hour_marked]):
            batched = hour_marked
    return cheaper(list(zip(batched, directly, strict=True)))


def _cut(requests: Sequence[Request], caching: Caching) -> tuple[int, Cut] | None:
    """Return the characters that all requests share, and where they end; None if these are not worth a mark."""
    first = requests[0].body
    if len(requests) < 2 or "cache_control" in json.dumps([request.body for request in requests]):
        return None  # code that marks its own requests is left alone
    if any(request.body.get(name) != first.get(name) for request in requests for name in ("system", "tools")):
        return None
    turns = [request.body["messages"] for request in requests]
    alike = 0
    while all(len(turn) > alike and turn[alike] == turns[0][alike] for turn in turns):
        alike += 1
    before = sum(len(json.dumps(first.get(name) or "", ensure_ascii=False)) for name in ("system", "tools"))
    before += sum(len(json.dumps(turn["content"], ensure_ascii=False)) for turn in turns[0][:alike])
    place = _end_of(turns[0][alike - 1], alike - 1) if alike else (-1, 0)
    if all(len(turn) > alike and turn[alike]["role"] == turns[0][alike]["role"] for turn in turns):
        texts = [_text(turn[alike]) for turn in turns]
        if all(text is not None for text in texts):
            known = [text or "" for text in texts]
            length = min(common_length(known[0], text) for text in known[1:])
            if length >= LEAST and all(text[length:].strip() for text in known):
                place, before = (alike, length), before + length
        elif same := _blocks_alike([turn[alike] for turn in turns]):
            place = alike, -same
            before += len(json.dumps(blocks_of(turns[0][alike])[:same], ensure_ascii=False))
    enough = before >= caching.min_tokens * CHARACTERS_A_TOKEN
    return (before, place) if place[0] >= 0 and place[1] and enough else None


def _marked(requests: Sequence[Request], model: ModelProfile, length: int, cut: Cut) -> list[Request]:
    """Return the requests with a mark at the cut; the first writes the prefix, and the others read it."""
    assert model.caching is not None
    result = []
    for number, request in enumerate(requests):
        body = {**request.body, "messages": _with_mark(request.body["messages"], model.caching, cut)}
        size = len(json.dumps(body, ensure_ascii=False))
        shared = Shared(size, (length,), length if number else 0, requests[0].key if number else None)
        result.append(dataclasses.replace(request, body=body, model=model, shared=shared))
    return result


def _with_mark(messages: Sequence[Message], caching: Caching, cut: Cut) -> list[Message]:
    index, left = cut
    blocks: list[dict[str, Any]] = []
    if left < 0:
        blocks = blocks_of(messages[index])
        blocks[-left - 1] = {**blocks[-left - 1], "cache_control": cache_mark(caching)}
        return [*messages[:index], {**messages[index], "content": blocks}, *messages[index + 1 :]]
    for block in blocks_of(messages[index]):
        text = block["text"]
        if 0 < left <= len(text):
            blocks.append({**block, "text": text[:left], "cache_control": cache_mark(caching)})
            blocks += [{**block, "text": text[left:]}] if left < len(text) else []
        else:
            blocks.append(block)
        left -= len(text)
    marked = {**messages[index], "content": blocks}
    return [*messages[:index], marked, *messages[index + 1 :]]


def _beginning(request: Request) -> str:
    """Return the digest of what a request sends before its last turn."""
    shared = [request.body.get("system"), list(request.body.get("messages", ()))[:-1]]
    return hashlib.sha256(json.dumps(shared, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


def _end_of(message: Message, index: int) -> Cut:
    """Return the place at the end of a message, if it can be marked there."""
    text, blocks = _text(message), blocks_of(message)
    if text is not None:
        return index, len(text)
    return index, -len(blocks) if blocks[-1].get("type") in MARKED else 0


def _blocks_alike(messages: Sequence[Message]) -> int:
    """Return how many blocks all of these messages begin with, at most all but the last of each."""
    blocks = [blocks_of(message) for message in messages]
    most = min(map(len, blocks)) - 1
    same = next((n for n in range(most) if any(each[n] != blocks[0][n] for each in blocks)), max(most, 0))
    return same if same and blocks[0][same - 1].get("type") in MARKED else 0


def _text(message: Message) -> str | None:
    """Return the text of a message; None if it contains anything else, which cannot be marked."""
    blocks = blocks_of(message)
    if all(
        isinstance(block, Mapping) and block.keys() == {"type", "text"} and block["type"] == "text" for block in blocks
    ):
        return "".join(block["text"] for block in blocks)
    return None
