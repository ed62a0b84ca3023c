"""The gate on k_max: has the effective window shrunk, and does it reach a stated minimum?

Each k's pairs are both right, gained, lost or both wrong; these four shares are drawn from the posterior under a
Dirichlet prior of 1/4 each, which gives each run's rate its Jeffreys posterior and keeps the correlation of the runs.
Each draw is made non-increasing in k (effective_window.py), and k_max is read from it for both runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from longctx.families.passkey.effective_window import DRAWS, effective_window, k_max_interval, steps_reached
from longctx.stats.rates import Rate

PairOutcome = tuple[bool, bool]
"""Whether a trial was right before, and after."""


@dataclass(frozen=True, slots=True)
class Reach:
    """k_max of one run in tokens, with its 95% interval; 0 means less than the smallest k."""

    k_max: int
    interval: tuple[int, int]


@dataclass(frozen=True, slots=True)
class WindowDrop:
    """The drop of k_max in one window (tokens). bound: its upper bound in tokens, with confidence 1 - alpha.

    p_value: the share of draws in which k_max does not drop. span: the largest k of the grid.
    """

    window: int
    before: Reach
    after: Reach
    bound: int
    p_value: float
    span: int
    same_answers: bool = False
    """Whether the run replayed the baseline's own answers and judged them the same."""


@dataclass(frozen=True, slots=True)
class WindowVerdict:
    """The judgement of a window. against_minimum: None if no minimum is stated."""

    drop: WindowDrop
    verdict: Literal["pass", "regression", "inconclusive"]
    minimum: int | None
    against_minimum: Literal["pass", "regression", "inconclusive"] | None


def window_drop(
    window: int, by_k: Mapping[int, Iterable[PairOutcome]], alpha: float, same_answers: bool = False
) -> WindowDrop:
    """Compute the drop of k_max. by_k: the pairs of each k (tokens), not empty. same_answers: skips the draws."""
    ordered = sorted(by_k)
    counts = np.array([_counts(by_k[k]) for k in ordered], dtype=float)
    n = counts.sum(axis=1)
    reaches = _reach(ordered, counts[:, 0] + counts[:, 2], n), _reach(ordered, counts[:, 0] + counts[:, 1], n)
    if same_answers:
        return WindowDrop(window, *reaches, bound=0, p_value=1.0, span=ordered[-1], same_answers=True)
    random = np.random.RandomState(0)
    drawn = np.stack([random.dirichlet(row + 0.25, size=DRAWS) for row in counts], axis=1)
    steps = np.array([0, *ordered])
    before, after = (steps[steps_reached(drawn[:, :, cells].sum(axis=2), n)] for cells in ([0, 2], [0, 1]))
    drops: NDArray[np.int64] = before - after
    return WindowDrop(
        window=window,
        before=reaches[0],
        after=reaches[1],
        bound=int(np.quantile(drops, 1 - alpha, method="inverted_cdf")),
        p_value=float((1 + (drops <= 0).sum()) / (1 + DRAWS)),
        span=ordered[-1],
    )


def judge_window(drop: WindowDrop, shown: bool, margin: float, minimum: int | None = None) -> WindowVerdict:
    """Judge a drop. shown: whether it is significant, after Holm's correction. margin: a share of the largest k."""
    verdict: Literal["pass", "regression", "inconclusive"] = "inconclusive"
    if drop.bound <= margin * drop.span:
        verdict = "pass"
    elif shown:
        verdict = "regression"
    against: Literal["pass", "regression", "inconclusive"] | None = None
    if minimum is not None:
        lo, hi = drop.after.interval
        against = "pass" if lo >= minimum else "regression" if hi < minimum else "inconclusive"
    return WindowVerdict(drop, verdict, minimum, against)


def _counts(changes: Iterable[PairOutcome]) -> list[int]:
    """Count the pairs that are both right, gained, lost, and both wrong."""
    pairs = list(changes)
    return [pairs.count(kind) for kind in ((True, True), (False, True), (True, False), (False, False))]


def _reach(ordered: list[int], correct: NDArray[np.float64], n: NDArray[np.float64]) -> Reach:
    rates = {k: Rate(int(right), int(all_)) for k, right, all_ in zip(ordered, correct, n, strict=True)}
    return Reach(effective_window(rates).k_max or 0, k_max_interval(rates))
