"""How likely is the gate to show a drop, and to pass what has not changed, with n paired trials?

Both probabilities are exact for independent trials: they are summed over the number of discordant pairs (O. S.
Miettinen, "The matched pairs design in the case of all-or-none responses", Biometrics 24, 1968). For clustered trials,
n is their effective number (stats/bound.py), and the result is approximate.

What human labels show about a judge, and the accuracy by the judge, corrected for its errors.

The estimate is that of W. J. Rogan and B. Gladen, "Estimating prevalence from the results of a screening test",
American Journal of Epidemiology 107, 1978: where the true accuracy is a, the judge shows s = a (1 - r) + (1 - a) w,
with its error rates r on right and w on wrong answers. The interval contains each a for which that of
s - a (1 - r) - (1 - a) w contains 0. The latter comes from the intervals of s, r and w by G. Y. Zou and A. Donner,
"Construction of confidence limits about effect measures: A general approach", Statistics in Medicine 27, 2008. So it
stays within 0 and 1, and respects clusters as these do. A difference that the judge shows is 1 - r - w times the true
one.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from longctx.stats.binomial import Tail, binomial_pmf, tails
from longctx.stats.bound import expected_over_clusters
from longctx.stats.group_sequential import Looks
from longctx.stats.paired import score
from longctx.stats.rates import NO_RATE, Z95, Rate, wilson
from longctx.stats.search import bisect, fewest, least, root
from longctx.vocabulary.stream import frozen_stream

TIE = 1 + 1e-9
"""A p-value that exceeds alpha by no more than this factor differs from it by rounding alone."""


@functools.lru_cache(maxsize=1024)
def share_until_pass(
    n: int, discordance: float, margin: float, alpha: float, looks: Looks, clusters: int | None = None
) -> float:
    """Return the share of n independent trials that a gate asks in looks, on average, if nothing changed.

    It is the mean of 2,000 frozen simulations, in which asking stops at the first look that passes. clusters: how many
    clusters tell as much as n independent trials; their own bound must pass, too, which is approximated.
    """
    if looks.number == 1:
        return 1.0
    ends = looks.ends(n)
    stream = frozen_stream("looks", n, discordance, margin, alpha)
    parts = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    chances = [discordance / 2, discordance / 2, 1 - discordance]
    drawn = np.stack([stream.multinomial(part, chances, 2000)[:, :2] for part in parts]).cumsum(axis=0)
    asked = np.full(2000, float(n))
    for look, end in reversed(list(enumerate(ends, start=1))):
        z = -NormalDist().inv_cdf(looks.level(alpha, look))
        pairs, of_draw = np.unique(drawn[look - 1], axis=0, return_inverse=True)
        passes = np.array([score(int(gained), int(lost), end, -margin) > z for gained, lost in pairs])
        if clusters is not None:
            over_clusters = expected_over_clusters(clusters * looks.shares[look - 1], math.sqrt(discordance / end), z)
            passes &= (pairs[:, 1] - pairs[:, 0]) / end + over_clusters < margin
        asked[passes[of_draw.ravel()]] = end
    return float(asked.mean() / n)


def changes(discordance: float, drop: float) -> tuple[float, float]:
    """Return the shares of pairs that are gained and lost when the accuracy falls by `drop`.

    discordance: the share of pairs that are discordant without any drop, half of them each way. The pairs lost to the
    drop are added; if the two together exceed 1, fewer pairs are gained.
    """
    gained = min(discordance, 1 - drop) / 2
    return gained, gained + drop


def power(n: int, discordance: float, drop: float, alpha: float) -> float:
    """Return the probability that the gate shows the drop at `alpha`, by its mid-p-value (stats/averaged.py).

    Clusters have an exact p-value, whose sums take so many values that the two hardly differ.
    """
    gained, lost = changes(discordance, drop)
    changed = gained + lost
    if not changed:
        return 0.0
    first, chance = binomial_pmf(n, changed)
    return float(chance @ np.array(tails(first, _lost_to_show(first, len(chance), alpha), lost / changed)))


def smallest_drop(n: int, discordance: float, alpha: float, target: float) -> float | None:
    """Return the smallest drop that n trials show with power `target`; None if even a drop from 1 to 0 is not shown."""
    return least(lambda drop: power(n, discordance, drop, alpha) >= target, 1.0)


def trials_for_drop(drop: float, discordance: float, alpha: float, target: float) -> int | None:
    """Return about the fewest trials that show `drop` with power `target`; None for more than search.MOST_TRIALS."""
    return fewest(lambda n: power(n, discordance, drop, alpha) >= target)


def pass_chance(n: int, discordance: float, margin: float, alpha: float) -> float:
    """Return the probability that the bound of the drop, confidence 1 - alpha, is below the margin without a change."""
    first, chance = binomial_pmf(n, discordance)
    z = NormalDist().inv_cdf(1 - alpha)
    return float(chance @ np.array(tails(first, _gained_to_pass(first, len(chance), n, margin, z), 0.5)))


def pass_chance_in_clusters(
    trials: int, clusters: int, discordance: float, deff: float, margin: float, alpha: float
) -> float:
    """Return approximately the same probability for clustered trials. deff: the design effect.

    Both of the gate's bounds must lie below the margin; if no trial changes, each cluster counts as one trial.
    """
    z = NormalDist().inv_cdf(1 - alpha)
    spread = math.sqrt(discordance * deff / trials)
    slack = margin - expected_over_clusters(clusters, spread, z)
    over_clusters = NormalDist().cdf(slack / spread) if spread else float(slack > 0)
    effective = pass_chance(math.floor(trials / deff + 1e-9), discordance, margin, alpha)
    unchanged = 0.0 if score(0, 0, clusters, -margin) > z else (1 - discordance) ** (trials / deff)
    return max(0.0, min(over_clusters, effective) - unchanged)


def trials_to_pass(discordance: float, margin: float, alpha: float, target: float) -> int | None:
    """Return about the fewest trials that pass with probability `target` if nothing changed; None above MOST_TRIALS.

    The trials are independent; bound.trials_to_settle approximates the number for clusters.
    """
    return fewest(lambda n: pass_chance(n, discordance, margin, alpha) >= target)


def _lost_to_show(first: int, count: int, alpha: float) -> Iterator[int]:
    """Yield how many of first, first + 1, … discordant pairs must be lost to show a drop; `count` numbers in all."""
    tail = Tail(first, 0, 0.5)
    step = max(1, first)
    while step:
        ahead = Tail(first, tail.least + step, 0.5)
        if ahead.mid > alpha * TIE:
            tail = ahead
        else:
            step //= 2
    tail.move(tail.least + 1)
    yield tail.least
    for _ in range(count - 1):
        tail.add_trial()
        if tail.mid > alpha * TIE:
            tail.move(tail.least + 1)
        yield tail.least


def _gained_to_pass(first: int, count: int, n: int, margin: float, z: float) -> Iterator[int]:
    """Yield how many of first, first + 1, … discordant pairs must be gained to pass, with n pairs in all.

    A number larger than that of the discordant pairs means that no number is enough.
    """

    def passes(changed: int, gained: int) -> bool:
        return score(gained, changed - gained, n, -margin) > z

    gained = bisect(functools.partial(passes, first), -1, first + 1)
    yield gained
    for changed in range(first + 1, first + count):
        while gained > 0 and passes(changed, gained - 1):
            gained -= 1
        while gained <= changed and not passes(changed, gained):
            gained += 1
        yield gained


MOST_LABELS = 100_000
"""Nobody gives more."""
CERTAIN = 1e-9
"""Two raters whose agreement by chance is this close to 1 always say the same."""
Limited = tuple[float, float, float]
"""An estimate, and the ends of its 95% interval."""


@dataclass(frozen=True, slots=True)
class JudgeErrors:
    """The error rates of a judge, from human labels."""

    on_right: Rate = NO_RATE
    """How many of the answers that people find right it calls wrong."""
    on_wrong: Rate = NO_RATE
    """How many of those that they find wrong it calls right."""

    @property
    def labels(self) -> int:
        return self.on_right.n + self.on_wrong.n

    @property
    def usable(self) -> bool:
        """Whether both kinds of answers have labels, and the judge distinguishes them better than chance."""
        return bool(self.on_right.n and self.on_wrong.n) and self.on_right.rate + self.on_wrong.rate < 1

    def accuracy(self, shown: Limited) -> Limited:
        """Return the true accuracy where the judge shows this one; (NaN, 0, 1) if its errors are not usable."""
        if not self.usable:
            return math.nan, 0.0, 1.0
        return _accuracy(shown, limited(self.on_right), limited(self.on_wrong))

    @property
    def apart(self) -> float:
        """The share of a change that the judge sees if it errs as often before and after it."""
        return 1 - self.on_right.rate - self.on_wrong.rate

    def difference(self, shown: Limited, z: float = Z95) -> Limited:
        """Return the true difference where the judge shows this one; (NaN, -1, 1) if its errors are not usable.

        The estimate supposes that the judge errs on what changed as often as on other answers. The interval holds as
        well if it sees all of the change: errors are often on answers that are hard to judge before and after it.
        z: the normal quantile of the interval.
        """
        if not self.usable:
            return math.nan, -1.0, 1.0
        (value, low, high), errors = shown, (limited(self.on_right, z), limited(self.on_wrong, z))
        apart = self.apart

        def reach(own: float, at: float, side: int) -> float:
            return math.hypot(own, *(at * (error[side if at > 0 else 3 - side] - error[0]) for error in errors))

        corrected, least, most = _limits(
            value / apart,
            lambda at: value - at * apart - reach(value - low, at, 1),
            lambda at: value - at * apart + reach(high - value, at, 2),
            -1.0,
        )
        return corrected, min(low, least), max(high, most)

    def drop_bound(self, difference: float, bound: float, alpha: float) -> float:
        """Return the upper bound of the true drop where that of the drop that the judge shows is `bound`."""
        return -self.difference((difference, -bound, difference), NormalDist().inv_cdf(1 - alpha))[1]

    def needed(self, shown: float, within: float) -> int | None:
        """Return how many labels, shared out as these, give the accuracy to `within` if trials cost nothing.

        None if the errors are not usable, or if nobody gives so many. shown: the accuracy that the judge shows.
        """

        def enough(labels: int) -> bool:
            errors = []
            for rate in (self.on_right, self.on_wrong):
                n = labels * rate.effective / self.labels
                errors.append((rate.rate, *wilson(rate.rate * n, n)))
            value, low, high = _accuracy((shown, shown, shown), *errors)
            return max(value - low, high - value) <= within

        return fewest(enough, MOST_LABELS) if self.usable else None


def kappa(pairs: Sequence[tuple[str, str]], agreement: Rate) -> Limited:
    """Return Cohen's kappa of two raters; (NaN, -1, 1) if both always say the same.

    Source: J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20,
    1960, with Wilson's interval of the agreement. agreement: the rate at which the pairs are equal.
    """
    n = len(pairs)
    said = {each for pair in pairs for each in pair}
    chance = sum(math.prod(sum(pair[side] == each for pair in pairs) / n for side in (0, 1)) for each in said)
    if not n or chance > 1 - CERTAIN:
        return math.nan, -1.0, 1.0
    value, low, high = ((each - chance) / (1 - chance) for each in limited(agreement))
    return value, max(-1.0, low), high


def limited(rate: Rate, z: float = Z95) -> Limited:
    return rate.rate, *rate.interval(z)


def _accuracy(shown: Limited, on_right: Limited, on_wrong: Limited) -> Limited:
    (value, low, high), (right, right_low, right_high), (wrong, wrong_low, wrong_high) = shown, on_right, on_wrong

    def off(at: float) -> float:
        return value - at * (1 - right) - (1 - at) * wrong

    return _limits(
        (value - wrong) / (1 - right - wrong),
        lambda at: off(at) - math.hypot(value - low, at * (right - right_low), (1 - at) * (wrong_high - wrong)),
        lambda at: off(at) + math.hypot(high - value, at * (right_high - right), (1 - at) * (wrong - wrong_low)),
        0.0,
    )


def _limits(value: float, lower: Callable[[float], float], upper: Callable[[float], float], least: float) -> Limited:
    """Return the value, from `least` to 1, and the ends of where 0 is between `lower`, concave, and `upper`, convex."""
    value = min(1.0, max(least, value))
    return value, -root(lambda at: -lower(-at), -value, -least), root(upper, value, 1.0)
