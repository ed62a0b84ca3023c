"""Is what a run says of the fill of a window true, where the break is known? `python -m benchmarks.gate.fills`.

Each probe has an ability of its own, and each answer a normal error: a probe is right where ability and error exceed a
threshold. From the break on, the threshold is higher, so that the stated share of the probes is lost. The code under
test knows none of this: it has the changes of each probe.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np

from benchmarks.gate.table import command, share, table
from longctx.stats import paired
from longctx.stats.averaged import difference
from longctx.stats.losses import ALPHA, MARGIN, Losses
from longctx.stats.rates import Rate

RESULTS = Path(__file__).with_name("FILLS.md")
FILLS = (8000, 16000, 32000, 64000, 128000)
PROBES = (30, 60, 120)
SPREADS = (4.0, 2.0)
"""The standard deviation of the abilities, where that of an answer's error is 1."""
CASES = ((None, 0.0), (128000, 0.10), (128000, 0.15), (64000, 0.15), (32000, 0.30), (16000, 0.10))
"""The break, and what is lost from it on: none, exactly the margin, more."""
RATE = 0.85
Answers = tuple[list[list[int]], list[list[int]]]
"""Of each probe, whether each repeat was right at the first fill, and at the second."""


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
    pairs = {
        fill: difference(
            [[((one,), (other,))] for one, other in zip(first.tolist(), right[fill].tolist(), strict=True)]
        )
        for fill in FILLS[1:]
    }
    return Losses.of(FILLS[0], pairs)


def normal(items: int, repeats: int, lost: float, random: np.random.Generator) -> Answers:
    """Return the answers at two fills, the second of which loses a share: abilities and errors as above."""
    ability = random.normal(0, SPREADS[0], (items, 1))
    before, after = (
        ability + random.normal(0, 1, (items, repeats)) > threshold(RATE - fell, SPREADS[0]) for fell in (0.0, lost)
    )
    return before.tolist(), after.tolist()


def coins(items: int, repeats: int, lost: float, random: np.random.Generator) -> Answers:
    """Return the same of items that a model knows or guesses: each has a chance of its own, mostly near 0 or 1.

    From the break on, some of those that it knew are only guessed, at 1 in 2.
    """
    chances = random.beta(RATE, 1 - RATE, (items, 1))
    fallen = random.random((items, 1)) < 2 * lost / RATE
    after = np.where(fallen, chances / 2, chances)
    return tuple((random.random((items, repeats)) < each).tolist() for each in (chances, after))  # type: ignore[return-value]


def repeated(runs: int) -> str:
    """Return a table of what is ruled out and found between two fills, where each probe is answered several times."""
    rows = []
    for (name, generator), repeats, lost in itertools.product(GENERATORS.items(), (1, 3, 5), (0.0, 0.10, 0.15, 0.25)):
        random = np.random.default_rng([repeats, round(100 * lost)])
        ruled_out = shown = 0
        for _ in range(runs):
            answers = zip(*generator(60, repeats, lost, random), strict=True)
            [loss] = Losses.of(FILLS[0], {FILLS[1]: difference([pair] for pair in answers)}).each
            ruled_out += loss.bound < MARGIN
            shown += loss.significant
        rows.append([name, repeats, f"{lost:.0%}", share(ruled_out, runs), share(shown, runs)])
    return table(["generator", "repeats", "lost", f"a loss of {MARGIN:.0%} is ruled out", "a loss is found"], rows)


def strategies(runs: int) -> str:
    """Return a table of how often the intervals of what strategies keep hold, each by itself and as they are printed.

    The strategies are measured on the same probes, and lose different shares.
    """
    rows = []
    for number, probes in itertools.product((1, 2, 4), PROBES):
        random = np.random.default_rng([number, probes])
        kept = [RATE - 0.05 * place for place in range(number)]
        alone = together = 0
        for _ in range(runs):
            ability = random.normal(0, SPREADS[1], probes)
            drawn = [ability + random.normal(0, 1, probes) > threshold(each, SPREADS[1]) for each in kept]
            rates = [Rate(int(right.sum()), probes) for right in drawn]
            alone += _hold(rates, kept, 1)
            together += _hold(rates, kept, number)
        rows.append([number, probes, share(alone, runs), share(together, runs)])
    return table(["strategies", "probes", "all intervals of 95% hold", "all that are printed hold"], rows)


def _hold(rates: Sequence[Rate], kept: Sequence[float], together: int) -> bool:
    ends = [rate.interval(NormalDist().inv_cdf(1 - ALPHA / together)) for rate in rates]
    return all(low <= true <= high for (low, high), true in zip(ends, kept, strict=True))


GENERATORS = {"normal": normal, "coins": coins}


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
    before, paired.tango = paired.tango, cache(paired.tango)
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
        paired.tango = before
    yield table(["break", "change by chance", "probes", "true", "answered", "found"], rows)
    yield "## Several answers to a probe, 60 probes, two fills\n\n" + repeated(gates)
    yield "## What strategies keep at the largest fill\n\n" + strategies(gates)


if __name__ == "__main__":
    command("fills", __doc__, run, RESULTS, gates=2000)
