"""Is a drop shown? An exact test over clusters of paired trials.

If nothing changed, each cluster's sum of changes is as likely to have the other sign (E. J. G. Pitman, Supplement to
the JRSS 4, 1937). With one trial a cluster this is McNemar's exact test, one-sided: a fair coin a discordant pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def drop_p_value(sums: Sequence[int]) -> float:
    """p-value of so large a drop, or a larger one, if every cluster's sign were a fair coin's.

    sums: for each cluster, pairs gained minus pairs lost. 1 without any change. Exact: all signs are counted.
    """
    steps = [abs(one) for one in sums if one]
    ones = steps.count(1)
    # chance[i] is the probability of the total 2 * i - (len(chance) - 1). All steps of one together are binomial.
    heads = np.arange(1, ones + 1)
    log_choose = np.cumsum(np.log((ones + 1 - heads) / heads))
    chance = np.exp(np.append(0.0, log_choose) - ones * math.log(2))
    for step in steps:
        if step > 1:
            added = np.zeros(len(chance) + step)
            added[step:] = chance
            added[:-step] += chance
            chance = added / 2
    return min(1.0, float(chance[: (sum(sums) + sum(steps)) // 2 + 1].sum()))
