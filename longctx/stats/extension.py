"""How many trials decide, those that were seen among them: their evidence counts, whatever the further ones show.

Further trials are answered once. They are taken to be as unlucky as one in ten: the normal approximation of that
quantile is added to what was seen, and the gate's own bound and test, approximated for clusters, judge the sum.
"""

from __future__ import annotations

import math
from collections import Counter
from statistics import NormalDist, fmean

from longctx.stats.averaged import Averaged
from longctx.stats.averaged import score as averaged_score
from longctx.stats.bound import expected_over_clusters
from longctx.stats.paired import score
from longctx.stats.search import fewest


def trials_to_rule_out(seen: Averaged, margin: float, alpha: float, often: float) -> int | None:
    """Return about how many trials rule a drop of the margin out, with probability `often`, if nothing changes in
    those that are not seen yet; None for more than search.MOST_TRIALS.

    alpha: the level at which all of them are judged.
    """
    n, effect, z, luck = seen.n, seen.effect, _quantile(1 - alpha), _quantile(often)
    discordance, size = _discordance(seen), n / len(seen.answers) if n else 1.0
    known: Counter[float] = Counter()
    for change, count in seen.change_counts.items():
        known[round(change, 9)] += count
    lost_so_far = -math.fsum(known.elements())

    def ruled_out(more: int) -> bool:
        total, changed = n + more, discordance * more / effect
        lost = min(changed, (changed + luck * math.sqrt(changed)) / 2)
        weights = {change: count / effect for change, count in known.items()}
        for change, weight in (1, changed - lost), (-1, lost), (0, more / effect - changed):
            weights[change] = weights.get(change, 0.0) + weight
        if _score(weights, margin) <= z:
            return False
        if size == 1:
            return True
        spread = math.sqrt(discordance * effect / total)
        unlucky = (lost_so_far + luck * math.sqrt(discordance * effect * more)) / total
        bound = unlucky + expected_over_clusters(total / size, spread, z)
        return bound < margin and score(0, 0, total / size, -margin) > z

    more = fewest(ruled_out)
    return None if more is None else n + more


def trials_to_show(seen: Averaged, alpha: float, often: float) -> int | None:
    """Return about how many trials show a drop, with probability `often`, if those that are not seen yet lose as much
    as those that were seen; None for more than search.MOST_TRIALS.

    alpha: the level at which all of them are tested.
    """
    n, effect, drop = seen.n, seen.effect, -seen.difference
    gained = max(seen.gained / n, 0.5 / (n + 2))
    changed = min(1.0, 2 * gained + drop)
    variance = max(0.0, changed - drop * drop)
    squares = math.fsum(change * change for change in seen.change_counts.elements())
    z, luck = _quantile(1 - alpha), _quantile(often)

    def shown(more: int) -> bool:
        lost = drop * (n + more) - luck * math.sqrt(variance * effect * more)
        return lost >= z * math.sqrt((squares + changed * more) * effect)

    more = fewest(shown)
    return None if more is None else n + more


def _quantile(share: float) -> float:
    return NormalDist().inv_cdf(share)


def _discordance(seen: Averaged) -> float:
    """Return the mean square of the change of a trial that is answered once, as if one more trial had changed."""
    squares: Counter[float] = Counter()
    for (before, after), count in seen.counts.items():
        squares[fmean((answer - fmean(before)) ** 2 for answer in after)] += count
    return (math.fsum(squares.elements()) + 1) / (seen.n + 2)


def _score(weights: dict[float, float], margin: float) -> float:
    if weights.keys() <= {-1, 0, 1}:
        return score(weights.get(1, 0.0), weights.get(-1, 0.0), math.fsum(weights.values()), -margin)
    return averaged_score(weights, -margin)
