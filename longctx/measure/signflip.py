"""Is a drop shown? An exact test over clusters of paired trials.

If nothing changed, each cluster's sum of changes is as likely to have the other sign (E. J. G. Pitman, Supplement to
the JRSS 4, 1937). With one trial a cluster this is McNemar's exact test, one-sided: a fair coin a discordant pair.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def drop_p_value(sums: Sequence[int]) -> float:
    """p-value of so large a drop, or a larger one, if every cluster's sign were a fair coin's.

    sums: for each cluster, pairs gained minus pairs lost. 1 without any change. Exact: all signs are counted.
    """
    steps = [abs(one) for one in sums if one]
    reach = sum(steps)
    # chance[reach + t] is the probability of the total t after the clusters so far.
    chance = np.zeros(2 * reach + 1)
    chance[reach] = 1.0
    for step in steps:
        chance = (_shifted(chance, step) + _shifted(chance, -step)) / 2
    return min(1.0, float(chance[: reach + sum(sums) + 1].sum()))


def _shifted(chance: NDArray[np.float64], by: int) -> NDArray[np.float64]:
    moved = np.zeros_like(chance)
    if by > 0:
        moved[by:] = chance[:-by]
    else:
        moved[:by] = chance[-by:]
    return moved
