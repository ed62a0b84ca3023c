"""What a gate finds and passes, one factor at a time, from two generators: `python -m benchmarks.gate.factors`.

shift: each trial has a probability of its own of being answered, from a beta distribution, and every run answers it
independently; a drop takes its share of every probability. latent: a trial is answered if a normal latent exceeds a
threshold, which a drop raises; a part of the latent repeats from run to run. What trials have in common (a context, or
the answer that several checks are about) makes a share of them meet the same luck in a run. The steps of the gate are
those of profiles.py and runs.py, which their tests compare with the gate's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.profiles import PR, Gate, Gated, calibrated, common, judged
from benchmarks.gate.runs import Design, Rule, tallied_up
from benchmarks.gate.runs import judged as judged_in_runs
from benchmarks.gate.table import command, sections, share, table
from longctx.gate.bands import Band, judge
from longctx.gate.rules import ALPHA
from longctx.stats.group_sequential import planned
from longctx.stats.unpaired import Unpaired

RESULTS = Path(__file__).with_name("FACTORS.md")
NORMAL = NormalDist()
ALIKE = 0.22
"""The share of the trials of a context that meet the same luck in a run: their changes correlate by about 0.05."""
OF_ANSWER = 0.7
"""That of the checks of an answer."""
FAR = 3.0
"""Two generators differ where their shares are so many standard errors apart."""
Answers = tuple[NDArray[np.int8], NDArray[np.int8]]
"""Of the baseline, summed over its runs, and of the run: (gates, contexts, trials of each)."""


@dataclass(frozen=True, slots=True)
class Case:
    """A band, and what falls."""

    rate: float = 0.9
    changing: float = 0.05
    drop: float = 0.0
    trials: int = 432
    together: int = 1
    """The trials of a context."""
    documents: float | None = None
    """The share of the contexts that all of a drop is in."""
    runs: int = 1
    """Of the baseline."""
    alike: float = ALIKE
    first: bool = False
    """Whether only the first trial of each context falls."""

    @property
    def shape(self) -> tuple[int, int]:
        return self.trials // self.together, self.together


def lost_in(case: Case, gates: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Return which share of each trial's right answers is lost: (gates, contexts, trials of each), or 1s."""
    share_lost = case.drop / case.rate
    if case.documents:
        number = round(case.documents * case.shape[0])
        fallen = random.permuted(np.broadcast_to(np.arange(case.shape[0]) < number, (gates, case.shape[0])), axis=1)
        return (fallen * share_lost * case.shape[0] / number)[..., None]
    return np.where(np.arange(case.together) == 0, share_lost, 0.0 if case.first else share_lost)[None, None]


def shift(case: Case, gates: int, random: np.random.Generator) -> Answers:
    shape = gates, *case.shape
    own = (gates, case.shape[0], 1) if case.first else shape
    spread = case.rate * (1 - case.rate) - case.changing / 2
    chances = np.full(own, case.rate)
    if spread > 1e-9:
        size = case.rate * (1 - case.rate) / spread - 1
        chances = random.beta(case.rate * size, (1 - case.rate) * size, own)

    def answered(of: NDArray[np.float64]) -> NDArray[np.bool_]:
        luck = random.random(shape)
        if case.together > 1:
            luck = np.where(random.random(shape) < case.alike, random.random(shape[:2])[..., None], luck)
        return luck < of

    before = sum(answered(chances).astype(np.int8) for _ in range(case.runs))
    return before, answered(chances * (1 - lost_in(case, gates, random))).astype(np.int8)  # type: ignore[return-value]


def latent(case: Case, gates: int, random: np.random.Generator) -> Answers:
    shape, in_context = (gates, *case.shape), (gates, case.shape[0], 1)
    repeats = common(case.rate, case.changing)
    of_context = OF_ANSWER if case.first else calibrated(case.rate, case.changing) if case.together > 1 else 0.0

    def normal(variance: float, of: float) -> NDArray[np.float32]:
        drawn = np.float32(np.sqrt(variance * (1 - of))) * random.standard_normal(shape, dtype=np.float32)
        return drawn + np.float32(np.sqrt(variance * of)) * random.standard_normal(in_context, dtype=np.float32)

    both = normal(repeats, OF_ANSWER if case.first else 0.3 if case.together > 1 else 0.0)
    threshold, lost = -NORMAL.inv_cdf(case.rate), lost_in(case, gates, random)
    before = sum((both + normal(1 - repeats, of_context) > threshold).astype(np.int8) for _ in range(case.runs))
    if case.documents:
        after = (both + normal(1 - repeats, of_context) > threshold) & ~(random.random(shape) < lost)
    else:
        raised = np.array([-NORMAL.inv_cdf(case.rate * (1 - part)) for part in lost[0, 0].tolist()])
        after = both + normal(1 - repeats, of_context) > raised
    return before, after.astype(np.int8)  # type: ignore[return-value]


GENERATORS: Sequence[Callable[[Case, int, np.random.Generator], Answers]] = (shift, latent)
NAMES = tuple(generator.__name__ for generator in GENERATORS)
BANDS, MARGIN = 4, 0.075
BASE = Case()
GATE = Gate("", MARGIN, tuple(Gated(str(place), BASE.trials) for place in range(BANDS)), "early")
Counts = tuple[int, int]
"""Gates that find a regression, and that pass."""


@cache
def gates_of(case: Case, fallen: int, gate: Gate, generator: int, gates: int) -> Counts:
    """Return what gates do of which the first bands fall."""
    random = np.random.default_rng(1)
    drawn = []
    for place, band in enumerate(gate.bands):
        of_band = replace(case, trials=band.trials, together=band.together, drop=case.drop * (place < fallen))
        before, after = GENERATORS[generator](of_band, gates, random)
        drawn.append(after - before)
    result = judged(gate, drawn)
    return int(result.found.sum()), int((result.passed.all(axis=1) & ~result.found).sum())


def far(counts: Sequence[int], gates: int) -> str:
    """Return by how many points the second share differs from the first; empty if that may be chance."""
    one, two = (count / gates for count in counts)
    error = np.sqrt(max(one * (1 - one) + two * (1 - two), 1 / gates) / gates)
    return f"{100 * (two - one):+.1f}" if abs(two - one) > FAR * error else ""


VARIED: Sequence[tuple[str, Case, int]] = (
    *((f"{100 * changing:g}% change", replace(BASE, changing=changing), 0) for changing in (0.05, 0.02, 0.1, 0.15)),
    *((f"rate {rate:g}", replace(BASE, rate=rate), 0) for rate in (0.5, 0.7, 0.8, 0.95, 0.97)),
)
FALLS = replace(BASE, drop=0.1)
DOCUMENTS = replace(BASE, together=4, documents=0.07)
LINES: Sequence[tuple[str, str, Case, int]] = (
    *(("nothing falls", name, case, fallen) for name, case, fallen in VARIED),
    ("10 points in one band", "the base case", FALLS, 1),
    *(("10 points in one band", name, replace(case, drop=0.1), 1) for name, case, _ in VARIED[1:]),
    ("10 points in one band", "20% change, rate 0.85", replace(FALLS, changing=0.2, rate=0.85), 1),
    *((f"{drop:g} points in one band", "", replace(BASE, drop=drop / 100), 1) for drop in (5, 7.5, 15, 25)),
    *((f"{drop:g} points in one protocol", "", replace(BASE, drop=drop / 100), 2) for drop in (5, 7.5, 10)),
    *((f"{drop:g} points everywhere", "", replace(BASE, drop=drop / 100), BANDS) for drop in (3, 5, 10)),
    *(
        (f"{drop:g} points in 7% of documents", "4 trials each", replace(DOCUMENTS, drop=drop / 100), 1)
        for drop in (3, 5)
    ),
)


def factors(gates: int) -> str:
    rows = []
    for what, varied, case, fallen in LINES:
        gate = replace(GATE, bands=tuple(replace(band, together=case.together) for band in GATE.bands))
        counts = [gates_of(case, fallen, gate, place, gates) for place in (0, 1)]
        cells = [[share(of[which], gates) for of in counts] for which in (0, 1)]
        apart = [far([of[which] for of in counts], gates) for which in (0, 1)]
        rows.append([what, varied, *cells[0], apart[0], *cells[1], apart[1]])
    heads = [head for what in ("found", "passes") for head in (*(f"{what}, {name}" for name in NAMES), "differ by")]
    return table(["what falls", "varied", *heads], rows)


NOISES = (0.9, 0.05), (0.9, 0.1), (0.7, 0.2)


def one_band(case: Case, margin: float, plan: str, generator: int, gates: int) -> int:
    gate = Gate("", margin, (Gated("0", case.trials, case.together),), plan)  # type: ignore[arg-type]
    return gates_of(replace(case, drop=margin), 1, gate, generator, gates)[1]


def checks(case: Case, margin: float, generator: int, gates: int) -> int:
    """Return how often a gate of three checks of the same answers passes where the first falls by the margin."""
    of_checks = replace(case, drop=margin, together=3, trials=3 * case.trials, first=True, alike=OF_ANSWER)
    before, after = GENERATORS[generator](of_checks, gates, np.random.default_rng(1))
    gate = Gate("", margin, tuple(Gated(str(place), case.trials) for place in range(3)), "early")
    result = judged(gate, [(after - before)[:, :, place : place + 1] for place in range(3)])
    return int((result.passed.all(axis=1) & ~result.found).sum())


def shards(case: Case, margin: float, generator: int, gates: int) -> int:
    """Return the same of a merged gate. Shards ask their bands as far as one gate does, or further."""
    return gates_of(replace(case, drop=margin), 1, replace(GATE, margin=margin), generator, gates)[1]


def three_runs(case: Case, margin: float, generator: int, gates: int) -> int:
    before, after = GENERATORS[generator](replace(case, drop=margin, runs=3), gates, np.random.default_rng(1))
    looks = planned("early", case.trials, case.trials, margin, ALPHA)
    sides = (side.reshape(gates, 1, -1) for side in (before, after))
    return judged_in_runs(tallied_up(*sides, 3, looks), Design(1, case.trials, margin, looks), Rule(None)).band_passed


def unpaired(case: Case, margin: float, generator: int, gates: int) -> int:
    """Return how often a band passes whose items do not correspond, in contexts of 4."""
    of_contexts = replace(case, together=4, drop=margin)
    before, after = (
        GENERATORS[generator](of_contexts, gates, np.random.default_rng(seed))[side] for side, seed in enumerate((1, 2))
    )
    passed = 0
    for sides in zip(before.astype(bool).tolist(), after.astype(bool).tolist(), strict=True):
        [verdict] = judge({Band("0", "all"): Unpaired.of(*sides)}, margin)
        passed += verdict.verdict == "pass"
    return passed


def everywhere(case: Case, margin: float, generator: int, gates: int) -> int:
    """Return how often `gate-pr` passes where all bands fall by its margin of all together."""
    assert margin == PR.run_margin
    alone = replace(PR, bands=tuple(replace(band, together=1) for band in PR.bands))
    return gates_of(replace(case, drop=margin), len(PR.bands), alone, generator, gates)[1]


Passed = Callable[[Case, float, int, int], int]
KINDS: Sequence[tuple[str, Case, float, Passed]] = (
    ("432 single trials", BASE, MARGIN, lambda *of: one_band(of[0], of[1], "early", *of[2:])),
    ("108 contexts of 4", replace(BASE, together=4), MARGIN, lambda *of: one_band(of[0], of[1], "early", *of[2:])),
    ("unpaired, 100 contexts of 4 each", replace(BASE, trials=400), 0.1, unpaired),
    ("one of 3 checks of 432 answers", BASE, MARGIN, checks),
    ("a baseline of 3 runs", BASE, MARGIN, three_runs),
    ("one of 4 bands, merged shards", BASE, MARGIN, shards),
    ("`gate-pr`, all bands", BASE, 0.075, everywhere),
)
SETS = (40, 0.25), (80, 0.15), (120, 0.125), (200, 0.1)


def false_passes(gates: int) -> str:
    """A drop of exactly the margin."""
    lines = [
        (name, replace(case, rate=rate, changing=changing), margin, passed)
        for name, case, margin, passed in KINDS
        for rate, changing in NOISES
    ]
    few: Passed = lambda *of: one_band(of[0], of[1], "few", *of[2:])  # noqa: E731  # one of a table of functions
    lines += [
        (f"a set of {trials} cases", Case(rate, changing, trials=trials), margin, few)
        for trials, margin in SETS
        for rate, changing in NOISES[:: len(NOISES) - 1]
    ]
    rows = []
    for name, case, margin, passed in lines:
        counts = [passed(case, margin, place, gates) for place in (0, 1)]
        cells = [share(count, gates) for count in counts]
        rows.append([name, f"{margin:.1%}", f"{case.rate:g}", f"{case.changing:.0%}", *cells, far(counts, gates)])
    return table(["what is judged", "margin and drop", "rate", "pairs that change", *NAMES, "differ by"], rows)


PARTS: Sequence[tuple[str, Callable[[int], str]]] = (
    ("False passes: a drop of exactly the margin", false_passes),
    ("One factor at a time", factors),
)


def run(gates: int) -> Iterator[str]:
    yield (
        "# One factor at a time, from two generators\n\nWritten by `python -m benchmarks.gate.factors`; "
        f"{gates:,} gates a cell, brackets are Wilson's 95%. How {' and '.join(NAMES)} draw is in the module; *differ "
        f"by* has the points by which they do, where that is more than {FAR:g} standard errors. The base case: {BANDS} "
        f"bands of {BASE.trials} trials, a margin of {MARGIN:.1%}, early looks, a rate of {BASE.rate:g}, "
        f"{BASE.changing:.0%} of pairs changing. Where they differ, it is in how many answers are gained by chance "
        "beside a drop: fewer in `latent`, so that a drop of the same size is shown more often, and passes less often."
    )
    yield from sections(PARTS, gates)


if __name__ == "__main__":
    command("factors", __doc__, run, RESULTS, gates=2000)
