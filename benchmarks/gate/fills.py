"""Is what a run says of the fill of a window true, where the break is known? `python -m benchmarks.gate.fills`.

Each probe has an ability of its own, and each answer a normal error: a probe is right where ability and error exceed a
threshold. From the break on, the threshold is higher, so that the stated share of the probes is lost. The code under
test knows none of this: it has the changes of each probe.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np

from benchmarks.gate.table import command, share, table
from longctx.stats import losses
from longctx.stats.losses import MARGIN, Losses

RESULTS = Path(__file__).with_name("FILLS.md")
FILLS = (8000, 16000, 32000, 64000, 128000)
PROBES = (30, 60, 120)
SPREADS = (4.0, 2.0)
"""The standard deviation of the abilities, where that of an answer's error is 1."""
CASES = ((None, 0.0), (128000, 0.10), (128000, 0.15), (64000, 0.15), (32000, 0.30), (16000, 0.10))
"""The break, and what is lost from it on: none, exactly the margin, more."""
RATE = 0.85


@cache
def threshold(rate: float, spread: float) -> float:
    """Return where ability and error together exceed in a share `rate` of the answers."""
    return -NormalDist(0, float(np.hypot(1, spread))).inv_cdf(rate)


def drawn(probes: int, at: int | None, lost: float, spread: float, random: np.random.Generator) -> Losses:
    """Return what is said of one simulated run."""
    ability = random.normal(0, spread, probes)
    right = {
        fill: ability + random.normal(0, 1, probes)
        > threshold(RATE - (lost if at is not None and fill >= at else 0.0), spread)
        for fill in FILLS
    }
    first = right[FILLS[0]].astype(int)
    changes = {fill: [(float(change),) for change in right[fill] - first] for fill in FILLS[1:]}
    return Losses.of(FILLS[0], changes)


def true(said: Losses, at: int | None, lost: float) -> bool:
    """Return whether everything that is said is true."""
    truth = {each.value: lost if at is not None and each.value >= at else 0.0 for each in said.each}
    return all(truth[each.value] < MARGIN - 1e-9 for each in said.ruled_out) and all(
        each.interval[0] <= truth[each.value] <= each.interval[1] for each in said.lost
    )


def found(said: Losses, at: int | None) -> bool:
    """Return whether the break is found: a loss from it on, and none of the margin before it."""
    before = [each.value for each in said.each if at is None or each.value < at]
    return [each.value for each in said.ruled_out][: len(before)] == before and (
        at is None or any(each.value >= at for each in said.lost)
    )


def run(gates: int) -> Iterator[str]:
    yield (
        "# The fill of a window, with a known break\n\nWritten by `python -m benchmarks.gate.fills`; "
        f"{gates:,} runs a line over fills of {', '.join(f'{fill:,}' for fill in FILLS)} tokens, {RATE:.0%} right "
        "before the break. True: all statements of the sentence hold. Answered: no fill is left open. Found: a loss is "
        "ruled out up to the break, and shown at it or beyond; without a break, a loss is ruled out everywhere."
    )
    rows = []
    before, losses.tango = losses.tango, cache(losses.tango)
    try:
        for spread, (at, lost), probes in itertools.product(SPREADS, CASES, PROBES):
            random = np.random.default_rng([probes, at or 0, round(100 * lost), round(spread)])
            said = [drawn(probes, at, lost, spread, random) for _ in range(gates)]
            changed = np.mean([each.each[0].gained + each.each[0].lost for each in said])
            counted = (
                sum(true(each, at, lost) for each in said),
                sum(not each.open for each in said),
                sum(found(each, at) for each in said),
            )
            where = "none" if at is None else f"{lost:.0%} from {at:,} on"
            rows.append(
                [
                    where,
                    "" if at == FILLS[1] else f"{changed:.0%}",
                    probes,
                    *(share(number, gates) for number in counted),
                ]
            )
    finally:
        losses.tango = before
    yield table(["break", "change by chance", "probes", "true", "answered", "found"], rows)


if __name__ == "__main__":
    command("fills", __doc__, run, RESULTS, gates=2000)
