"""Gates that look at their evidence in steps: price, passes and alarms, `python -m benchmarks.gate.looks`.

Trials are drawn in another way than the planner assumes: each has a probability of its own of being answered, from a
beta distribution, and every run answers it independently. The spread of that distribution sets how many pairs change
though nothing has. A drop takes the same share of every trial's probability. The boundaries, tests and bounds are those
of longctx.stats; the steps are written a second time here, in numpy, and compared with the gate's own by a test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.table import command, share, table
from longctx.stats.bound import drop_bound
from longctx.stats.looks import level_of_look, repeated_p_value
from longctx.stats.signflip import drop_p_value

RESULTS = Path(__file__).with_name("LOOKS.md")
ALPHA = 0.05
Outcomes = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Design:
    """A gate: its bands, the trials of each, its margin, and how often it looks."""

    bands: int
    trials: int
    margin: float
    looks: int


@dataclass(frozen=True, slots=True)
class Result:
    """Counts over gates."""

    gates: int
    passed: int
    found: int
    """Gates with a regression in any band."""
    band_passed: int
    """Passes of the first band, which a drop may be in."""
    price: float
    """The mean share of the trials that were asked."""


def rates(
    gates: int, bands: int, trials: int, rate: float, discordance: float, random: np.random.Generator
) -> NDArray[np.float64]:
    """Return each trial's probability of being answered; two runs differ in a share `discordance` of the trials."""
    spread = rate * (1 - rate) - discordance / 2
    if spread <= 1e-12:
        return np.full((gates, bands, trials), rate)
    size = rate * (1 - rate) / spread - 1
    return random.beta(rate * size, (1 - rate) * size, (gates, bands, trials))


def simulate(
    design: Design, rate: float, discordance: float, drops: Sequence[float], gates: int, seed: int = 1
) -> Result:
    """Return what gates do whose first bands lose `drops` of their trials."""
    random = np.random.default_rng(seed)
    chances = rates(gates, design.bands, design.trials, rate, discordance, random)
    before = random.random(chances.shape) < chances
    for band, drop in enumerate(drops):
        chances[:, band] *= 1 - drop / rate
    after = random.random(chances.shape) < chances
    return judged(design, before, after)


def judged(design: Design, before: Outcomes, after: Outcomes) -> Result:
    """Return the verdicts of gates. before, after: outcomes, shape (gates, bands, trials)."""
    gates, bands, trials = before.shape
    ends = [len(range(trials)) * look // design.looks for look in range(1, design.looks + 1)]
    lost = (before & ~after).cumsum(axis=-1)
    gained = (after & ~before).cumsum(axis=-1)
    p_values, bounds = np.ones((gates, bands)), np.ones((gates, bands))
    settled, passed = np.zeros((gates, bands), bool), np.zeros((gates, bands), bool)
    shown, asked = np.zeros((gates, bands), bool), np.zeros((gates, bands))
    for look, end in enumerate(ends, start=1):
        going = ~settled
        asked[going] = end
        now = np.stack([gained[..., end - 1][going], lost[..., end - 1][going]], axis=1)
        pairs, which = np.unique(now, axis=0, return_inverse=True)
        tests = np.array([_tests(int(g), int(lost_then), end, look, design.looks) for g, lost_then in pairs]).reshape(
            -1, 2
        )
        of_p, of_bound = tests[which.ravel()].T
        p_values[going] = np.minimum(p_values[going], of_p)
        bounds[going] = np.minimum(bounds[going], of_bound)
        shown = _holm(p_values)
        passed = bounds < design.margin
        drop = (lost - gained)[..., end - 1] / end
        settled |= passed | (shown & (drop >= design.margin)) & going
    found = (shown & ~passed).any(axis=1)
    return Result(
        gates, int(passed.all(axis=1).sum()), int(found.sum()), int(passed[:, 0].sum()), float(asked.mean() / trials)
    )


@cache
def _tests(gained: int, lost: int, n: int, look: int, looks: int) -> tuple[float, float]:
    changes = [1] * gained + [-1] * lost
    bound = drop_bound([[change] for change in changes + [0] * (n - len(changes))], level_of_look(ALPHA, look, looks))
    return repeated_p_value(drop_p_value(changes, mid=True), look, looks), bound


def _holm(p_values: NDArray[np.float64]) -> NDArray[np.bool_]:
    order = p_values.argsort(axis=1)
    steps = ALPHA / np.arange(p_values.shape[1], 0, -1)
    rejected = (np.take_along_axis(p_values, order, 1) <= steps).cumprod(axis=1).astype(bool)
    result = np.zeros_like(rejected)
    np.put_along_axis(result, order, rejected, 1)
    return result


GATE = Design(bands=7, trials=432, margin=0.075, looks=5)
FIXED = Design(bands=7, trials=360, margin=0.075, looks=1)
PR = Design(bands=2, trials=84, margin=0.15, looks=4)


def unchanged(gates: int) -> str:
    """What an unchanged model costs, and how often it passes."""
    rows = []
    for rate, discordance in (
        (0.95, 0.02),
        (0.95, 0.05),
        (0.9, 0.02),
        (0.9, 0.05),
        (0.9, 0.1),
        (0.7, 0.1),
        (0.7, 0.2),
        (0.5, 0.2),
    ):
        one, five = (simulate(design, rate, discordance, (), gates) for design in (FIXED, GATE))
        rows.append(
            [
                rate,
                f"{discordance:.0%}",
                share(one.passed, gates),
                share(five.passed, gates),
                _price(five),
                share(one.found, gates),
                share(five.found, gates),
            ]
        )
    head = [
        "rate",
        "pairs that change",
        "360 trials at once pass",
        "432 in five looks pass",
        "their price",
        "false alarms at once",
        "in looks",
    ]
    return table(head, rows)


def dropped(gates: int) -> str:
    """What is found, in one band and in all."""
    rows = []
    for discordance in (0.02, 0.1):
        for where, drops in (("one band", 1), ("three bands", 3), ("all bands", 7)):
            for drop in (0.05, 0.1, 0.15):
                one, five = (simulate(design, 0.9, discordance, [drop] * drops, gates) for design in (FIXED, GATE))
                rows.append(
                    [
                        f"{discordance:.0%}",
                        where,
                        f"{100 * drop:g} points",
                        share(one.found, gates),
                        share(five.found, gates),
                        share(five.passed, gates),
                        _price(five),
                    ]
                )
    head = [
        "pairs that change",
        "drop in",
        "of",
        "found at once",
        "found in looks",
        "passes in looks",
        "price in looks",
    ]
    return table(head, rows)


def margins(gates: int) -> str:
    """How often a band passes whose drop is exactly the margin."""
    rows = []
    for rate, discordance in ((0.95, 0.02), (0.9, 0.02), (0.9, 0.1), (0.7, 0.2), (0.5, 0.3)):
        for design in (GATE, PR):
            alone = Design(1, design.trials, design.margin, design.looks)
            one, many = (
                simulate(each, rate, discordance, [design.margin], gates)
                for each in (Design(1, alone.trials, alone.margin, 1), alone)
            )
            rows.append(
                [
                    rate,
                    f"{discordance:.0%}",
                    f"{design.margin:.1%}",
                    design.trials,
                    share(one.band_passed, gates),
                    share(many.band_passed, gates),
                ]
            )
    return table(["rate", "pairs that change", "margin", "trials", "passes at once", "passes in looks"], rows)


def _price(result: Result) -> str:
    return f"{result.price * GATE.trials / FIXED.trials:.0%}"


SHIPPED = {
    "gate-sets": Design(bands=3, trials=300, margin=0.1, looks=5),
}


def shipped(gates: int) -> str:
    """What the shipped profiles cost and find in looks. Prices are shares of the profile's own."""
    rows = []
    for name, design in SHIPPED.items():
        for rate, discordance in ((0.9, 0.05), (0.9, 0.1), (0.7, 0.2)):
            same, *fallen = (simulate(design, rate, discordance, drops, gates) for drops in ((), (0.1,), (0.15,)))
            found = [share(result.found, gates) for result in fallen]
            rows.append(
                [
                    name,
                    rate,
                    f"{discordance:.0%}",
                    share(same.passed, gates),
                    f"{same.price:.0%}",
                    share(same.found, gates),
                    *found,
                ]
            )
    head = ["profile", "rate", "pairs that change", "unchanged passes", "price", "false alarms"]
    return table([*head, "finds 10 points in one band", "15 points"], rows)


PARTS: Sequence[tuple[str, Callable[[int], str]]] = (
    ("Nothing has changed: seven bands", unchanged),
    ("The shipped profiles in looks", shipped),
    ("A drop in seven bands at a rate of 0.9", dropped),
    ("A drop of exactly the margin, in a gate of one band", margins),
)


def run(gates: int) -> Iterator[str]:
    yield (
        f"# Looks\n\nWritten by `python -m benchmarks.gate.looks`, {gates:,} gates a line; brackets are Wilson's 95%. "
        "Prices are shares of what the fixed design of 360 trials a band costs."
    )
    for title, part in PARTS:
        yield f"## {title}\n\n{part(gates)}"


if __name__ == "__main__":
    command("looks", __doc__, run, RESULTS, gates=2000)
