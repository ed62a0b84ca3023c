"""The CPU of a recorded request, with building its prompt and finding that it is missing, against the SDK alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import anthropic

from benchmarks.live.asked import ask, cell
from benchmarks.live.server import serving

LATENCY_S = 0.05
IN_FLIGHT = 32


def cpu(trials: int, rounds: int = 3) -> list[list[str]]:
    """Rows: what sends the same prompts, milliseconds of CPU of its process for each, and their ratio to the SDK's."""
    prompts = [trial.build().user for trial in cell(trials).each_trial()]

    def ours(url: str) -> None:
        assert ask(url, trials, IN_FLIGHT).on_tape == trials

    taken = {name: min(_ms(send, trials) for _ in range(rounds)) for name, send in _senders(ours, prompts).items()}
    return [[name, f"{ms:.1f} ms", f"{ms / taken['the SDK']:.1f}"] for name, ms in taken.items()]


def _senders(ours: Callable[[str], None], prompts: list[str]) -> dict[str, Callable[[str], None]]:
    return {"the SDK": lambda url: asyncio.run(_by_sdk(url, prompts)), "longctx": ours}


async def _by_sdk(url: str, prompts: list[str]) -> None:
    room = asyncio.Semaphore(IN_FLIGHT)

    async def send(prompt: str) -> None:
        async with room:
            turn: anthropic.types.MessageParam = {"role": "user", "content": prompt}
            await client.messages.create(model="toy", max_tokens=20, messages=[turn])

    async with anthropic.AsyncAnthropic(api_key="simulated", base_url=url) as client:
        await asyncio.gather(*map(send, prompts))


def _ms(send: Callable[[str], None], trials: int) -> float:
    with serving(latency_s=LATENCY_S) as server:
        before = time.process_time()
        send(server.url)
        return (time.process_time() - before) / trials * 1000
