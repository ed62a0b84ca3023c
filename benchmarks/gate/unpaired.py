"""Gates whose items do not correspond, such as lines at another length: `python -m benchmarks.gate.unpaired`.

Each item of either run has a difficulty of its own, from a normal distribution or from two sorts of items, most of them
easy and the rest hard. Items that share a context (a text, a graph) share a part of it with Student's t of 3 degrees of
freedom, which no design effect assumes, and contexts differ in size. A trial is answered if a logistic variable of the
run exceeds its difficulty; the level of a run is what gives its rate in a million drawn trials. The verdict is that of
longctx.gate.bands.judge on one band, at 5%.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.table import command, share, table
from longctx.gate.bands import Band, BandVerdict, judge
from longctx.stats.unpaired import Unpaired

PAGE = Path(__file__).with_name("UNPAIRED.md")
BAND = Band("line_retrieval", "short")
LARGE = 1_000_000
"""The trials from which the level of a rate is found."""
HARD = 0.3, 4.0
"""The share of hard items, and how much harder they are."""


@dataclass(frozen=True, slots=True)
class Items:
    """How the items of both runs are drawn."""

    name: str
    sorts: bool = False
    """Whether there are easy and hard items, and not one normal distribution of difficulties."""
    together: int = 1
    """About how many share a context."""
    of_context: float = 0.0
    """How much a context adds to the difficulty of its items, beside a logistic variable of the run."""


ALONE = Items("independent, of all difficulties")
SORTS = Items("independent, easy or hard", sorts=True)
PAIRS = Items("4 a context", together=4, of_context=0.8)
TENS = Items("10 a context", together=10, of_context=0.8)


@cache
def level(items: Items, rate: float) -> float:
    """Return the level at which items are answered at a rate."""
    difficulty, _ = _difficulties(items, LARGE, np.random.default_rng(1))
    return float(np.quantile(difficulty - np.random.default_rng(2).logistic(size=LARGE), rate))


def _difficulties(items: Items, trials: int, random: np.random.Generator) -> tuple[NDArray[np.float64], list[int]]:
    """Return the difficulty of each item, and where the contexts begin."""
    starts = [0]
    while items.together > 1 and starts[-1] < trials:
        starts.append(starts[-1] + int(random.integers(items.together // 2, items.together * 3 // 2 + 1)))
    if items.together == 1:
        starts, context = list(range(trials)), np.zeros(trials)
    else:
        sizes = np.diff([*starts[:-1], trials])
        context = np.repeat(items.of_context * random.standard_t(3, size=len(sizes)), sizes)
        starts = starts[:-1]
    own = HARD[1] * (random.random(trials) < HARD[0]) if items.sorts else random.standard_normal(trials)
    return own + context, starts


def drawn(items: Items, trials: int, rate: float, random: np.random.Generator) -> list[list[bool]]:
    """Return whether each trial of a run is answered, by context."""
    difficulty, starts = _difficulties(items, trials, random)
    right = (difficulty - random.logistic(size=trials) < level(items, rate)).tolist()
    return [right[start:end] for start, end in pairwise([*starts, trials])]


def gates(
    items: Items, sizes: tuple[int, int], rates: tuple[float, float], margin: float, number: int
) -> Iterator[BandVerdict]:
    """Yield the verdicts of gates. sizes, rates: of the baseline and of the run."""
    random = np.random.default_rng([*sizes, *(round(1000 * rate) for rate in rates), round(1000 * margin)])
    for _ in range(number):
        before, after = (drawn(items, size, rate, random) for size, rate in zip(sizes, rates, strict=True))
        [verdict] = judge({BAND: Unpaired.of(before, after)}, margin)
        yield verdict


RATES = 0.5, 0.8, 0.95
MARGIN = 0.1
ROWS: Sequence[tuple[Items, tuple[int, int]]] = (
    (ALONE, (200, 200)),
    (SORTS, (200, 200)),
    (ALONE, (400, 100)),
    (SORTS, (600, 600)),
    (PAIRS, (200, 200)),
    (TENS, (200, 200)),
    (TENS, (600, 600)),
    (TENS, (400, 200)),
)


@cache
def counted(items: Items, sizes: tuple[int, int], rates: tuple[float, float], number: int) -> tuple[str, str, str]:
    """Return the shares of gates that find a regression, that pass, and that show a drop of any size."""
    given = list(gates(items, sizes, rates, MARGIN, number))
    counts = [sum(one.verdict == verdict for one in given) for verdict in ("regression", "pass")]
    return share(counts[0], number), share(counts[1], number), share(sum(one.shown for one in given), number)


def errs(number: int) -> str:
    """Return how often a gate errs: alarms where nothing changed, and passes at a drop of exactly the margin."""
    rows = []
    for items, sizes in ROWS:
        for rate in RATES:
            alarms, _, _ = counted(items, sizes, (rate, rate), number)
            _, passes, _ = counted(items, sizes, (rate, rate - MARGIN), number)
            rows.append([items.name, f"{sizes[0]}, {sizes[1]}", rate, alarms, passes])
    return table(["items", "trials", "rate", "false alarms", "passes a drop of the margin"], rows)


def finds(number: int) -> str:
    """Return what a gate finds, and how often an unchanged model passes."""
    rows = []
    for items, sizes in ROWS:
        for rate in RATES:
            found = [counted(items, sizes, (rate, rate - drop), number)[2] for drop in (MARGIN, 2 * MARGIN)]
            _, passes, _ = counted(items, sizes, (rate, rate), number)
            rows.append([items.name, f"{sizes[0]}, {sizes[1]}", rate, *found, passes])
    return table(["items", "trials", "rate", "finds 10 points", "finds 20 points", "unchanged passes"], rows)


def run(number: int) -> Iterator[str]:
    yield (
        f"# Samples that share no item\n\nWritten by `python -m benchmarks.gate.unpaired`, {number:,} gates a cell of "
        "one band, at 5% and a margin of 10 points; brackets are Wilson's 95%. How they are drawn is in the module. "
        "A false alarm is a regression: a drop that is shown, and not shown to be smaller than the margin."
    )
    yield f"## How often a gate errs\n\n{errs(number)}"
    yield f"## What it finds, and what passes\n\n{finds(number)}"


if __name__ == "__main__":
    command("unpaired", __doc__, run, PAGE)
