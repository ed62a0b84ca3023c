"""The exact sign-flip test for a drop, over clusters of paired trials.

If nothing changed, each cluster's sum of changes is as likely to have the opposite sign (E. J. G. Pitman, Supplement to
the JRSS 4, 1937). With one trial per cluster this is McNemar's exact test, one-sided.

The mid-p-value counts half of the probability of what was observed (H. O. Lancaster, "Significance tests in discrete
distributions", JASA 56, 1961). The number of pairs that change is random, so that over all of its values the test keeps
its level where up to half of the pairs change (benchmarks/gate/RUNS.md), and finds more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def drop_p_value(sums: Sequence[int], mid: bool = False) -> float:
    """Return the p-value of a drop as large as the observed one, exact over all assignments of signs.

    sums: for each cluster, pairs gained minus pairs lost. mid: whether it is the mid-p-value. Without any change the
    p-value is 1.
    """
    steps = [abs(total) for total in sums if total]
    ones = steps.count(1)
    # chance[i] is the probability of the total 2 * i - (len(chance) - 1). The steps of size one are binomial.
    heads = np.arange(1, ones + 1)
    log_choose = np.cumsum(np.log((ones + 1 - heads) / heads))
    chance = np.exp(np.append(0.0, log_choose) - ones * math.log(2))
    for step in steps:
        if step > 1:
            added = np.zeros(len(chance) + step)
            added[step:] = chance
            added[:-step] += chance
            chance = added / 2
    if not steps:
        return 1.0
    observed = (sum(sums) + sum(steps)) // 2
    return min(1.0, float(chance[: observed + 1].sum() - mid * chance[observed] / 2))
