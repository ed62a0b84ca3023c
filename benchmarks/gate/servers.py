"""How often `longctx serving` errs, and what it finds: `python -m benchmarks.gate.servers`.

Each length of each test is a band, as in the profile `serving`. The first tenth of its trials decides whether it has
room for a loss, and is no evidence. Answers of two servers come from two generators, neither of which knows how they
are judged. The first answers a trial where a normal latent lies below a threshold, and part of the latent is the
server's own. The second gives each trial a difficulty from a beta distribution, draws some answers anew, and loses a
right answer with the same chance everywhere. In both, part of the difficulty belongs to what trials share.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.profiles import NORMAL, common
from benchmarks.gate.table import command, share, table
from longctx.engine.serving import SHARE_FIRST
from longctx.gate.bands import Band, Verdict, judge, overall
from longctx.gate.rules import MARGIN
from longctx.stats.averaged import Averaged

RESULTS = Path(__file__).with_name("SERVERS.md")
GENERATORS = 1, 2
OF_CLUSTER = 0.2
"""The share of a trial's difficulty that its cluster has, the same on both servers."""
LOSS = 2 * MARGIN
"""A loss of twice the margin, in points of accuracy."""
Answers = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Sized:
    """Tests, their lengths, and the trials of each: how many, and how many share a cluster."""

    name: str
    tests: int
    lengths: int
    trials: int = 200
    together: int = 1

    @property
    def shape(self) -> tuple[int, int]:
        return self.trials // self.together, self.together


SIX = Sized("one test at six lengths", 1, 6)
SHIPPED = Sized("the profile `serving`: four tests at four lengths", 4, 4)
FEW = Sized("six lengths, 20 distances of 10 keys each", 1, 6, together=10)
RATES = 0.6, 0.9
NOISE = 0.02, 0.06
"""The shares of the answers that differ between a server and itself."""
LINES = {
    SIX: [(rate, noise) for rate in RATES for noise in NOISE],
    SHIPPED: [(0.9, 0.02)],
    FEW: [(0.9, 0.02)],
}
"""By size, the accuracy of the old server and the noise of each line."""


def latent(
    sized: Sized, rate: float, noise: float, lost: float, random: np.random.Generator
) -> tuple[Answers, Answers]:
    """Return right answers of both servers, shape (clusters, trials of each). lost: points of accuracy."""
    shared, of_cluster = common(rate, noise), OF_CLUSTER if sized.together > 1 else 0.0
    both = np.sqrt(shared * of_cluster) * random.standard_normal((sized.shape[0], 1))
    both = both + np.sqrt(shared * (1 - of_cluster)) * random.standard_normal(sized.shape)
    before, after = (
        both + np.sqrt(1 - shared) * random.standard_normal(sized.shape) < NORMAL.inv_cdf(level)
        for level in (rate, rate - lost)
    )
    return before, after


def redrawn(
    sized: Sized, rate: float, noise: float, lost: float, random: np.random.Generator
) -> tuple[Answers, Answers]:
    """Return the same by the second generator."""
    difficulty = random.beta(4 * rate, 4 * (1 - rate), (sized.shape[0], 1) if sized.together > 1 else sized.shape)
    before = random.random(sized.shape) < difficulty
    again = random.random(sized.shape) < noise / (2 * rate * (1 - rate) * 4 / 5)  # E[p(1-p)] of the beta
    after = np.where(again, random.random(sized.shape) < difficulty, before)
    return before, after & (random.random(sized.shape) >= lost / rate)


def verdict(
    sized: Sized, generator: int, rate: float, noise: float, loses: bool, random: np.random.Generator
) -> Verdict:
    """Return the verdict on both servers. loses: whether LOSS is lost, at one length of one test."""
    bands = {}
    for place in range(sized.tests * sized.lengths):
        drawn = latent if generator == 1 else redrawn
        before, after = drawn(sized, rate, noise, LOSS if loses and not place else 0.0, random)
        changes = after.astype(int) - before
        first = sized.trials // SHARE_FIRST
        kept = changes[first:] if sized.together == 1 else changes[:, first // sized.shape[0] :]
        bands[Band(str(place % sized.tests), str(place))] = Averaged.of_changes(kept.tolist())
    return overall(band.verdict for band in judge(bands))


def counted(sized: Sized, generator: int, rate: float, noise: float, loses: bool, gates: int) -> tuple[int, int]:
    """Return how many gates are a regression, and how many pass."""
    random = np.random.default_rng((generator, loses, 5))
    verdicts = [verdict(sized, generator, rate, noise, loses, random) for _ in range(gates)]
    return verdicts.count("regression"), verdicts.count("pass")


def lines(sized: Sized, gates: int) -> str:
    rows = []
    for rate, noise in LINES[sized]:
        same = [counted(sized, generator, rate, noise, False, gates) for generator in GENERATORS]
        lost = [counted(sized, generator, rate, noise, True, gates) for generator in GENERATORS]
        counts = *(each[0] for each in same), *(each[1] for each in same), *(each[0] for each in lost)
        rows.append([rate, f"{noise:.0%}", *(share(count, gates) for count in counts)])
    heads = "same server: regression", "same server: pass", f"{100 * LOSS:g} points lost in one band: found"
    head = ["right", "answers that differ", *(f"{head}{of}" for head in heads for of in ("", ", second generator"))]
    return table(head, rows)


def run(gates: int) -> Iterator[str]:
    yield (
        f"# Two servers of one model\n\nWritten by `python -m benchmarks.gate.servers`; {gates:,} gates a line, "
        f"brackets are Wilson's 95%. {SIX.trials} trials a band, of which {SIX.trials // SHARE_FIRST} are no evidence."
    )
    for sized in LINES:
        yield f"## {sized.name[0].upper()}{sized.name[1:]}\n\n{lines(sized, gates)}"


if __name__ == "__main__":
    command("servers", __doc__, run, RESULTS, gates=2000)
