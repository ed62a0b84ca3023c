"""What the prompt cache saves in batches, against a simulated server that keeps as the documentation says.

python -m benchmarks.batch_caching      # prints the table of benchmarks/CACHING.md

All 24 prompts of long-context QA about each of a few records of 70k tokens, by the code that a run uses. What is read
and written is the server's usage, at 4 characters a token.
"""

from __future__ import annotations

import asyncio
import dataclasses
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.caching import trials
from longctx.config.models import ModelProfile, load_model
from longctx.live.asking import ask_all
from longctx.live.batches.collect import Batches, BatchTerms, Clock
from longctx.live.batches.filling import ask_in_batches
from longctx.live.batches.service import Service
from longctx.live.bounds import Bounds
from longctx.live.cost.money import paid
from longctx.live.cost.prefixes import shared, shared_by_batches
from longctx.live.failure import SendResult
from longctx.live.progress import Silent
from longctx.live.server.client import open_client
from longctx.recording.request import Place, Request
from longctx.recording.tape import Tape
from tests.batch_server import BatchServer, Turned
from tests.here import HERE
from tests.prefix_cache import CHARACTERS_A_TOKEN, TimedCache

MODELS = ("claude-haiku-4-5", "claude-haiku-5-5", "claude-sonnet-5-5")
RECORDS = 2
LATER_S = 1800.0
"""The seconds from the last direct answer until the batch begins."""

Plan = Callable[[Sequence[Request]], Sequence[Request]]
WAYS: dict[str, tuple[bool, Plan]] = {
    "directly, marked for five minutes": (False, shared),
    "in a batch, nothing marked": (True, list),
    "in a batch, marked as directly": (True, lambda asked: [_alone(trial) for trial in shared(asked)]),
    "in a batch, the first asked before, marked for an hour": (True, shared_by_batches),
}


def _alone(trial: Request) -> Request:
    """Return the question as one that no other question is asked before."""
    return dataclasses.replace(trial, shared=dataclasses.replace(trial.shared, after=None))


def used(model: ModelProfile, batch: bool, plan: Plan) -> tuple[int, int, float]:
    """Input tokens, those read from the cache, and USD."""
    caching = model.caching
    assert caching is not None
    cache = TimedCache(caching.min_tokens, caching.breakpoints)
    asked = trials(model, 70_000, 70_000, RECORDS)
    with tempfile.TemporaryDirectory() as folder, BatchServer(script=cache.script) as server:
        turned = Turned()
        server.result, server.looks = cache.in_batch, 1

        def later() -> None:
            cache.now_s = LATER_S

        turned.at_sleep = later
        tape = Tape(Path(folder), "once")
        asyncio.run(_ask(server.url, tape, plan(asked), batch, turned))
        replies = [tape.reply(Place.of(trial.trial, trial.build())) for trial in asked]
    answered = [reply for reply in replies if reply is not None]
    assert len(answered) == len(asked)
    usd = sum(paid(model.prices, reply) or 0.0 for reply in answered)
    return sum(reply.input_tokens for reply in answered), sum(reply.cached_tokens or 0 for reply in answered), usd


async def _ask(url: str, tape: Tape, asked: Sequence[Request], batch: bool, turned: Turned) -> None:
    async with open_client(tape, url, 4) as client:
        bounds = Bounds.of(4)

        async def directly(some: Sequence[Request]) -> SendResult:
            return await ask_all(client, tape, some, bounds, Silent())

        if not batch:
            await directly(asked)
            return
        terms = BatchTerms(url, None, Clock(turned.now, turned.sleep))
        await ask_in_batches(Batches(Service(client), tape, terms, len), asked, [], directly, bounds.budget, Silent())


def main() -> None:
    print(f"| asked | read from the cache | {' | '.join(MODELS)} |\n|{' --- |' * (2 + len(MODELS))}")
    for way, (batch, plan) in WAYS.items():
        usages = [used(load_model(HERE, name), batch, plan) for name in MODELS]
        shares = dict.fromkeys(f"{read / whole:.1%}" for whole, read, _ in usages)
        print(f"| {way} | {', '.join(shares)} | {' | '.join(f'${usd:,.4g}' for _, _, usd in usages)} |", flush=True)
    print(f"\nOf {RECORDS} records; a token is {CHARACTERS_A_TOKEN} characters.")


if __name__ == "__main__":
    main()
