"""The CPU of a recorded request, with building its prompt and finding that it is missing, against the SDK alone."""

from __future__ import annotations

import asyncio
import time

import anthropic

from benchmarks.live.asked import ask, cell
from benchmarks.live.server import serving

LATENCY_S = 0.05
IN_FLIGHT = 32


def cpu(trials: int, rounds: int = 3) -> list[list[str]]:
    """Rows: what sends the same prompts, milliseconds of CPU of its process for each, and their ratio to the SDK's."""
    prompts = [trial.build().user for trial in cell(trials).each_trial()]

    taken: dict[str, list[float]] = {"the SDK": [], "longctx": []}
    for _ in range(rounds):
        with serving(latency_s=LATENCY_S) as server:
            before = time.process_time()
            asyncio.run(_by_sdk(server.url, prompts))
            taken["the SDK"].append(time.process_time() - before)
            ours = ask(server.url, trials, IN_FLIGHT)
            assert ours.on_tape == trials
            taken["longctx"].append(ours.cpu_s)
    ms = {name: 1000 * min(seconds) / trials for name, seconds in taken.items()}
    return [[name, f"{each:.1f} ms", f"{each / ms['the SDK']:.1f}"] for name, each in ms.items()]


async def _by_sdk(url: str, prompts: list[str]) -> None:
    room = asyncio.Semaphore(IN_FLIGHT)

    async def send(prompt: str) -> None:
        async with room:
            turn: anthropic.types.MessageParam = {"role": "user", "content": prompt}
            await client.messages.create(model="toy", max_tokens=20, messages=[turn])

    async with anthropic.AsyncAnthropic(api_key="simulated", base_url=url) as client:
        await asyncio.gather(*map(send, prompts))
