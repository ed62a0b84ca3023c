"""Paired outcomes of two runs: a trial is answered correctly where its latent difficulty lies below a threshold.

The difficulty is standard normal in each run, whatever its parts, so that the normal quantile of a rate is exactly its
threshold. Runs share the parts of sections, questions and trials: that is the pairing. A change of the prompt moves
whole sections, some up and some down: that is what makes the trials of a section change together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.grids import Axes, Part
from longctx.gate.bands import Band

Rates = Mapping[Band, tuple[float, float]]
"""The true rates of each band, before and after."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Of the difficulty's variance; what is left is a trial's own and repeats.

    section, question: repeat too. change: a section's own in the second run only; noise: anew in each run. The first
    run has noise in place of `change`, so that its sections spread less: the null is true of the rates and not
    symmetric, as it would be if both runs had sections of their own.
    """

    section: float
    question: float
    change: float
    noise: float

    @property
    def repeats(self) -> float:
        return 1 - self.change - self.noise


RERUN = Shares(section=0.2, question=0.2, change=0.0, noise=0.02)
"""One model twice, nearly deterministic: 98% repeat; at a rate of 0.5, 6% of the pairs differ."""
PROMPT = Shares(section=0.1, question=0.2, change=0.1, noise=0.3)
"""Another prompt: 60% repeat; at a rate of 0.5, 30% of the pairs differ."""
HARD = Shares(section=0.05, question=0.05, change=0.5, noise=0.2)
"""A change that overturns sections: 30% repeat, half of the variance is the change's."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """clusters: of each, its trials' changes, as the gate takes them. before, after: correct answers of each run."""

    clusters: list[list[int]]
    before: int
    after: int
    n: int


def draw(grid: Axes, cases: Sequence[Rates], shares: Shares, random: np.random.Generator) -> list[dict[Band, Drawn]]:
    """Return the pairs of one gate for each case of `cases`, drawn with the same difficulties."""
    pairs: list[dict[Band, Drawn]] = [{} for _ in cases]
    for block in grid.blocks:
        for part, (first, second) in _difficulties(block, shares, random):
            for rates, drawn in zip(cases, pairs, strict=True):
                before, after = rates[part.band]
                drawn[part.band] = _drawn(part, first < quantile(before), second < quantile(after))
    return pairs


def quantile(rate: float) -> np.float64:
    """Return the quantile of the standard normal; it is infinite at a rate of 1, where every trial is answered."""
    return np.float64(np.inf if rate >= 1 else NormalDist().inv_cdf(rate))


def _difficulties(
    parts: Sequence[Part], shares: Shares, random: np.random.Generator
) -> Iterator[tuple[Part, tuple[NDArray[np.float32], NDArray[np.float32]]]]:
    """Yield each part and its difficulties in both runs: (sections, questions, trials), asked or not."""
    sections = len(parts[0].questions)
    questions = max(max(part.questions) for part in parts)

    def normal(share: float, *shape: int) -> NDArray[np.float32]:
        return np.float32(np.sqrt(share)) * random.standard_normal(shape, dtype=np.float32)

    common = normal(shares.section, sections, 1, 1) + normal(shares.question, sections, questions, 1)
    moved = normal(shares.change, sections, 1, 1)
    for part in parts:
        shape = (sections, questions, part.trials)
        own = common + normal(shares.repeats - shares.section - shares.question, *shape)
        first = own + normal(shares.noise + shares.change, *shape)
        yield part, (first, own + moved + normal(shares.noise, *shape))


def _drawn(part: Part, before: NDArray[np.bool_], after: NDArray[np.bool_]) -> Drawn:
    asked = np.arange(before.shape[1]) < np.array(part.questions)[:, None]
    correct, still = int(before[asked].sum()), int(after[asked].sum())
    return Drawn(_clusters(after.astype(np.int8) - before, part.questions), correct, still, part.n)


def _clusters(changes: NDArray[np.int8], questions: Sequence[int]) -> list[list[int]]:
    """changes: (sections, questions, trials)."""
    if min(questions) == max(questions):
        whole: list[list[int]] = changes.reshape(len(questions), -1).tolist()
        return whole
    return [change[:asked].ravel().tolist() for change, asked in zip(changes, questions, strict=True) if asked]
