"""A server that allows so many requests a second, and refuses what is beyond."""

from __future__ import annotations

from benchmarks.live.asked import ask
from benchmarks.live.server import serving

PER_S = 40.0
LATENCY_S = 0.5
SETTLING_S = 10.0
"""The rate counts as settled after these seconds."""


def limited(trials: int) -> list[list[str]]:
    """Rows: with and without `retry-after`, the share of the allowed rate that was used once settled, and of requests
    that were refused, before and after settling."""
    rows = []
    for says_when in (False, True):
        with serving(latency_s=LATENCY_S, per_s=PER_S, says_when=says_when) as server:
            done = ask(server.url, trials, 64)
            assert done.asked.answered == done.on_tape == trials
            reactions = server.seen().reactions
        start, end = reactions[0][0] + SETTLING_S, reactions[-1][0]
        early = [kind for at, kind in reactions if at < start]
        late = [kind for at, kind in reactions if at >= start]
        used = late.count("right") / (end - start) / PER_S
        refused = [f"{kinds.count('rate_limit') / len(kinds):.1%}" for kinds in (early, late)]
        rows.append(["`retry-after: 1`" if says_when else "no word", f"{used:.1%}", *refused])
    return rows
