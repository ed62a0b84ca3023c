"""What a source claims, beside what was measured: does it hold of this model?

A claim says of which sign a difference is. It holds, or is contradicted, if the 95% interval of the difference excludes
0; else it cannot be told. The intervals are not corrected for the number of claims.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from longctx import Row, Table
from longctx.results.row import Subject
from longctx.stats.averaged import Averaged
from longctx.stats.paired import Paired, with_interval
from longctx.stats.unpaired import Unpaired

HOLDS, CONTRADICTED, OPEN = "holds", "contradicted", "cannot tell"
POWER = 0.9
"""The probability with which as many more trials as are named tell, if the difference is what it is here."""
MOST_MORE = 10_000
"""The most further trials that are named."""
NO_GAIN = 0.05
"""A change does not help if a gain of so much is ruled out."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about one subject."""

    subject: Subject
    says: str
    """What the source claims, such as `a scratchpad helps`."""
    verdict: str
    found: str
    """What was measured, with its interval."""
    n: int
    unparseable: float
    """The share of the replies that no answer could be read from."""


Difference = Paired | Averaged | Unpaired


def helps(subject: Subject, says: str, effect: Difference, replies: Sequence[Row]) -> Claim:
    """Judge the claim that a difference is a gain. replies: the replies that are compared."""
    lo, hi = effect.interval()
    verdict = HOLDS if lo > 0 else CONTRADICTED if hi < 0 else _open(effect)
    return _claim(subject, says, verdict, effect, replies)


def does_not_help(subject: Subject, says: str, effect: Difference, replies: Sequence[Row]) -> Claim:
    """Judge the claim that a difference is no gain: one of NO_GAIN is ruled out, or some gain is shown."""
    lo, hi = effect.interval()
    verdict = CONTRADICTED if lo > 0 else HOLDS if hi < NO_GAIN else _open(effect, NO_GAIN)
    return _claim(subject, says, verdict, effect, replies)


def _claim(subject: Subject, says: str, verdict: str, effect: Difference, replies: Sequence[Row]) -> Claim:
    unread = sum(row.outcome == "unparseable" for row in replies) / len(replies) if replies else 0.0
    return Claim(subject, says, verdict, with_interval(effect.difference, effect.interval()), effect.n, unread)


def _open(effect: Difference, limit: float = 0.0) -> str:
    """Return that the claim is open, and about how many more trials tell if the difference stays what it is."""
    distance = abs(effect.difference - limit)
    lo, hi = effect.interval()
    z = NormalDist().inv_cdf(0.975)
    spread = (hi - lo) / (2 * z) * math.sqrt(effect.n)
    needed = math.inf if not distance else ((z + NormalDist().inv_cdf(POWER)) * spread / distance) ** 2
    more = needed - effect.n
    if not 0 < more <= MOST_MORE:
        return f"{OPEN} (n {effect.n:,})"
    return f"{OPEN} (n {effect.n:,}, about {_rounded(more):,} more)"


def _rounded(number: float) -> int:
    """Round a number up to two digits."""
    step = int(10 ** max(0, math.floor(math.log10(number)) - 1))
    return math.ceil(number / step) * step


def claims_table(title: str, claims: Iterable[Claim]) -> Table | None:
    """Return a row for each claim; None without any."""
    every = list(claims)
    if not every:
        return None
    columns: dict[str, Sequence[object]] = {
        "claim": [claim.says for claim in every],
        "verdict": [claim.verdict for claim in every],
        "measured [95%]": [claim.found for claim in every],
        "n": [f"{claim.n:,}" for claim in every],
        "unparseable": [f"{claim.unparseable:.0%}" for claim in every],
    }
    return Table.by_subject(f"{title}: what the source claims", [claim.subject for claim in every], columns)
