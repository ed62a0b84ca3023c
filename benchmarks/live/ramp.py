"""How long a run takes whose server answers so many requests at once, in virtual time: only the server's counts."""

from __future__ import annotations

import math
from collections.abc import Iterator

from longctx.config.project import FIRST_IN_FLIGHT, MOST_IN_FLIGHT
from tests.live.slotted import Slotted, seconds

TRIALS = 200
SERVERS = {
    "one slot": {"slots": 1},
    "one slot, spread 0.5": {"slots": 1, "spread": 0.5},
    "4 slots": {"slots": 4},
    "16 slots": {"slots": 16},
    "16 slots, spread 0.5": {"slots": 16, "spread": 0.5},
    "no limit": {"slots": math.inf},
    "no limit, spread 0.5": {"slots": math.inf, "spread": 0.5},
    "429 beyond 10": {"slots": math.inf, "bears": 10},
    "529 for 1%": {"slots": math.inf, "overloaded": 0.01},
    "529 for 5%": {"slots": math.inf, "overloaded": 0.05},
}


def ramps(runs: int) -> Iterator[list[str]]:
    """Yield rows: the server, seconds of an answer, of the run with 4 and with up to 32, most in flight, refused."""
    for name, options in SERVERS.items():
        for answer_s in (2.0, 20.0):
            seeds = range(runs if options.keys() - {"slots", "bears"} else 1)
            fixed = [seconds(Slotted(**options, answer_s=answer_s, seed=n), FIRST_IN_FLIGHT, TRIALS) for n in seeds]
            servers = [Slotted(**options, answer_s=answer_s, seed=n) for n in seeds]
            grown = [seconds(server, MOST_IN_FLIGHT, TRIALS) for server in servers]
            most, refused = [server.most for server in servers], [server.refused for server in servers]
            yield [name, f"{answer_s:g} s", *map(_shown, (fixed, grown, most, refused))]


def _shown(numbers: list[float] | list[int]) -> str:
    """Return the mean and the range."""
    mean = f"{sum(numbers) / len(numbers):,.0f}"
    return mean if len(set(numbers)) == 1 else f"{mean} ({min(numbers):,.0f} to {max(numbers):,.0f})"
