"""What human labels show about a judge, and the accuracy by the judge, corrected for its errors.

The estimate is that of W. J. Rogan and B. Gladen, "Estimating prevalence from the results of a screening test",
American Journal of Epidemiology 107, 1978: where the true accuracy is a, the judge shows s = a (1 - r) + (1 - a) w,
with its error rates r on right and w on wrong answers. The interval contains each a for which that of
s - a (1 - r) - (1 - a) w contains 0. The latter comes from the intervals of s, r and w by G. Y. Zou and A. Donner,
"Construction of confidence limits about effect measures: A general approach", Statistics in Medicine 27, 2008. So it
stays within 0 and 1, and respects clusters as these do. A difference that the judge shows is 1 - r - w times the true
one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from longctx.stats.rates import NO_RATE, Z95, Rate, wilson
from longctx.stats.search import fewest, root

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
