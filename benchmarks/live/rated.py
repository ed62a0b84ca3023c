"""The share of an allowed rate that a whole run uses, its beginning included; virtual time."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2

from tests.live.slotted import HOST, Slotted, ask
from tests.recording.examples import line_cell

RATES = (10.0, 0.5), (40.0, 0.5), (10.0, 2.0), (2.0, 2.0)
"""The requests a second that are allowed, and the seconds of an answer."""
MINUTE_S = 60.0


@dataclass(slots=True)
class Rated(Slotted):
    """A server that allows so many requests a second, those of one second at once."""

    per_s: float = 1.0
    says_when: bool = False
    _left: float = 1.0
    _at: float = 0.0

    async def answer(self, request: httpx2.Request) -> httpx2.Response:
        now = asyncio.get_running_loop().time()
        self._left, self._at = min(self.per_s, self._left + (now - self._at) * self.per_s), now
        if self._left < 1:
            return self._refusal(request, 429, {"retry-after": "1"} if self.says_when else {})
        self._left -= 1
        return await Slotted.answer(self, request)


def rates() -> Iterator[list[str]]:
    """Yield rows: the rate, seconds of an answer, what comes with a 429, the share of the rate, the number refused."""
    for per_s, answer_s in RATES:
        for says_when in (False, True):
            server = Rated(math.inf, answer_s, 0.5, per_s=per_s, says_when=says_when, _left=per_s)
            trials = int(per_s * MINUTE_S)
            assert ask([line_cell(trials=trials)], {HOST: server}, 64).answered == trials
            share = (trials - per_s) / per_s / (server.ended - answer_s)
            word = "`retry-after: 1`" if says_when else "no word"
            yield [f"{per_s:g} a second", f"{answer_s:g} s", word, f"{share:.0%}", f"{server.refused:,}"]
