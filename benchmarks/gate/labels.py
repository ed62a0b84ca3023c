"""A judge that treats the later model otherwise, and what labels of a run's own answers change:
`python -m benchmarks.gate.labels`.

People label the answers whose grade changed or is wrong twice, and RIGHT_TWICE of the pairs that are right twice. The
generators are those of judges.py whose errors can differ between runs: independent, and documents of which the judge
misreads some more often than others. CHANGING of the answers change by chance, half of them each way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.judges import PER_DOCUMENT, Bools, errors_of
from benchmarks.gate.table import command, share, table
from longctx.gate.labels import RIGHT_TWICE
from longctx.gate.rules import ALPHA
from longctx.stats.averaged import Averaged
from longctx.stats.labelled import Labelled, RightTwice

RESULTS = Path(__file__).with_name("LABELS.md")
PAIRS, DROP, CHANGING, LABELS = 300, 0.1, 0.05, 300
ON_RIGHT, ON_WRONG = 0.05, 0.1
GENERATORS = "independent", "documents"
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Treatment:
    """How a judge treats the later model's answers."""

    name: str
    on_right: float = ON_RIGHT
    on_wrong: float = ON_WRONG


EQUAL = Treatment("as before")
TREATMENTS = (
    EQUAL,
    *(Treatment(f"lenient, calls {rate:.0%} of wrong ones right", on_wrong=rate) for rate in (0.2, 0.3, 0.5)),
    Treatment("harsh, calls 12% of right ones wrong", on_right=0.12),
)


@dataclass(slots=True)
class Counts:
    """How many gates pass, or show a regression."""

    by_grades: int = 0
    corrected: int = 0
    labelled: int = 0
    regressions: int = 0
    labelled_regressions: int = 0
    pairs: int = 0
    """Those that people labelled."""


def drawn(
    name: str, accuracy: float, drop: float, treatment: Treatment, random: np.random.Generator
) -> tuple[Bools, Bools]:
    """Return what people and the judge say of the answers of both runs, shape (2, PAIRS)."""
    clustered = name == "documents"
    size = PER_DOCUMENT if clustered else 1
    number = PAIRS // size
    right = np.repeat(random.beta(9 * accuracy, 9 * (1 - accuracy), number), size) if clustered else accuracy
    misread = np.repeat(random.beta(0.5, 0.5, number) * 2, size) if clustered else 1.0
    before = random.random(PAIRS) < right
    gained = random.random(PAIRS) < CHANGING / 2 / (1 - accuracy)
    lost = random.random(PAIRS) < (drop + CHANGING / 2) / accuracy
    human = np.stack([before, np.where(before, ~lost, gained)])
    on_right, on_wrong = (
        [[one], [other]] for one, other in ((ON_RIGHT, treatment.on_right), (ON_WRONG, treatment.on_wrong))
    )
    return human, human ^ (random.random((2, PAIRS)) < np.where(human, on_right, on_wrong) * misread)


def in_clusters(changes: Ints, places: Ints, size: int) -> Averaged:
    """Return the changes at some places by the document that they are about."""
    clusters: dict[int, list[float]] = {}
    for place in places.tolist():
        clusters.setdefault(place // size, []).append(int(changes[place]))
    return Averaged.of_changes(clusters.values())


def labelled(human: Bools, said: Bools, size: int, random: np.random.Generator) -> tuple[Labelled, int]:
    """Return the evidence by labels, and how many pairs have them."""
    changes, right_twice = human[1].astype(np.int64) - human[0], said.all(axis=0)
    sample = random.permutation(np.flatnonzero(right_twice))[:RIGHT_TWICE]
    known = in_clusters(np.where(right_twice, 0, changes), np.arange(PAIRS), size)
    number = int(right_twice.sum())
    return Labelled(known, [RightTwice(number, in_clusters(changes, sample, size))]), PAIRS - number + len(sample)


def counted(name: str, accuracy: float, drop: float, treatment: Treatment, gates: int) -> Counts:
    random, clustered, found = np.random.default_rng(1), name == "documents", Counts()
    size = PER_DOCUMENT if clustered else 1
    for _ in range(gates):
        human, said = drawn(name, accuracy, drop, treatment, random)
        pairs = in_clusters(said[1].astype(np.int64) - said[0], np.arange(PAIRS), size)
        bound, (own, number) = pairs.drop_bound(ALPHA), labelled(human, said, size, random)
        of_texts, graded = (each[0] for each in drawn(name, accuracy, 0.0, EQUAL, random))
        errors = errors_of(of_texts[:LABELS], graded[:LABELS], clustered)
        found.by_grades += bound < DROP
        found.corrected += (errors.drop_bound(pairs.difference, bound, ALPHA) if errors.usable else bound) < DROP
        found.labelled += own.drop_bound(ALPHA) < DROP
        found.pairs += number
        if not drop:
            found.regressions += bound >= DROP and pairs.drop_p_value(mid=not clustered) <= ALPHA
            found.labelled_regressions += own.drop_bound(ALPHA) >= DROP and own.drop_p_value() <= ALPHA
    return found


def passes(gates: int, drop: float) -> str:
    rows = []
    for name in GENERATORS:
        for accuracy in (0.7, 0.9):
            for treatment in TREATMENTS:
                of = counted(name, accuracy, drop, treatment, gates)
                counts = [of.by_grades, of.corrected, of.labelled]
                if not drop:
                    counts += [of.regressions, of.labelled_regressions]
                cells = [share(count, gates) for count in counts]
                rows.append([name, accuracy, treatment.name, *cells, round(of.pairs / gates)])
    heads = ["passes by its grades", f"corrected by {LABELS} labels of other texts", "with labels of the run"]
    if not drop:
        heads += ["regression by its grades", "regression with labels of the run"]
    return table(["generator", "accuracy", "later answers", *heads, "labelled pairs"], rows)


def run(gates: int) -> Iterator[str]:
    yield (
        f"# Labels of a run's own answers\n\nWritten by `python -m benchmarks.gate.labels`, {gates:,} gates a line of "
        f"{PAIRS} pairs at a margin of {DROP:.0%}; brackets are Wilson's 95%. The judge calls {ON_RIGHT:.0%} of right "
        f"and {ON_WRONG:.0%} of wrong answers of the earlier model wrongly. {CHANGING:.0%} of pairs change by chance."
    )
    yield f"## A drop of {DROP:.0%}\n\n" + passes(gates, DROP)
    yield "## Nothing has changed\n\n" + passes(gates, 0.0)


if __name__ == "__main__":
    command("labels", __doc__, run, RESULTS, gates=1200)
