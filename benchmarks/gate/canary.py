"""How often a nightly canary gives alarm, and after how many nights: `python -m benchmarks.gate.canary`.

A baseline keeps its luck for the whole year, and every week asks the same items. Two generators draw how often an item
is answered right, and both let a drop hit items unequally. Latent: a drop moves the threshold of an item's difficulty.
Mean-shift: an item has a probability from a beta distribution, which a drop multiplies.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from benchmarks.gate.profiles import common
from benchmarks.gate.table import command, share, table
from longctx.stats.power import ALARM, FALSE_ALARMS, evidence

RESULTS = Path(__file__).with_name("CANARY.md")
WEEK, DROP, QUIET = 7, 0.15, 28
"""QUIET: the nights before the drop; as many follow."""
INPUT, OUTPUT, BATCH = 0.10e-6, 0.50e-6, 0.5
"""USD of a token of claude-haiku-5-5, and what a batch costs of it."""
PROMPT, REPLY, MOST = 8000, 500, 64 + 4096
"""The tokens of a prompt of canary-nightly, and of a reply: as assumed, and at the most."""
Counts = NDArray[np.int64]


def chances(
    generator: str, accuracy: float, changing: float, shape: tuple[int, ...], random: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the probability that each item is answered right before, and after, a drop."""
    if generator == "mean-shift":
        spread = changing / (2 * accuracy * (1 - accuracy))
        size = spread / (1 - spread)
        before = random.beta(accuracy * size, (1 - accuracy) * size, shape)
        return before, before * (1 - DROP / accuracy)
    shared = common(accuracy, changing)
    item = np.sqrt(shared) * random.standard_normal(shape)
    first, last = (ndtr((ndtri(right) - item) / np.sqrt(1 - shared)) for right in (accuracy, accuracy - DROP))
    return first, last


def nights(
    generator: str, accuracy: float, changing: float, trials: int, number: int, quiet: int, runs: int
) -> tuple[Counts, Counts]:
    """Return how many items each night lost and gained, shape (runs, number). quiet: the nights before a drop."""
    random = np.random.default_rng(1)
    before, after = chances(generator, accuracy, changing, (WEEK, runs, trials), random)
    baseline = random.random(before.shape) < before
    lost, gained = np.zeros((2, runs, number), np.int64)
    for night in range(number):
        day = night % WEEK
        right = random.random((runs, trials)) < (before if night < quiet else after)[day]
        lost[:, night] = (baseline[day] & ~right).sum(axis=1)
        gained[:, night] = (right & ~baseline[day]).sum(axis=1)
    return lost, gained


@cache
def least_lost(gained: int) -> int:
    """Return how many lost items give alarm beside so many gained ones."""
    lost = gained
    while evidence(lost, gained) < ALARM:
        lost += 1
    return lost


def alarms(lost: Counts, gained: Counts) -> NDArray[np.bool_]:
    """Return on which nights the evidence of any bet is enough, as `longctx.stats.power.watch` has it."""
    enough = np.array([least_lost(number) for number in range(WEEK * int(gained.max()) + 1)])
    found = np.zeros(lost.shape, bool)
    of_lost, of_gained = lost.copy(), gained.copy()
    for back in range(WEEK):
        if back:
            of_lost[:, back:] += lost[:, :-back]
            of_gained[:, back:] += gained[:, :-back]
        found |= of_lost >= enough[of_gained]
    return found


def noticed(
    generator: str, accuracy: float, changing: float, trials: int, runs: int
) -> tuple[tuple[int, int], NDArray[np.int64]]:
    """Return the years with an alarm and all alarms of an unchanged model, and the night of each drop's first alarm.

    An alarm that lasts for several nights counts once. A drop that is not noticed has a night far away.
    """
    quiet = alarms(*nights(generator, accuracy, changing, trials, 365, 365, runs))
    begins = quiet.copy()
    begins[:, 1:] &= ~quiet[:, :-1]
    after = alarms(*nights(generator, accuracy, changing, trials, 2 * QUIET, QUIET, runs))[:, QUIET:]
    first = np.where(after.any(axis=1), after.argmax(axis=1) + 1, 1000)
    return (int(begins.any(axis=1).sum()), int(begins.sum())), first


def price(trials: int, reply: int) -> str:
    return f"{100 * trials * BATCH * (PROMPT * INPUT + reply * OUTPUT):.1f}"


def lines(runs: int) -> Iterator[list[str]]:
    for generator in ("latent", "mean-shift"):
        for accuracy, changing in ((0.9, 0.05), (0.9, 0.1), (0.8, 0.1), (0.7, 0.2)):
            for trials in (20, 56):
                (years, number), first = noticed(generator, accuracy, changing, trials, runs)
                week = int((first <= WEEK).sum())
                about = generator, f"{accuracy:g}", f"{changing:.0%}", str(trials)
                median = np.median(first)
                nights_until = f"{median:g}" if median < 1000 else f"more than {QUIET}"
                alarm = share(years, runs), f"{number / runs:.4f}"
                yield [*about, price(trials, REPLY), price(trials, MOST), *alarm, share(week, runs), nights_until]


def run(runs: int) -> Iterator[str]:
    yield (
        "# A nightly canary\n\nWritten by `python -m benchmarks.gate.canary`; "
        f"{runs:,} years of an unchanged model and {runs:,} drops of {DROP:.0%} a line; brackets are Wilson's 95%. "
        "Each night of a week asks other items, and each week the same. By construction an unchanged model gives "
        f"at most {FALSE_ALARMS:g} alarms a year. Cents are of a night in batches on claude-haiku-5-5, prompts of "
        f"{PROMPT:,} tokens and replies of {REPLY} or of at most {MOST:,}, thinking included."
    )
    head = ["generator", "accuracy", "pairs that change", "trials a night", "cents", "cents at most"]
    head += ["years with a false alarm", "false alarms a year"]
    yield table([*head, f"{DROP:.0%} noticed within {WEEK} nights", "median nights"], lines(runs))


if __name__ == "__main__":
    command("canary", __doc__, run, RESULTS, gates=2000)
