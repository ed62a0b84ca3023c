"""Releases that each lose a little and become the next baseline, with an anchor: `python -m benchmarks.gate.creep`.

Every release is gated against the one before, and against the first, which is the anchor, on the trials that the looks
at the former asked. Two generators draw whether a trial is right. Latent: an item's difficulty is below the threshold
of the release's rate, and part of it is drawn anew in each release. Mean-shift: an item has a probability from a beta
distribution, which each release multiplies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.profiles import ALPHA, Bools, Evidence, Gate, Gated, Ints, common, judged
from benchmarks.gate.runs import holm
from benchmarks.gate.table import command, share, table
from longctx.gate.bands import RUN_MARGIN
from longctx.stats.group_sequential import planned

RESULTS = Path(__file__).with_name("CREEP.md")
RATE, RELEASES = 0.9, 4
ONE = Gate("one band of 432", 0.075, (Gated("a", 432),), "early")
SEVEN = Gate("seven bands of 432", 0.075, tuple(Gated(name, 432) for name in "abcdefg"), "early")
Draw = Callable[[int, int, float, NDArray[np.float64], np.random.Generator], NDArray[np.int8]]
"""Draws the answers of releases of the given rates: shape (releases, gates, trials)."""


def latent(gates: int, trials: int, changing: float, rates: NDArray[np.float64], random: np.random.Generator) -> Ints:
    shared = common(RATE, changing)
    item = np.sqrt(shared) * random.standard_normal((gates, trials), dtype=np.float32)
    own = np.sqrt(1 - shared) * random.standard_normal((len(rates), gates, trials), dtype=np.float32)
    thresholds = np.array([NormalDist().inv_cdf(rate) for rate in rates])
    return (item + own < thresholds[:, None, None]).astype(np.int8)


def mean_shift(
    gates: int, trials: int, changing: float, rates: NDArray[np.float64], random: np.random.Generator
) -> Ints:
    spread = changing / (2 * RATE * (1 - RATE))  # of a beta distribution: 2 p (1 - p) has the mean `changing`
    sum_of_both = spread / (1 - spread)
    item = random.beta(RATE * sum_of_both, (1 - RATE) * sum_of_both, (gates, trials)).astype(np.float32)
    drawn = random.random((len(rates), gates, trials), dtype=np.float32)
    return (drawn < item * (rates / RATE)[:, None, None]).astype(np.int8)


GENERATORS: dict[str, Draw] = {"latent": latent, "mean-shift": mean_shift}


def since_anchor(gate: Gate, changes: list[Ints], asked: Ints, beside: int) -> Bools:
    """Return in which gates a drop since the anchor is a regression. asked: how many trials of each band."""
    looks = planned(gate.plan, gate.bands[0].trials, gate.bands[0].trials, gate.margin, ALPHA)
    ends = looks.ends(gate.bands[0].trials)
    shape = asked.shape
    p_values, of_run, passed, small = np.ones(shape), np.ones(shape[0]), np.zeros(shape, bool), np.zeros(shape[0], bool)
    for look, end in enumerate(ends, start=1):
        level, at_look = looks.level(ALPHA, look), asked >= end
        evidence = [Evidence.of(of_band[:, :end]) for of_band in changes]
        for at, of_band in enumerate(evidence):
            here = at_look[:, at]
            p_values[here, at] = np.minimum(p_values[here, at], of_band[here].p_values(look, looks))
            passed[:, at] |= here & of_band.excludes(gate.margin, level)
        parts = [
            (Evidence.of(of_band[:, :to]), (asked[:, at] == to) | ((asked[:, at] > to) & (to == end)))
            for at, of_band in enumerate(changes)
            for to in ends[:look]
        ]
        together, here = Evidence.together(*zip(*parts, strict=True)), at_look.any(axis=1)
        of_run[here] = np.minimum(of_run[here], together[here].p_values(look, looks))
        small |= here & together.excludes(RUN_MARGIN, level)
    others = np.ones((shape[0], beside))
    with_run = shape[1] > 1
    tested = holm(np.column_stack([p_values, *([of_run] if with_run else []), others]))
    found = (tested[:, : shape[1]] & ~passed).any(axis=1)
    return found | (tested[:, shape[1]] & ~small) if with_run else found


def not_stopped(
    gate: Gate, generator: Draw, changing: float, drop: float, everywhere: bool, anchored: bool, gates: int
) -> Ints:
    """Return how many chains of releases are still going after each release. drop: of each release."""
    random, falling = np.random.default_rng(1), drop * np.arange(RELEASES + 1)
    releases = [
        generator(gates, band.trials, changing, RATE - falling * (everywhere or place == 0), random)
        for place, band in enumerate(gate.bands)
    ]
    hypotheses = len(gate.bands) + 1
    going, left = np.ones(gates, bool), []
    for release in range(1, RELEASES + 1):
        changes = [(of_band[release] - of_band[release - 1])[..., None] for of_band in releases]
        result = judged(gate, changes, beside=hypotheses if anchored and release > 1 else 0)
        stopped = result.found
        if anchored and release > 1:
            changes = [(of_band[release] - of_band[0])[..., None] for of_band in releases]
            stopped = stopped | since_anchor(gate, changes, result.asked, hypotheses)
        going &= ~stopped
        left.append(int(going.sum()))
    return np.array(left)


@cache
def creeping(gates: int) -> str:
    rows = []
    for name, generator in GENERATORS.items():
        for gate, everywhere in ((ONE, True), (SEVEN, False), (SEVEN, True)):
            for changing in (0.05, 0.1):
                for points in (0, 3) if not everywhere or gate is ONE else (3,):
                    found = [
                        not_stopped(gate, generator, changing, points / 100, everywhere, anchored, gates)
                        for anchored in (False, True)
                    ]
                    cells = [share(int(of[after - 1]), gates) for of in found for after in (2, 4)]
                    where = "nothing" if not points else f"{points} points {'in all' if everywhere else 'in one'}"
                    rows.append([name, gate.name, f"{changing:.0%}", where, *cells])
    head = ["generator", "gate", "pairs that change", "each release loses"]
    head += [f"{how}, after {after}" for how in ("baseline alone", "with an anchor") for after in (2, 4)]
    return table(head, rows)


def run(gates: int) -> Iterator[str]:
    yield (
        "# Releases that each lose a little\n\nWritten by `python -m benchmarks.gate.creep`; "
        f"{gates:,} chains of {RELEASES} releases a line, brackets are Wilson's 95%. Each release becomes the next "
        f"baseline; the first is the anchor. The rate of the first is {RATE}, the looks are those of `early`."
    )
    yield f"## Chains of releases that are not stopped\n\n{creeping(gates)}"


if __name__ == "__main__":
    command("creep", __doc__, run, RESULTS, gates=2000)
