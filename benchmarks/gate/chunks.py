"""Is what a run says of the number of chunks true, where the accuracies are known? `python -m benchmarks.gate.chunks`.

Each question has an ability of its own, and each answer a normal error, as in the simulated fills: a question is right
where ability and error exceed a threshold, which depends on the number of chunks.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.fills import SPREADS, threshold
from benchmarks.gate.table import command, share, table
from longctx.stats.averaged import difference
from longctx.stats.losses import MARGIN, Behind, accuracy_of_best, behind

RESULTS = Path(__file__).with_name("CHUNKS.md")
NUMBERS = (1, 4, 16, 64, 256)
ACCURACIES = (
    (0.65, 0.78, 0.85, 0.85, 0.85),
    (0.85, 0.85, 0.85, 0.85, 0.85),
    (0.75, 0.75, 0.75, 0.75, 0.85),
)
QUESTIONS = (16, 30, 60, 120)


def drawn(
    questions: int, accuracies: tuple[float, ...], spread: float, random: np.random.Generator
) -> NDArray[np.bool_]:
    """Return which questions are right, a row for each number of chunks."""
    ability = random.normal(0, spread, questions)
    return np.array([ability + random.normal(0, 1, questions) > threshold(each, spread) for each in accuracies])


def said(right: NDArray[np.bool_]) -> Mapping[float, Behind]:
    """Return what is said of each number."""
    answers = right.astype(int).tolist()
    pairs = {
        (NUMBERS[one], NUMBERS[other]): difference(
            [[((before,), (after,))] for before, after in zip(answers[one], answers[other], strict=True)]
        )
        for one, other in itertools.combinations(range(len(NUMBERS)), 2)
    }
    return behind(NUMBERS, pairs)


def true(found: Mapping[float, Behind], accuracies: tuple[float, ...]) -> bool:
    """Return whether all statements hold: how far each is behind at most, and that another one is at least as good."""
    best = max(accuracies)
    alone = accuracies.count(best) == 1
    return all(
        each.most >= best - accuracy - 1e-9 and not (each.beaten and alone and accuracy == best)
        for each, accuracy in zip(found.values(), accuracies, strict=True)
    )


def run(gates: int) -> Iterator[str]:
    yield (
        "# The number of chunks, with known accuracies\n\nWritten by `python -m benchmarks.gate.chunks`; "
        f"{gates:,} runs a line over {', '.join(map(str, NUMBERS))} chunks. True: all statements on all numbers "
        f"hold. Named: a number is named as at most {100 * MARGIN:.0f} points worse than the best; falsely: it is as "
        "much or more. The best here: how much its accuracy is above that of the number that was best, in points, as "
        "observed and corrected."
    )
    rows = []
    for accuracies, questions in itertools.product(ACCURACIES, QUESTIONS):
        random = np.random.default_rng([questions, *(round(100 * each) for each in accuracies)])
        holds = named = wrong = 0
        errors = []
        for _ in range(gates):
            right = drawn(questions, accuracies, SPREADS[1], random)
            found = said(right)
            good = [place for place, each in enumerate(found.values()) if each.most < MARGIN]
            holds += true(found, accuracies)
            named += bool(good)
            wrong += bool(good) and max(accuracies) - accuracies[good[0]] >= MARGIN - 1e-9
            best = int(right.sum(axis=1).argmax())
            errors.append(
                (right[best].mean() - accuracies[best], accuracy_of_best(right.T.tolist()) - accuracies[best])
            )
        observed, corrected = (100 * float(each) for each in np.mean(errors, axis=0))
        of = ", ".join(f"{each:.2f}" for each in accuracies)
        numbers = (share(number, gates) for number in (holds, named, wrong))
        rows.append([of, questions, *numbers, f"{observed:+.1f}", f"{corrected:+.1f}"])
    heads = ["accuracies", "questions", "true", "named", "falsely", "the best here, observed", "corrected"]
    yield table(heads, rows)


if __name__ == "__main__":
    command("chunks", __doc__, run, RESULTS)
