"""How often the interval of k_max holds the true one, whatever the shape of success over distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.table import share, table
from longctx.protocols.reports.passkey_report import SUCCESS_RATE, k_max_interval
from longctx.stats.rates import Rate

WINDOW, DISTANCES = 16384, 32
KS = np.linspace(WINDOW / DISTANCES, WINDOW, DISTANCES).astype(int)
PLACES = KS / WINDOW
SHAPES = {
    **{
        f"gradual: half at {middle:.0%}, width {width}": 1 / (1 + np.exp((PLACES - middle) / width))
        for middle in (0.2, 0.5, 0.8)
        for width in (0.02, 0.1, 0.2)
    },
    "cliff at 50%: 0.95, then 0.02": np.where(PLACES <= 0.5, 0.95, 0.02),
    "just above 20% everywhere: 0.21": np.full(DISTANCES, 0.21),
    "just below 20% from 50% on: 0.95, then 0.19": np.where(PLACES <= 0.5, 0.95, 0.19),
    "U: 0.95 at both ends, 0.1 in the middle third": np.where(np.abs(PLACES - 0.5) < 1 / 6, 0.1, 0.95),
    "single dip to 0.1 at 41%": np.where(KS[12] == KS, 0.1, 0.95),
    "single dip to 0.19 at 41%": np.where(KS[12] == KS, 0.19, 0.95),
    "rising: 0.05 near, 0.95 far": np.linspace(0.05, 0.95, DISTANCES),
}


def coverage(gates: int, random: np.random.Generator) -> str:
    """Draw each distance's successes by itself, with 10 and with 30 trials."""
    rows = []
    for shape, rates in SHAPES.items():
        true = _true(rates)
        for trials in (10, 30):
            intervals = [
                k_max_interval({int(k): Rate(int(correct), trials) for k, correct in zip(KS, counts, strict=True)})
                for counts in random.binomial(trials, rates, size=(gates, DISTANCES))
            ]
            holds = sum(lo <= true <= hi for lo, hi in intervals)
            wide = np.median([(hi - lo) * DISTANCES / WINDOW for lo, hi in intervals])
            rows.append([shape, trials, f"{true:,}", share(holds, gates), f"{wide:.0f} of {DISTANCES}"])
    head = ["success over distances", "trials at each", "true k_max", "held by the interval"]
    return table([*head, "median width, in distances"], rows)


def _true(rates: NDArray[np.float64]) -> int:
    failing = np.flatnonzero(rates < SUCCESS_RATE)
    return int(([0, *KS])[failing[0] if len(failing) else DISTANCES])
