"""Drops with few documents: false alarms and finds, by the number of documents. `python -m benchmarks.gate.few`.

Two generators draw pairs, of changes that spare no document alike. Sections: latent difficulties are normal
(draws.py), and a change moves whole sections. Documents: each has a rate from a beta distribution, and a change draws
the rates of half of them anew; in the hard case they were all alike before, so that a few documents gain much and many
lose a little.

Less kind are changes that hit whole documents, which were all alike. A tenth: each document is right throughout after
the change with a probability of a tenth, and the others lose a little, so that the rate is the one stated. Lost: each
document is lost wholly or not at all.

If items do not correspond, documents differ between the runs: their rates, or their log-odds, are drawn independently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.clusters import shown
from benchmarks.gate.draws import HARD, PROMPT, Shares, quantile
from benchmarks.gate.intervals import center
from benchmarks.gate.table import command, sections, share, table
from longctx.gate.bands import drop_p_value
from longctx.gate.rules import ALPHA
from longctx.stats.unpaired import Unpaired

RESULTS = Path(__file__).with_name("FEW.md")
FEW, MORE = (5, 6, 8, 10, 12, 14), (15, 20, 30, 60)
TRIALS = 25
SAME = (0.9, 0.5, 0.2, 0.1)
FALLS = ((0.9, 0.6), (0.5, 0.2), (0.9, 0.1))
QUESTIONS = 5
"""The trials of a section are repeats of so many questions."""
Bools = NDArray[np.bool_]
Sides = tuple[Bools, Bools]
"""Whether each trial is right before and after; shape (gates, documents, trials)."""
Generator = Callable[[int, tuple[float, float], int, np.random.Generator], Sides]


def by_sections(
    shares: Shares, documents: int, rates: tuple[float, float], gates: int, random: np.random.Generator
) -> Sides:
    def normal(part: float, *shape: int) -> NDArray[np.float64]:
        return np.sqrt(part) * random.standard_normal((gates, documents, *shape))

    each = QUESTIONS, TRIALS // QUESTIONS
    common = normal(shares.section, 1, 1) + normal(shares.question, QUESTIONS, 1)
    common = common + normal(shares.repeats - shares.section - shares.question, *each)
    first = common + normal(shares.noise + shares.change, *each)
    second = common + normal(shares.change, 1, 1) + normal(shares.noise, *each)
    before, after = (
        (difficulty < quantile(rate)).reshape(gates, documents, TRIALS)
        for difficulty, rate in zip((first, second), rates, strict=True)
    )
    return before, after


def by_documents(
    alike: bool, documents: int, rates: tuple[float, float], gates: int, random: np.random.Generator
) -> Sides:
    rate, after = rates
    shape = (gates, documents, 1)
    first = np.full(shape, rate) if alike else random.beta(2 * rate, 2 * (1 - rate), shape)
    anew = random.random(shape) < 0.5
    second = np.where(anew, random.beta(after, 1 - after, shape), first * after / rate)
    return _answered(first, random), _answered(second, random)


def by_hits(
    part: float | None,
    hit_rate: float,
    documents: int,
    rates: tuple[float, float],
    gates: int,
    random: np.random.Generator,
) -> Sides:
    """Draw documents of which a part has another rate after. part: by default, as many as make the fall."""
    rate, after = rates
    part = 1 - after / rate if part is None else part
    first = np.full((gates, documents, 1), rate)
    rest = (after - part * hit_rate) / (1 - part)
    second = np.where(random.random(first.shape) < part, hit_rate, rest)
    return _answered(first, random), _answered(second, random)


def apart(logistic: bool, documents: int, rates: tuple[float, float], gates: int, random: np.random.Generator) -> Sides:
    shape = (gates, documents, 1)

    def side(rate: float) -> Bools:
        if not logistic:
            return _answered(random.beta(2 * rate, 2 * (1 - rate), shape), random)
        odds = center(rate, 1.5) + random.normal(0, 1.5, shape)
        return _answered(1 / (1 + np.exp(-odds)), random)

    return side(rates[0]), side(rates[1])


def _answered(chances: NDArray[np.float64], random: np.random.Generator) -> Bools:
    found: Bools = random.random((*chances.shape[:2], TRIALS)) < chances
    return found


def found(sides: Sides, paired: bool) -> int:
    """Return in how many gates a drop is significant."""
    before, after = (side.astype(int) for side in sides)
    if paired:
        return sum(shown(sums, TRIALS * len(sums), ALPHA) for sums in (after - before).sum(axis=2).tolist())
    gates = zip(before.tolist(), after.tolist(), strict=True)
    return sum(drop_p_value(Unpaired.of(*gate)) <= ALPHA for gate in gates)


PAIRED: dict[str, Generator] = {
    "sections, prompt": partial(by_sections, PROMPT),
    "sections, hard": partial(by_sections, HARD),
    "documents": partial(by_documents, False),
    "documents, hard": partial(by_documents, True),
}
HIT: dict[str, Generator] = {
    "a tenth gains": partial(by_hits, 0.1, 1.0),
    "lost wholly": partial(by_hits, None, 0.0),
}
UNPAIRED: dict[str, Generator] = {"beta": partial(apart, False), "log-odds": partial(apart, True)}


def lines(generators: dict[str, Generator], numbers: Sequence[int], paired: bool, gates: int) -> str:
    rows = []
    for name, generator in generators.items():
        for documents in numbers:
            counts = []
            for rates in (*((rate, rate) for rate in SAME), *FALLS):
                random = np.random.default_rng([documents, *(round(100 * rate) for rate in rates)])
                counts.append(share(found(generator(documents, rates, gates, random), paired), gates))
            rows.append([name, documents, *counts])
    alarms = (f"false alarms at {rate}" for rate in SAME)
    return table(["generator", "documents", *alarms, *(f"{before} → {after} found" for before, after in FALLS)], rows)


PARTS = (
    ("Pairs, 5 to 14 documents", partial(lines, PAIRED, FEW, True)),
    ("Pairs, 15 to 60 documents", partial(lines, PAIRED, MORE, True)),
    ("Pairs, whole documents hit, 5 to 14 documents", partial(lines, HIT, FEW, True)),
    ("Pairs, whole documents hit, 15 to 60 documents", partial(lines, HIT, MORE, True)),
    ("Items that do not correspond, 5 to 14 documents", partial(lines, UNPAIRED, FEW, False)),
    ("Items that do not correspond, 15 to 60 documents", partial(lines, UNPAIRED, MORE, False)),
)


def run(gates: int) -> Iterator[str]:
    yield (
        "# Few documents\n\nWritten by `python -m benchmarks.gate.few`; "
        f"{gates:,} gates a line, of one band with {TRIALS} trials for each document; brackets are Wilson's 95%. With "
        "fewer than 15 documents no gate passes."
    )
    yield from sections(PARTS, gates)


if __name__ == "__main__":
    command("few", __doc__, run, RESULTS, gates=2000)
