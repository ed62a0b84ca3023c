"""How often the interval of k_max holds the true one."""

from __future__ import annotations

import numpy as np

from benchmarks.gate.table import share, table
from longctx.families.passkey.effective_window import SUCCESS_RATE, k_max_interval
from longctx.stats.rates import Rate

WINDOW, DISTANCES, TRIALS = 16384, 32, 10


def coverage(gates: int, random: np.random.Generator) -> str:
    """Success falls with distance k as 1 / (1 + exp((k - middle) / width)), both as shares of the window."""
    ks = np.linspace(WINDOW / DISTANCES, WINDOW, DISTANCES).astype(int)
    rows = []
    for middle in (0.2, 0.5, 0.8):
        for width in (0.02, 0.1, 0.2):
            rates = 1 / (1 + np.exp((ks / WINDOW - middle) / width))
            true = int(max([0, *ks[rates >= SUCCESS_RATE]]))
            intervals = [
                k_max_interval({int(k): Rate(int(correct), TRIALS) for k, correct in zip(ks, counts, strict=True)})
                for counts in random.binomial(TRIALS, rates, size=(gates, DISTANCES))
            ]
            holds = sum(lo <= true <= hi for lo, hi in intervals)
            wide = np.median([(hi - lo) * DISTANCES / WINDOW for lo, hi in intervals])
            rows.append([middle, width, f"{true:,}", share(holds, gates), f"{wide:.0f} of {DISTANCES}"])
    return table(["middle", "width", "true k_max", "held by the interval", "median width, in distances"], rows)
