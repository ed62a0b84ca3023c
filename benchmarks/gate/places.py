"""How often a gate names a place or a cause: `python -m benchmarks.gate.places`.

Answers of two runs come from two generators, neither of which knows what is looked at. In both the noise differs by
place: the share of answers that change by chance is several times as large in one third of the context as in another.
The first draws each answer again with a chance of its place. The second gives each document a difficulty from a beta
distribution and each run of a document a luck of its own, so that its answers change together.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.table import command, share, table
from longctx.gate.where import Pattern, pattern_of
from longctx.results.row import Row
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import Kind

RESULTS = Path(__file__).with_name("PLACES.md")
TRIALS, DOCUMENTS, LENGTHS = 300, 30, (1000, 4000, 16_000)
NOISE = {"first": 0.05, "middle": 0.4, "last": 0.15}
"""The share of answers that are drawn again, by third of the context."""
CAUSES: Mapping[str, Mapping[str, int]] = {
    "are invented": {"invented": 1},
    "are stale": {"stale": 1},
    "name another line's value": {"line_distance": 1},
}
RATE = 0.8
GENERATORS = 1, 2


@dataclass(frozen=True, slots=True)
class Fault:
    """A planted fault: a share of the right answers of one place is lost."""

    name: str
    kind: str
    value: str
    share: float
    cause: str = "are invented"
    is_cause: bool = False
    """Whether the cause is what must be named."""


FAULTS = (
    Fault("the middle third is lost", "depth", "middle", 0.5),
    Fault("the first third is lost", "depth", "first", 0.4),
    Fault("the last third is lost", "depth", "last", 0.4),
    Fault("the longest is lost", "length", "made, tokens 16,000", 0.4),
    Fault("a length in between is lost", "length", "made, tokens 4,000", 0.5),
    Fault("identifiers are lost", "question", "identifier", 0.4),
    Fault("amounts are lost", "question", "amount", 0.4),
    Fault("names are lost", "question", "name", 0.4),
    Fault("values are invented, everywhere", "", "", 0.25, "are invented", True),
    Fault("other lines' values are named, everywhere", "", "", 0.25, "name another line's value", True),
)
KINDS = "identifier", "amount", "name"


@functools.cache
def row(trial: int, right: bool, cause: str) -> Row:
    """Return the answer to a trial, whose place is a function of its number."""
    outcome: Kind = "correct" if right else "wrong"
    return Row(
        run="made",
        model="made",
        prompt_set="made",
        prompt_digest="made",
        test="made",
        cell=f"tokens-{LENGTHS[trial % 3]}",
        params={"tokens": LENGTHS[trial % 3]},
        seed=0,
        trial=trial,
        item=None,
        repeat=0,
        outcome=outcome,
        band="all",
        cluster=f"document {trial % DOCUMENTS}",
        depth=(trial // 30 % 10 + 0.5) / 10,
        probe=KINDS[(trial // 7) % 3],
        trace={} if right else CAUSES[cause],
    )


@functools.cache
def third(trial: int) -> str:
    return ("first", "middle", "last")[min(2, int(3 * (trial // 30 % 10 + 0.5) / 10))]


Answers = NDArray[np.bool_]


def drawn(generator: int, rng: np.random.Generator) -> tuple[Answers, Answers]:
    """Return which answers are right in both runs of an unchanged system."""
    trials = np.arange(TRIALS)
    noise = np.array([NOISE[third(trial)] for trial in trials])
    if generator == 1:
        before = rng.random(TRIALS) < RATE
        after = np.where(rng.random(TRIALS) < noise, rng.random(TRIALS) < RATE, before)
        return before, after
    difficulty = rng.beta(4 * RATE, 4 * (1 - RATE), DOCUMENTS)[trials % DOCUMENTS]
    latent = rng.random(TRIALS)
    sides = []
    for _ in range(2):
        luck = rng.normal(0, 0.15, DOCUMENTS)[trials % DOCUMENTS] * (noise / max(NOISE.values()))
        own = np.where(rng.random(TRIALS) < noise, rng.random(TRIALS), latent)
        sides.append(own < np.clip(difficulty + luck, 0, 1))
    return sides[0], sides[1]


@functools.cache
def hit(fault: Fault, trial: int) -> bool:
    made = row(trial, True, "are stale")
    match fault.kind:
        case "depth":
            return third(trial) == fault.value
        case "length":
            return f"made, tokens {made.params['tokens']:,}" == fault.value
        case "question":
            return made.probe == fault.value
    return True


def gate(generator: int, rng: np.random.Generator, fault: Fault | None = None) -> Pattern:
    """Return what a gate says of two runs."""
    before, after = drawn(generator, rng)
    names = list(CAUSES)
    causes = rng.integers(0, len(names), (2, TRIALS))
    pairs = []
    for trial in range(TRIALS):
        now, cause = bool(after[trial]), names[causes[1, trial]]
        if fault and now and hit(fault, trial) and rng.random() < fault.share:
            now, cause = False, fault.cause
        pairs.append(Both(row(trial, bool(before[trial]), names[causes[0, trial]]), row(trial, now, cause)))
    return pattern_of(pairs)


def named(found: Pattern, fault: Fault) -> bool:
    if fault.is_cause:
        return found.cause is not None and found.cause.what == fault.cause
    place = found.place
    return place is not None and (place.kind, place.value) == (fault.kind, fault.value)


def unchanged(gates: int) -> str:
    rows = []
    for generator in GENERATORS:
        rng = np.random.default_rng(generator)
        found = [gate(generator, rng) for _ in range(gates)]
        looked, places, causes = (
            sum(bool(getattr(each, name)) for each in found) for name in ("looked_at", "place", "cause")
        )
        either = sum(bool(each.place or each.cause) for each in found)
        rows.append([str(generator), *(share(number, gates) for number in (looked, places, causes, either))])
    return table(["generator", "looked at", "names a place", "names a cause", "names either"], rows)


def planted(gates: int) -> str:
    rows = []
    for fault in FAULTS:
        cells = []
        for generator in GENERATORS:
            rng = np.random.default_rng(100 + generator)
            cells.append(share(sum(named(gate(generator, rng, fault), fault) for _ in range(gates)), gates))
        rows.append([fault.name, f"{fault.share:.0%}", *cells])
    head = ["fault", "of its right answers lost", *(f"named first, generator {number}" for number in GENERATORS)]
    return table(head, rows)


def run(gates: int) -> Iterator[str]:
    yield (
        f"# Where answers were lost, and why\n\nWritten by `python -m benchmarks.gate.places`; {gates:,} unchanged "
        f"gates a line, {gates // 20:,} with a planted fault, brackets are Wilson's 95%. Each gate has {TRIALS} "
        f"trials about {DOCUMENTS} documents, and chance changes answers "
        f"{', '.join(f'{share:.0%} in the {name} third' for name, share in NOISE.items())}."
    )
    yield f"## Nothing has changed\n\n{unchanged(gates)}"
    yield f"## A planted fault\n\n{planted(max(1, gates // 20))}"


if __name__ == "__main__":
    command("places", __doc__, run, RESULTS, gates=2000)
