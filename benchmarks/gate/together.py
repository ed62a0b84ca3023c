"""How often a gate names documents as lost or gained together: `python -m benchmarks.gate.together`.

The answers of two runs are those of benchmarks/gate/profiles.py: normal latents, of which a part belongs to the
document and both runs, and a part to the document in one run. The list permutes the changes that it finds, and knows of
neither. A second generator draws answers another way: each document has a difficulty from a beta distribution, and a
part of the answers is drawn again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks.gate.profiles import OWN, RATES, Case, Gate, Gated, changed, draw
from benchmarks.gate.table import command, share, table
from longctx.stats.concentrated import Changed, together

RESULTS = Path(__file__).with_name("TOGETHER.md")
GATES = OWN, Gate("120 documents of 6 questions", 0.1, (Gated("documents", 720, 6),))
DROPS: Mapping[int, float] = {3: 0.04, 5: 0.07, 10: 0.14}
"""Points of a drop, and the share of the documents that all of it is in."""


def counts(case: Case, gates: int, seed: int = 11) -> tuple[int, int, int, float]:
    """Return how many gates name any document, a fallen one, and another, and the share of the fallen that is named."""
    drawn = draw(case.gate.bands[0], case, gates, np.random.default_rng(seed))
    named = fell = others = 0
    shares = 0.0
    for gate in range(gates):
        lost, gained = together(changed(drawn, gate, drawn.before.shape[1]))
        fallen = set(np.flatnonzero(drawn.fallen[gate]).tolist())
        named += bool(lost or gained)
        fell += bool(fallen & set(lost))
        others += bool(set(lost) - fallen or gained)
        shares += len(fallen & set(lost)) / max(1, len(fallen)) / gates
    return named, fell, others, shares


def drawn_again(gate: Gate, rate: float, changing: float, gates: int, seed: int = 12) -> int:
    """Return how many gates of the second generator name any document, though nothing has changed."""
    [band] = gate.bands
    documents, rng, named = band.contexts, np.random.default_rng(seed), 0
    for _ in range(gates):
        difficulty = rng.beta(4 * rate, 4 * (1 - rate), documents)[:, None].repeat(band.together, axis=1)
        before = rng.random(difficulty.shape) < difficulty
        again = rng.random(difficulty.shape) < changing / (2 * rate * (1 - rate) * 4 / 5)  # E[p(1-p)] of the beta
        after = np.where(again, rng.random(difficulty.shape) < difficulty, before)
        trials = [
            Changed(place // band.together, 0, float(was), float(now) - float(was))
            for place, (was, now) in enumerate(zip(before.ravel(), after.ravel(), strict=True))
        ]
        named += any(together(trials))
    return named


def unchanged(gates: int) -> str:
    rows = [
        [
            gate.name,
            f"{rate:g}",
            f"{changing:.0%}",
            share(counts(Case(gate, rate, changing), gates)[0], gates),
            share(drawn_again(gate, rate, changing, gates), gates),
        ]
        for gate in GATES
        for rate, shares in RATES.items()
        if rate > 0.5
        for changing in shares
    ]
    return table(["gate", "rate", "pairs that change", "names any document", "second generator"], rows)


def dropped(gates: int) -> str:
    rows = []
    for points, few in DROPS.items():
        for changing in (0.02, 0.05, 0.1):
            case = Case(OWN, 0.9, changing, {"documents": points / 100}, few)
            _, fell, others, named = counts(case, gates)
            cells = share(fell, gates), f"{named:.0%}", share(others, gates)
            rows.append([f"{points} points in {few:.0%}", f"{changing:.0%}", *cells])
    head = ["drop in documents", "pairs that change", "names one or more of them", "of them named", "names others"]
    return table(head, rows)


def run(gates: int) -> Iterator[str]:
    yield (
        f"# Documents that are lost together\n\nWritten by `python -m benchmarks.gate.together`; {gates:,} gates a "
        "line, brackets are Wilson's 95%."
    )
    yield f"## Nothing has changed\n\n{unchanged(gates)}"
    yield f"## A drop in few of 50 documents of 4 questions, asked at once, at a rate of 0.9\n\n{dropped(gates)}"


if __name__ == "__main__":
    command("together", __doc__, run, RESULTS, gates=1000)
