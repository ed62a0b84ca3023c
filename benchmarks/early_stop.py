"""How often an early stop errs, and what it saves: simulated gates over two grids.

python -m benchmarks.early_stop

Prints the tables of EARLY_STOP.md. Both runs' answers are drawn independently of each other: no pairs of one rate
differ more, so that real ones are settled sooner. The looks use longctx.stats.sequential; the end, the gate's test.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from longctx.gate.bands import ALPHA, EARLY_SHARE, MARGIN
from longctx.live.rounds import ROUNDS, round_of
from longctx.stats.paired import tango
from longctx.stats.rates import below, wilson
from longctx.stats.sequential import against_drop, capital

GATES = 2000
CHUNK = 500
RATES = (0.5, 0.9, 0.99, 1.0)
GRIDS = {"3 bands of 400 trials": ((1, 400),) * 3, "line retrieval of `paper`": ((15, 50), (25, 50), (25, 50))}
"""The number of scenarios of each band, and the number of trials of each scenario."""

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ends:
    """The verdicts of many gates with and without early stop, and the share of trials that early stop left out."""

    early: NDArray[np.str_]
    whole: NDArray[np.str_]
    saved: NDArray[np.float64]

    def row(self) -> str:
        n = len(self.early)
        cells = []
        for verdict in ("regression", "pass"):
            cells += [with_interval(int((self.early == verdict).sum()), n), percent((self.whole == verdict).mean())]
        return " | ".join([*cells, percent(self.saved.mean()), percent((self.saved > 0).mean())])


def with_interval(found: int, n: int) -> str:
    lo, hi = wilson(found, n)
    return f"{percent(found / n)} [{100 * lo:.1f}, {100 * hi:.1f}]"


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def simulate(grid: str, before: float, drops: tuple[float, ...], gates: int = GATES) -> Ends:
    """drops: of each band, in points of its rate / 100."""
    bands = GRIDS[grid]
    sizes = np.array([scenarios * np.bincount(round_of(trials), minlength=ROUNDS) for scenarios, trials in bands]).T
    random = np.random.default_rng(0)
    parts = [_gates(random, sizes, before, drops, min(CHUNK, gates - start)) for start in range(0, gates, CHUNK)]
    return Ends(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _gates(
    random: np.random.Generator, sizes: Counts, before: float, drops: tuple[float, ...], gates: int
) -> tuple[NDArray[np.str_], NDArray[np.str_], NDArray[np.float64]]:
    """sizes: trials of each round and band."""
    after = before - np.array(drops)
    chances = np.stack([before * (1 - after), (1 - before) * after, before * after + (1 - before) * (1 - after)], -1)
    drawn = random.multinomial(sizes, np.clip(chances, 0, 1), size=(gates, *sizes.shape))
    counts = drawn.cumsum(axis=1)  # gates, rounds, bands, (lost, gained, neither)
    looks = _looks(counts[:, :-1])
    whole = np.array([_end(count, ALPHA) for count in counts[:, -1]])
    stopped = (looks != "").any(axis=1)
    left_of_alpha = ALPHA * (1 - EARLY_SHARE)
    at_end = [
        _end(last, left_of_alpha) if not verdict else "" for verdict, last in zip(stopped, counts[:, -1], strict=True)
    ]
    first = np.where(stopped, (looks != "").argmax(axis=1), 0)
    early = np.where(stopped, looks[np.arange(gates), first], at_end)
    left = 1 - sizes.sum(axis=1).cumsum() / sizes.sum()
    return early, whole, np.where(stopped, left[first], 0.0)


def _looks(counts: Counts) -> NDArray[np.str_]:
    """regression, pass or nothing at each look, as the gate finds it."""
    alpha = ALPHA * EARLY_SHARE
    p_values = np.minimum(1, 1 / capital([1, -1], counts[..., :2]))
    passes = against_drop(MARGIN, np.array([1.0, -1.0, 0.0]), counts) >= 1 / alpha
    large = counts[..., 0] - counts[..., 1] >= MARGIN * counts.sum(axis=-1)
    fallen = (_holm(p_values, alpha) & ~passes & large).any(axis=-1)
    return np.where(fallen, "regression", np.where(passes.all(axis=-1), "pass", ""))


def _end(counts: Counts, alpha: float) -> str:
    p_values = np.array([_p_value(int(lost), int(gained)) for lost, gained, _ in counts])
    passes = np.array([_passes(int(count[0]), int(count[1]), int(count.sum()), alpha) for count in counts])
    if (_holm(p_values, alpha) & ~passes).any():
        return "regression"
    return "pass" if passes.all() else "inconclusive"


def _holm(p_values: NDArray[np.float64], alpha: float) -> NDArray[np.bool_]:
    """Apply longctx.stats.rates.holm along the last axis."""
    bands = p_values.shape[-1]
    ordered = np.sort(p_values, axis=-1)
    rejected = (np.cumsum(ordered > alpha / np.arange(bands, 0, -1), axis=-1) == 0).sum(axis=-1)
    ranks: NDArray[np.int64] = p_values.argsort(axis=-1).argsort(axis=-1)
    return ranks < rejected[..., None]


@cache
def _p_value(lost: int, gained: int) -> float:
    """Return the p-value of McNemar's exact test, for independent trials."""
    return below(gained, lost + gained, 0.5)


@cache
def _passes(lost: int, gained: int, n: int, alpha: float) -> bool:
    return lost - gained < MARGIN * n and -tango(gained, lost, n, NormalDist().inv_cdf(1 - alpha))[0] < MARGIN


def main() -> None:
    questions = {
        "Nothing changed": (0.0, 0.0, 0.0),
        "A drop of 15 points in all bands": (0.15, 0.15, 0.15),
        "A drop of 15 points in the long band alone": (0.0, 0.0, 0.15),
        "A drop of the margin, 5 points, in the long band alone": (0.0, 0.0, MARGIN),
    }
    for title, drops in questions.items():
        print(f"## {title}\n")
        print("| grid | rate before | regressions | without | passes | without | trials saved | stopped |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for grid in GRIDS:
            for rate in RATES:
                print(f"| {grid} | {rate:g} | {simulate(grid, rate, drops).row()} |", flush=True)
        print()


if __name__ == "__main__":
    main()
