"""How often what is corrected for a judge's errors holds: `python -m benchmarks.gate.judges`.

Three generators draw judges. Independent: errors are independent of all but whether an answer is right, as corrections
assume. Borderline: people and judge see the quality of an answer, the judge less exactly and from another threshold,
so that its errors are those on borderline answers, and change as the model does. Documents: the judge misreads answers
about some documents more often than others, and labels and trials come in documents.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import NormalDist, median

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.table import command, share, table
from longctx.gate.rules import ALPHA
from longctx.stats.averaged import Averaged
from longctx.stats.judge_errors import JudgeErrors, Limited, kappa, limited
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate

RESULTS = Path(__file__).with_name("JUDGES.md")
TRIALS, DROP, WITHIN = 400, 0.1, 0.05
PER_DOCUMENT = 5
ERRORS = ((0.05, 0.1), (0.1, 0.2))
"""The judge's error rates on right and on wrong answers."""
ABOUT = "generator", "accuracy", "errors on right / wrong answers", "labels"
SHARED = 0.8
"""The correlation of the qualities of two answers to one question."""
NORMAL = NormalDist()
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Truth:
    """accuracy: the true one. on_right, on_wrong: the judge's error rates. labels: how many answers have one."""

    accuracy: float
    on_right: float
    on_wrong: float
    labels: int

    @property
    def shown(self) -> float:
        """The accuracy by the judge."""
        return self.accuracy * (1 - self.on_right) + (1 - self.accuracy) * self.on_wrong


@cache
def reading(truth: Truth) -> tuple[float, float]:
    """Return how inexactly a judge reads the quality, and its threshold, for these error rates at this accuracy."""
    mean = NORMAL.inv_cdf(truth.accuracy)
    quality = np.linspace(0, mean + 8, 4001)
    weights = np.exp(-((quality - mean) ** 2) / 2)

    def threshold(noise: float) -> float:
        return float(mean - NORMAL.inv_cdf(truth.shown) * np.hypot(1, noise))

    low, high = 1e-3, 20.0
    for _ in range(50):
        noise = (low + high) / 2
        wrong = [NORMAL.cdf((threshold(noise) - each) / noise) for each in quality[::20]]
        wrong_rate = np.average(wrong, weights=weights[::20])
        low, high = (low, noise) if wrong_rate > truth.on_right else (noise, high)
    return low, threshold(low)


def borderline(truth: Truth, n: int, random: np.random.Generator, drop: float = 0.0) -> tuple[Bools, Bools]:
    """Return what people and the judge say of answers, shape (2, n): those of two runs, of which the latter fell."""
    noise, threshold = reading(truth)
    means = [NORMAL.inv_cdf(truth.accuracy - fell) for fell in (0, drop)]
    common = np.sqrt(SHARED) * random.standard_normal(n)
    own = np.sqrt(1 - SHARED) * random.standard_normal((2, n))
    quality = common + own + np.array(means)[:, None]
    return quality > 0, quality + noise * random.standard_normal((2, n)) > threshold


def documents(truth: Truth, n: int, random: np.random.Generator, drop: float = 0.0) -> tuple[Bools, Bools]:
    """Return the same of answers about documents, PER_DOCUMENT each, which differ in how often the judge misreads."""
    number = -(-n // PER_DOCUMENT)
    misread = np.repeat(random.beta(0.5, 0.5, number) * 2, PER_DOCUMENT)[:n]  # a mean of 1
    right = np.repeat(random.beta(9 * truth.accuracy, 9 * (1 - truth.accuracy), number), PER_DOCUMENT)[:n]
    first = random.random(n) < right
    human = np.stack([first, first & (random.random(n) >= drop / truth.accuracy)])
    error = np.where(human, truth.on_right, truth.on_wrong) * misread
    flips = random.random((2, n)) < error
    return human, human ^ flips


def independent(truth: Truth, n: int, random: np.random.Generator, drop: float = 0.0) -> tuple[Bools, Bools]:
    """Return the same of answers that have nothing in common, and that the judge misreads independently."""
    first = random.random(n) < truth.accuracy
    human = np.stack([first, first & (random.random(n) >= drop / truth.accuracy)])
    flips = random.random((2, n)) < np.where(human, truth.on_right, truth.on_wrong)
    return human, human ^ flips


GENERATORS = {"borderline": borderline, "documents": documents, "independent": independent}


def rate(held: Bools, clustered: bool, kept: Bools | None = None) -> Rate:
    """Return the rate of what held, of those that are kept."""
    places = np.arange(len(held)) if kept is None else np.flatnonzero(kept)
    return Rate.of((int(at) // PER_DOCUMENT if clustered else int(at), int(at), int(held[at])) for at in places)


def errors_of(human: Bools, judge: Bools, clustered: bool) -> JudgeErrors:
    return JudgeErrors(rate(~judge, clustered, human), rate(judge, clustered, ~human))


def holds(interval: Limited, value: float) -> bool:
    return interval[1] - 1e-9 <= value <= interval[2] + 1e-9


def true_kappa(truth: Truth) -> float:
    same = 1 - truth.accuracy * truth.on_right - (1 - truth.accuracy) * truth.on_wrong
    chance = truth.accuracy * truth.shown + (1 - truth.accuracy) * (1 - truth.shown)
    return (same - chance) / (1 - chance)


@dataclass(slots=True)
class Found:
    """In how many runs an interval held, and how wide those were that say anything."""

    shown: int = 0
    corrected: int = 0
    kappa: int = 0
    shown_difference: int = 0
    difference: int = 0
    known: int = 0


def simulated(name: str, truth: Truth, runs: int) -> tuple[Found, list[float], list[float]]:
    """Return how often each interval held, and the widths of the corrected ones."""
    random, generator, clustered = np.random.default_rng(1), GENERATORS[name], name == "documents"
    found, widths, wide = Found(), list[float](), list[float]()
    expected = true_kappa(truth)
    for _ in range(runs):
        human, said = (each[0] for each in generator(truth, truth.labels, random))
        errors, same = errors_of(human, said, clustered), rate(human == said, clustered)
        _, judged = generator(truth, TRIALS, random, DROP)
        shown = rate(judged[0], clustered)
        corrected = errors.accuracy(limited(shown))
        found.shown += holds(limited(shown), truth.accuracy)
        found.corrected += holds(corrected, truth.accuracy)
        found.kappa += holds(kappa([(str(a), str(b)) for a, b in zip(said, human, strict=True)], same), expected)
        alone = errors.accuracy((shown.rate, shown.rate, shown.rate))
        found.known += errors.usable and max(alone[0] - alone[1], alone[2] - alone[0]) <= WITHIN
        pairs = Paired(int((judged[1] & ~judged[0]).sum()), int((judged[0] & ~judged[1]).sum()), TRIALS)
        change = pairs.difference, *pairs.interval()
        apart = errors.difference(change)
        found.shown_difference += holds(change, -DROP)
        found.difference += holds(apart, -DROP)
        widths.append(corrected[2] - corrected[1])
        wide.append(apart[2] - apart[1])
    return found, widths, wide


def about(name: str, truth: Truth) -> tuple[str, ...]:
    return name, f"{truth.accuracy:g}", f"{truth.on_right:.0%} / {truth.on_wrong:.0%}", str(truth.labels)


def lines(runs: int) -> Iterator[list[str]]:
    for name in GENERATORS:
        for accuracy in (0.7, 0.9):
            for on_right, on_wrong in ERRORS:
                for labels in (30, 100, 300):
                    truth = Truth(accuracy, on_right, on_wrong, labels)
                    found, widths, wide = simulated(name, truth, runs)
                    counts = found.shown, found.corrected, found.shown_difference, found.difference, found.kappa
                    held = [share(count, runs) for count in counts]
                    yield [
                        *about(name, truth),
                        *held[:2],
                        f"{median(widths):.2f}",
                        *held[2:4],
                        f"{median(wide):.2f}",
                        held[4],
                        share(found.known, runs),
                    ]


def decided(name: str, truth: Truth, drop: float, runs: int) -> tuple[int, int]:
    """Return how often a gate passes by the judge's grades, and without its errors. Its margin is DROP."""
    random, generator, clustered = np.random.default_rng([1, truth.labels]), GENERATORS[name], name == "documents"
    size = PER_DOCUMENT if clustered else 1
    by_grades = corrected = 0
    for _ in range(runs):
        human, said = (each[0] for each in generator(truth, truth.labels, random))
        errors = errors_of(human, said, clustered)
        _, judged = generator(truth, TRIALS, random, drop)
        pairs = Averaged.of_changes((judged[1].astype(int) - judged[0]).reshape(-1, size).tolist())
        bound = pairs.drop_bound(ALPHA)
        by_grades += bound < DROP
        corrected += (errors.drop_bound(pairs.difference, bound, ALPHA) if errors.usable else bound) < DROP
    return by_grades, corrected


def verdicts(runs: int) -> str:
    rows = []
    for name, accuracy, errors, labels in itertools.product(GENERATORS, (0.7, 0.9), ERRORS, (100, 300)):
        truth = Truth(accuracy, *errors, labels)
        counts = (count for drop in (DROP, 0.0) for count in decided(name, truth, drop, runs))
        rows.append([*about(name, truth), *(share(count, runs) for count in counts)])
    head = [
        f"passes a drop of {DROP:.0%} by its grades",
        "corrected",
        "passes unchanged by its grades",
        "unchanged, corrected",
    ]
    return table([*ABOUT, *head], rows)


def run(runs: int) -> Iterator[str]:
    yield (
        "# Judges that err, and what labels correct\n\nWritten by `python -m benchmarks.gate.judges`; "
        f"{runs:,} runs a line, {TRIALS} trials each, of a model whose true accuracy then falls by {DROP:.0%}. How "
        "often the 95% interval of the judge's own accuracy and difference, and that without its errors, holds the "
        "true value; brackets are Wilson's 95%. Widths are medians. The last column says in how many runs the labels "
        f"are enough to know the accuracy to {WITHIN:.0%}."
    )
    head = [
        *ABOUT,
        "judge's accuracy",
        "corrected",
        "width",
        "judge's difference",
        "corrected",
        "width",
        "kappa",
        "known well enough",
    ]
    yield table(head, lines(runs))
    yield f"## The verdict at a margin of {DROP:.0%}\n\n" + verdicts(runs)


if __name__ == "__main__":
    command("judges", __doc__, run, RESULTS, gates=2000)
