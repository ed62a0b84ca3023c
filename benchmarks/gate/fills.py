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
from numpy.typing import NDArray

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
            pairs = [[(tuple(before), tuple(after))] for before, after in answers]
            [loss] = Losses.of(FILLS[0], {FILLS[1]: difference(pairs)}).each
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
TOGETHER = 0.3
"""The share of the abilities' variance that the probes of a session have in common."""
LOSING = 1 / 3
"""The share of the sessions that lose, where what is lost is not spread over all."""
DESIGNS = ((1, 24), (1, 60), (5, 12), (10, 12))
"""Sessions, and probes of each."""


def normal_sessions(lost: NDArray[np.float64], probes: int, random: np.random.Generator) -> list[NDArray[np.bool_]]:
    """Return the answers at each fill, by session and probe. lost: the share that a session loses, by fill."""
    sessions, fills = lost.shape
    own = 1 - (TOGETHER if sessions > 1 else 0)
    ability = random.normal(0, SPREADS[1] * np.sqrt(1 - own), (sessions, 1))
    ability = ability + random.normal(0, SPREADS[1] * np.sqrt(own), (sessions, probes))
    limits = np.vectorize(lambda share: threshold(RATE - share, SPREADS[1]))(lost)
    return [ability + random.normal(0, 1, ability.shape) > limits[:, [fill]] for fill in range(fills)]


def coin_sessions(lost: NDArray[np.float64], probes: int, random: np.random.Generator) -> list[NDArray[np.bool_]]:
    """Return the same of probes that a model knows or guesses; the sessions differ in how many it knows."""
    sessions, fills = lost.shape
    known = random.beta(RATE / TOGETHER, (1 - RATE) / TOGETHER, (sessions, 1)).clip(1e-3, 1 - 1e-3)
    chances = random.beta(
        known if sessions > 1 else RATE, (1 - known) if sessions > 1 else 1 - RATE, (sessions, probes)
    )
    fallen = random.random(chances.shape)
    left = np.minimum(0.5, 1 - lost / RATE)  # of the chance of a probe that the model knows no more
    falling = lost / RATE / (1 - left)
    return [
        random.random(chances.shape) < np.where(fallen < falling[:, [fill]], chances * left[:, [fill]], chances)
        for fill in range(fills)
    ]


SESSIONS = {"normal": normal_sessions, "coins": coin_sessions}


def said_of(answers: Sequence[NDArray[np.bool_]], clustered: bool) -> Losses:
    """Return what is said of the answers at each fill. clustered: of other sessions, too."""
    first, *others = (np.asarray(each, dtype=int).tolist() for each in answers)
    clusters = [
        [[((one,), (other,)) for one, other in zip(*pair, strict=True)] for pair in zip(first, other, strict=True)]
        for other in others
    ]
    parts = [each if clustered else [[pair] for cluster in each for pair in cluster] for each in clusters]
    return Losses.of(FILLS[0], dict(zip(FILLS[1:], map(difference, parts), strict=False)))


def several(runs: int) -> str:
    """Return a table of what is said of several sessions of 12 probes and of others like them, at two fills."""
    rows = []
    for (name, generator), sessions, lost in itertools.product(SESSIONS.items(), (5, 10, 40), (0.0, 0.10, 0.20)):
        random = np.random.default_rng([sessions, round(100 * lost)])
        counted = np.zeros(4, dtype=int)
        for _ in range(runs):
            losing = random.random(sessions) < LOSING
            shares = np.column_stack([np.zeros(sessions), losing * lost / LOSING])
            answers = generator(shares, 12, random)
            for place, (clustered, truth) in enumerate(((False, shares[:, 1].mean()), (True, lost))):
                said = said_of(answers, clustered)
                counted[2 * place] += true(said, FILLS[1], truth)
                counted[2 * place + 1] += not said.open
        rows.append([name, sessions, f"{lost:.0%}", *(share(int(number), runs) for number in counted)])
    head = ["generator", "sessions", "lost", "these: true", "these: answered", "others: true", "others: answered"]
    return table(head, rows)


def further(runs: int) -> str:
    """Return a table of how often as many more as are named tell all fills apart.

    Each run that cannot tell goes on with what it names.
    """
    rows = []
    for (name, generator), (sessions, probes), fills, lost in itertools.product(
        SESSIONS.items(), DESIGNS, (2, 5), (0.0, 0.15)
    ):
        random = np.random.default_rng([sessions, probes, fills, round(100 * lost)])
        shares = np.array([0.0] * (fills - 1) + [lost])
        named: list[int] = []
        told = 0
        for _ in range(runs):
            answers = generator(np.tile(shares, (sessions, 1)), probes, random)
            said = said_of(answers, sessions > 1)
            if not said.open or said.more is None:
                continue
            named.append(said.more)
            added = (said.more, probes) if sessions > 1 else (1, said.more)
            more = generator(np.tile(shares, (added[0], 1)), added[1], random)
            together = [np.concatenate(both, axis=int(sessions == 1)) for both in zip(answers, more, strict=True)]
            told += not said_of(together, sessions > 1).open
        if len(named) >= runs / 10:
            design = f"{probes} probes" if sessions == 1 else f"{sessions} sessions of {probes}"
            middle = f"{np.median(named):,.0f}"
            rows.append([name, design, fills, f"{lost:.0%}", share(len(named), runs), middle, share(told, len(named))])
    head = ["generator", "asked", "fills", "lost at the last", "cannot tell", "more, median", "these tell"]
    return table(head, rows)


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
    yield (
        f"## Several sessions of 12 probes, two fills; what is lost, {LOSING:.0%} of the sessions lose\n\n"
        "These: the losses in these very sessions. Others: those in all sessions like them. True and answered: see "
        f"above. {gates // 4 or 1:,} runs a line.\n\n{several(gates // 4 or 1)}"
    )
    yield (
        '## "About N more"\n\nLines of which a tenth or more of the runs cannot tell all fills apart. These tell: with '
        f"N more probes, or sessions, no fill is left open.\n\n{further(gates // 10 or 1)}"
    )


if __name__ == "__main__":
    command("fills", __doc__, run, RESULTS, gates=2000)
