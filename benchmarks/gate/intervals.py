"""How often printed intervals hold the true rate where trials share something: `python -m benchmarks.gate.intervals`.

Each cluster shifts the log-odds of its trials by a normal draw, and each trial by one of its own; repeats of a trial
have its chance. The true rate is the mean over all clusters that could have been drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.gate.table import command, share, table
from longctx.gate.minimum import ALPHA
from longctx.gate.usage import median_growth
from longctx.stats.rates import Rate
from longctx.vocabulary.both import Both

RESULTS = Path(__file__).with_name("INTERVALS.md")


@dataclass(frozen=True, slots=True)
class Design:
    """Trials in clusters. among, within: the standard deviation of the log-odds among clusters, and of their trials."""

    clusters: int
    trials: int
    repeats: int
    among: float
    within: float

    def __str__(self) -> str:
        return f"{self.clusters} × {self.trials}" + (f" × {self.repeats} repeats" if self.repeats > 1 else "")


DESIGNS = (
    Design(200, 1, 1, 0, 1.5),
    Design(86, 24, 1, 1.0, 1.0),
    Design(86, 24, 1, 2.0, 0.5),
    Design(30, 6, 1, 1.0, 1.0),
    Design(15, 10, 1, 1.0, 1.0),
    Design(10, 30, 1, 1.0, 1.0),
    Design(8, 20, 1, 1.0, 1.0),
    Design(6, 10, 1, 1.0, 1.0),
    Design(4, 4, 1, 1.0, 1.0),
    Design(50, 1, 3, 0, 3.0),
    Design(50, 1, 5, 0, 3.0),
    Design(50, 1, 10, 0, 3.0),
    Design(20, 1, 5, 0, 3.0),
)
RATES = (0.5, 0.8, 0.9, 0.95)


@lru_cache(maxsize=64)
def center(rate: float, spread: float) -> float:
    """Return the mean log-odds at which the mean chance is `rate`."""
    drawn = np.random.default_rng(2).normal(0, spread, 200_000)
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if (1 / (1 + np.exp(-middle - drawn))).mean() > rate else (middle, high)
    return (low + high) / 2


def drawn(design: Design, rate: float, random: np.random.Generator) -> Rate:
    """Return the rate of one simulated run."""
    of_cluster = random.normal(0, design.among, (design.clusters, 1))
    odds = of_cluster + random.normal(0, design.within, (design.clusters, design.trials))
    chances = 1 / (1 + np.exp(-center(rate, float(np.hypot(design.among, design.within))) - odds))
    right = random.random((*chances.shape, design.repeats)) < chances[..., None]
    return Rate.of((cluster, (cluster, trial), int(value)) for (cluster, trial, _), value in np.ndenumerate(right))


def coverage(design: Design, rate: float, runs: int) -> tuple[int, int, int]:
    """Return in how many runs the plain interval, and that of the effective number, hold the rate, and how many runs
    are shown to be below it as a minimum."""
    random = np.random.default_rng(1)
    plain = held = short = 0
    for _ in range(runs):
        found = drawn(design, rate, random)
        independent = Rate(found.correct, found.n)
        plain += independent.lo <= rate <= independent.hi
        held += found.lo <= rate <= found.hi
        short += found.p_below(rate) <= ALPHA
    return plain, held, short


def latencies(runs: int) -> str:
    """Return a table of how often a limit fires, or passes, where the median latency grew by exactly the limit, 0.2.

    Seconds have a log-normal distribution, or that of answers of which two in five think first.
    """
    rows = []
    for trials, of_item, thinking in itertools.product((40, 100, 300), (0.0, 0.5), (False, True)):
        random = np.random.default_rng([trials, round(10 * of_item), thinking])
        fires = passes = 0
        for _ in range(runs):
            shared = random.normal(0, of_item, trials)
            both = random.normal(0, 0.3, (2, trials)) + (random.random((2, trials)) < 0.4) * thinking
            before, after = np.exp(shared + both)
            growth = median_growth(list(map(Both, before.tolist(), (1.2 * after).tolist())), 2 * ALPHA)
            assert growth is not None
            fires, passes = fires + (growth.lo > 0.2), passes + (growth.hi <= 0.2)
        some = "two in five think" if thinking else "log-normal"
        rows.append([trials, some, f"{of_item:g}", share(fires, runs), share(passes, runs)])
    return table(["trials", "seconds", "of the item", "fires", "passes"], rows)


def run(runs: int) -> Iterator[str]:
    yield (
        "# Intervals where trials share something\n\nWritten by `python -m benchmarks.gate.intervals`; "
        f"{runs:,} runs a line. How often the 95% interval holds the true rate, as if all trials were independent and "
        "at the effective number of trials; and how often a run at exactly its minimum rate fails it (5% at most)."
    )
    rows = []
    for design in DESIGNS:
        for rate in RATES:
            plain, held, short = coverage(design, rate, runs)
            rows.append([str(design), f"{rate:g}", share(plain, runs), share(held, runs), share(short, runs)])
    head = ["clusters × trials", "rate", "as if independent", "effective number", "fails its minimum"]
    yield table(head, rows)
    yield (
        "## A limit of the growth of latency, at exactly the limit\n\nFires: 5% at most. Of the item: the standard "
        f"deviation of the logarithm that both runs share.\n\n{latencies(runs)}"
    )


if __name__ == "__main__":
    command("intervals", __doc__, run, RESULTS)
