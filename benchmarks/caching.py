"""What the order of the asking pass saves at Claude's cache prices: long-context QA in that order, and in a random one.

python -m benchmarks.caching --base-url URL --model NAME                 # asks a server, both orders after each other
python -m benchmarks.caching --grid                                      # asks nothing: the whole grid at 70k tokens

Prints the tables of CACHING.md. The tokens are a server's own usage. One that does not tell what it wrote to its cache,
such as llama.cpp's, is taken to have written all that it did not read, which is the dearest it can be. In the random
order what was not read costs what input costs, as nothing would be marked.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import functools
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from anthropic import AsyncAnthropic

from longctx.cells.cell import Cell
from longctx.config.models import ModelProfile, Prices, load_model
from longctx.config.prompts import PromptSet
from longctx.corpus.question_bank import load_bank
from longctx.live.cost.money import cost
from longctx.live.cost.prefixes import shared
from longctx.protocols.collage import VARIANTS
from longctx.recording.missing import missing
from longctx.recording.request import Request, parameters
from longctx.recording.tape import Tape
from longctx.vocabulary.point import POSITIONS
from tests.here import HERE
from tests.protocols import Collage

LONGEST = 600
"""Tokens of a section, in records of less than the 70k of the grid."""
CLAUDE = [path.stem for path in HERE.list("models", "claude-*.toml")]


@dataclasses.dataclass(frozen=True, slots=True)
class Used:
    """Input tokens of one order of asking: all of them, those read from the cache, and those written to it."""

    requests: int
    input: float
    read: float
    written: float

    def priced(self, prices: Prices) -> float:
        """Return the price in USD of requests of about the same length."""
        sent, read, written = (tokens / self.requests for tokens in (self.input, self.read, self.written))
        return self.requests * cost(prices, sent, 0, read, written)


def questions(model: ModelProfile, budget: int, longest: int, number: int) -> list[Request]:
    """Return all variants of `number` questions at beginning, middle and end, in the suite's own order of asking."""
    bank = functools.partial(load_bank, HERE, None, None, model.model)
    wording = PromptSet.open(HERE, "protocol").wording(Collage)
    cells = [
        Cell(model, wording, Collage(budget, longest, depth, variant, max_tokens=1, bank=bank), seed=0, trials=number)
        for depth in POSITIONS
        for variant in VARIANTS
    ]
    with tempfile.TemporaryDirectory() as empty:
        return missing(Tape(Path(empty), "once"), cells)


def by_chance(asked: Sequence[Request], number: int) -> list[Request]:
    """Return `number` of the questions, drawn at random and in random order."""
    return random.Random(0).sample(asked, len(asked))[:number]


async def used(base_url: str, asked: Sequence[Request], marked: bool) -> Used:
    """Ask one after the other, each for one token of an answer. marked: what is shared, if the profile has caching."""
    total = Used(0, 0, 0, 0)
    async with AsyncAnthropic(base_url=base_url, api_key="none-needed", timeout=3600) as client:
        for question in shared(asked) if marked else asked:
            model = question.cell.model
            sent = parameters(question.build(), model, question.shared.cuts)
            usage = (await client.messages.create(**sent, extra_body=model.extra_body or None)).usage
            read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
            whole = usage.input_tokens + read + written
            total = Used(total.requests + 1, total.input + whole, total.read + read, total.written + written)
            print(f"{total.requests} of {len(asked)}: {whole} tokens, {read} read", file=sys.stderr)
    return total


def measure(base_url: str, some: Sequence[Request], asked: Sequence[Request]) -> tuple[Used, Used]:
    """`some` questions in a random order, and `asked` in the suite's."""
    chance = asyncio.run(used(base_url, some, marked=False))
    ordered = asyncio.run(used(base_url, asked, marked=True))
    if not ordered.written:
        ordered = dataclasses.replace(ordered, written=ordered.input - ordered.read)
    return chance, ordered


def foreseen(asked: Sequence[Request]) -> tuple[Used, Used]:
    """Return the estimated tokens without a cache, and with the cache that the profile describes."""
    tokens = [question.cell.size_tokens for question in asked]
    planned = shared(asked)
    read = sum(size * question.shared.read_share for size, question in zip(tokens, planned, strict=True))
    written = sum(size * question.shared.write_share for size, question in zip(tokens, planned, strict=True))
    return Used(len(asked), sum(tokens), 0, 0), Used(len(asked), sum(tokens), read, written)


def table(before: str, first: Used, after: str, second: Used, models: Sequence[str]) -> Iterator[str]:
    """Lines of Markdown: what was used, what a million tokens of it cost at the prices of each model, and the ratio."""
    yield "| | requests | input tokens | read from cache |"
    yield "| --- | --- | --- | --- |"
    for name, total in ((before, first), (after, second)):
        yield f"| {name} | {total.requests:,} | {total.input:,.0f} | {total.read / total.input:.1%} |"
    yield ""
    yield f"| a million input tokens at the prices of | {before} | {after} | times cheaper |"
    yield "| --- | --- | --- | --- |"
    for name in models:
        prices = load_model(HERE, name).prices
        assert prices is not None
        dear, cheap = (1e6 * total.priced(prices) / total.input for total in (first, second))
        yield f"| {name}, {prices.dated} | ${dear:,.4g} | ${cheap:,.4g} | {dear / cheap:.2f} |"


def grid() -> Iterator[str]:
    """Return the notebook's grid: 430 questions, eight variants, three positions, in records of 70k tokens."""
    for name in CLAUDE:
        model = load_model(HERE, name)
        first, second = foreseen(questions(model, budget=70_000, longest=70_000, number=430))
        yield from table("without a cache", first, "with its cache", second, [name])
        yield ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.caching")
    parser.add_argument("--base-url")
    parser.add_argument("--model", default="qwen2.5-coder-0.5b")
    parser.add_argument("--questions", type=int, default=2, help="of the suite's order, 24 prompts each (2)")
    parser.add_argument("--chance", type=int, default=12, help="prompts of the random order (12)")
    parser.add_argument("--of", type=int, default=30, help="questions that are put in the random order (30)")
    parser.add_argument("--budget", type=int, default=2600, help="tokens of a record (2600)")
    parser.add_argument("--grid", action="store_true")
    options = parser.parse_args()
    if options.base_url:
        model = load_model(HERE, options.model)
        whole = questions(model, options.budget, LONGEST, options.of)
        asked = questions(model, options.budget, LONGEST, options.questions)
        orders = measure(options.base_url, by_chance(whole, options.chance), asked)
        print("\n" + "\n".join(table("random order", orders[0], "the suite's order", orders[1], CLAUDE)))
    if options.grid:
        print("\n".join(grid()))


if __name__ == "__main__":
    main()
