"""Faults of every kind, and runs that are killed: what is lost, and what is paid twice."""

from __future__ import annotations

from collections import Counter

from benchmarks.live.asked import ask
from benchmarks.live.server import serving
from tests.misbehaving import PAID

FAULTY = 0.2
TIMEOUT_S = 3.0
IN_FLIGHT = 64


def storm(trials: int) -> list[list[str]]:
    """Return what became of each trial while 20% of the answers were faulty."""
    with serving(faults=FAULTY, latency_s=0.05) as server:
        done = ask(server.url, trials, IN_FLIGHT, timeout_s=TIMEOUT_S)
        seen = server.seen()
    kinds = Counter(kind for _, kind in seen.reactions)
    spoilt = sum(number for kind, number in kinds.items() if kind in PAID and kind != "right")
    failed = Counter(failure.cause for failure in done.asked.failures.values())
    assert done.asked.stopped is None, done.asked.stopped
    return [
        ["trials", str(trials)],
        ["requests", f"{len(seen.reactions):,}"],
        ["faulty answers", f"{len(seen.reactions) - kinds['right']:,}, of {len(kinds) - 1} kinds"],
        ["measured, on the tape", f"{done.on_tape:,}"],
        ["typed infra errors", ", ".join(f"{cause}: {number}" for cause, number in failed.items()) or "0"],
        ["lost", str(trials - done.on_tape - len(done.asked.failures))],
        ["answers that were right and arrived", f"{kinds['right']:,}"],
        ["asked again after a right answer", f"{kinds['right'] - done.on_tape:,}"],
        ["answers spoilt on their way, which a server would charge for", f"{spoilt:,}"],
    ]
