"""How often an unchanged model passes against one baseline and another: `python -m benchmarks.gate.lucky`.

A baseline keeps its luck: every gate against it meets the same answers. Many gates are drawn against each baseline, by
the two generators of benchmarks/gate/creep.py, judged once, and compared with what `baseline save` prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.creep import GENERATORS
from benchmarks.gate.profiles import ALPHA, common
from benchmarks.gate.runs import scores
from benchmarks.gate.table import command, share, table
from longctx.gate.power import OFTEN, Assumed, Target, unlucky, whole_passing

RESULTS = Path(__file__).with_name("LUCKY.md")
TRIALS, MARGIN, GATES = 360, 0.075, 100
"""GATES: against each baseline."""
TOGETHER = 50
"""Baselines that are drawn at a time."""


def chances(generator: str, rate: float, changing: float, baselines: int, random: np.random.Generator) -> NDArray:  # type: ignore[type-arg]
    """Return the probability that each item is answered right, shape (baselines, items)."""
    if generator == "mean-shift":
        spread = changing / (2 * rate * (1 - rate))
        size = spread / (1 - spread)
        return random.beta(rate * size, (1 - rate) * size, (baselines, TRIALS))
    shared = common(rate, changing)
    item = np.sqrt(shared) * random.standard_normal((baselines, TRIALS))
    own = (NormalDist().inv_cdf(rate) - item) / np.sqrt(1 - shared)
    grid = np.linspace(-8, 8, 4001)
    return np.interp(own, grid, [NormalDist().cdf(each) for each in grid])


def passing(generator: str, rate: float, changing: float, runs: int, baselines: int) -> NDArray:  # type: ignore[type-arg]
    """Return the share of the gates against each baseline that pass."""
    random, z, shares = np.random.default_rng(1), NormalDist().inv_cdf(1 - ALPHA), []
    for _ in range(baselines // TOGETHER):
        right = chances(generator, rate, changing, TOGETHER, random)
        before = random.binomial(runs, right)
        after = random.random((TOGETHER, GATES, TRIALS), dtype=np.float32) < right[:, None]
        changes = runs * after - before[:, None] + runs
        counts = np.stack([(changes == change).sum(axis=2) for change in range(2 * runs + 1)], axis=2)
        passes = scores(counts.reshape(-1, 2 * runs + 1), MARGIN) > z
        shares.append(passes.reshape(TOGETHER, GATES).mean(axis=1))
    return np.concatenate(shares)


def lucky(gates: int) -> str:
    rows = []
    for generator in GENERATORS:
        for rate, changing in ((0.9, 0.05), (0.9, 0.1), (0.7, 0.2)):
            for runs in (1, 2, 3):
                shares = passing(generator, rate, changing, runs, gates)
                band, target = [(TRIALS, TRIALS, Assumed(changing))], Target(MARGIN, looks="once")
                printed = f"{whole_passing(band, target, runs):.1%}", f"{unlucky(band, target, runs):.1%}"
                simulated = f"{shares.mean():.1%}", share(int((shares < OFTEN).sum()), len(shares))
                what = generator, f"{rate:g}", f"{changing:.0%}", str(runs)
                rows.append([*what, simulated[0], printed[0], simulated[1], printed[1], f"{shares.min():.0%}"])
    head = ["generator", "rate", "pairs that change", "runs of the baseline", "passes", "as printed"]
    return table([*head, f"baselines with passes in less than {OFTEN:.0%}", "as printed", "the unluckiest"], rows)


def run(gates: int) -> Iterator[str]:
    yield (
        "# Lucky and unlucky baselines\n\nWritten by `python -m benchmarks.gate.lucky`; "
        f"{gates:,} baselines of one band of {TRIALS} trials a line, with {GATES} gates of an unchanged model against "
        f"each, a margin of {MARGIN:g}, judged once; brackets are Wilson's 95%."
    )
    yield f"## How often an unchanged model passes\n\n{lucky(gates)}"


if __name__ == "__main__":
    command("lucky", __doc__, run, RESULTS, gates=2000)
