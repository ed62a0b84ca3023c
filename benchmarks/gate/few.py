"""Drops with few documents: false alarms and finds, by the number of documents. `python -m benchmarks.gate.few`.

Two generators draw pairs, of changes that spare no document alike. Sections: latent difficulties are normal
(draws.py), and a change moves whole sections. Documents: each has a rate from a beta distribution, and a change draws
the rates of half of them anew; in the hard case they were all alike before, so that a few documents gain much and many
lose a little.

If items do not correspond, documents differ between the runs: their rates, or their log-odds, are drawn independently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.gate.clusters import drawn
from benchmarks.gate.draws import HARD, PROMPT, Shares
from benchmarks.gate.intervals import center
from benchmarks.gate.table import command, sections, share, table
from longctx.gate.bands import Evidenced, drop_p_value
from longctx.gate.defaults import ALPHA
from longctx.stats.averaged import Averaged
from longctx.stats.unpaired import Unpaired

RESULTS = Path(__file__).with_name("FEW.md")
DOCUMENTS = (5, 6, 8, 10, 12, 14, 15, 20, 30, 60)
TRIALS = 25
SAME = (0.9, 0.5, 0.2, 0.1)
FALLS = ((0.9, 0.6), (0.5, 0.2), (0.9, 0.1))
Generator = Callable[[int, tuple[float, float], int, np.random.Generator], Iterator[Evidenced]]


def by_sections(
    shares: Shares, documents: int, rates: tuple[float, float], gates: int, random: np.random.Generator
) -> Iterator[Averaged]:
    [pairs] = drawn((5,) * documents, TRIALS // 5, [rates], shares, gates, random)
    return (Averaged.of_changes(pair.clusters) for pair in pairs)


def by_documents(
    alike: bool, documents: int, rates: tuple[float, float], gates: int, random: np.random.Generator
) -> Iterator[Averaged]:
    rate, after = rates
    shape = (gates, documents, 1)
    first = np.full(shape, rate) if alike else random.beta(2 * rate, 2 * (1 - rate), shape)
    anew = random.random(shape) < 0.5
    second = np.where(anew, random.beta(after, 1 - after, shape), first * after / rate)
    right = [(random.random((gates, documents, TRIALS)) < chances).astype(int) for chances in (first, second)]
    return (Averaged.of_changes(gate) for gate in (right[1] - right[0]).tolist())


def apart(
    logistic: bool, documents: int, rates: tuple[float, float], gates: int, random: np.random.Generator
) -> Iterator[Unpaired]:
    shape = (gates, documents, 1)
    sides = []
    for rate in rates:
        odds = center(rate, 1.5) + random.normal(0, 1.5, shape)
        chances = 1 / (1 + np.exp(-odds)) if logistic else random.beta(2 * rate, 2 * (1 - rate), shape)
        sides.append((random.random((gates, documents, TRIALS)) < chances).astype(int).tolist())
    return (Unpaired.of(before, after) for before, after in zip(*sides, strict=True))


PAIRED: dict[str, Generator] = {
    "sections, prompt": partial(by_sections, PROMPT),
    "sections, hard": partial(by_sections, HARD),
    "documents": partial(by_documents, False),
    "documents, hard": partial(by_documents, True),
}
UNPAIRED: dict[str, Generator] = {"beta": partial(apart, False), "log-odds": partial(apart, True)}


def lines(generators: dict[str, Generator], gates: int) -> str:
    rows = []
    for name, generator in generators.items():
        for documents in DOCUMENTS:
            counts = []
            for rates in (*((rate, rate) for rate in SAME), *FALLS):
                random = np.random.default_rng([documents, *(round(100 * rate) for rate in rates)])
                pairs = generator(documents, rates, gates, random)
                counts.append(share(sum(drop_p_value(pair) <= ALPHA for pair in pairs), gates))
            rows.append([name, documents, *counts])
    alarms = (f"false alarms at {rate}" for rate in SAME)
    return table(["generator", "documents", *alarms, *(f"{before} → {after} found" for before, after in FALLS)], rows)


PARTS = (("Pairs", partial(lines, PAIRED)), ("Items that do not correspond", partial(lines, UNPAIRED)))


def run(gates: int) -> Iterator[str]:
    yield (
        "# Few documents\n\nWritten by `python -m benchmarks.gate.few`; "
        f"{gates:,} gates a line, of one band with {TRIALS} trials for each document; brackets are Wilson's 95%. With "
        "fewer than 15 documents no gate passes."
    )
    yield from sections(PARTS, gates)


if __name__ == "__main__":
    command("few", __doc__, run, RESULTS, gates=2000)
