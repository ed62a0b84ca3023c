"""Where looks pay: plans of looks for the profile `gate`, at about equal errors: `python -m benchmarks.gate.placement`.

Each plan has the trials with which it passes an unchanged model, and finds a drop, about as often as five equal looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.gate.profiles import GATE, GATES_OF_A_BASELINE, Case, Gate, prices, simulate
from benchmarks.gate.table import command, share, table
from longctx.stats.group_sequential import Looks
from longctx.text import usd

RESULTS = Path(__file__).with_name("PLACEMENT.md")
BASE = 360, 360, 360, 360, 540, 600, 600
"""The trials of the bands of `gate` with five equal looks."""
EARLY = Looks((0.2, 0.3, 0.45, 0.67, 1.0), 0.5)
PLANS = (
    ("equal", 1.0, Looks((0.2, 0.4, 0.6, 0.8, 1.0), 0.25)),
    ("few", 1.0, Looks((0.35, 0.6, 1.0), 0.25)),
    ("two looks", 1.06, Looks((0.3, 1.0), 0.45)),
    ("three looks", 1.1, Looks((0.22, 0.39, 1.0), 0.45)),
    ("four looks", 1.2, Looks((0.22, 0.38, 0.62, 1.0), 0.5)),
    ("five looks from a quarter", 1.2, Looks((0.25, 0.33, 0.45, 0.65, 1.0), 0.5)),
    ("early", 1.2, EARLY),
)
CHANGING = 0.02, 0.05, 0.1
FALLEN = "line_retrieval, long"


def with_plan(more: float, looks: Looks) -> Gate:
    """Return the profile with so many times the trials of five equal looks."""
    bands = (
        replace(band, trials=round(trials * more / band.together) * band.together)
        for band, trials in zip(GATE.bands, BASE, strict=True)
    )
    return replace(GATE, bands=tuple(bands), looks=looks)


def placed(gates: int) -> str:
    of_shipped, rows = prices("gate", "claude-haiku-5-5"), []
    for name, more, looks in PLANS:
        gate = with_plan(more, looks)
        full = [
            of_shipped[band.name][1] * band.trials / shipped.trials
            for band, shipped in zip(gate.bands, GATE.bands, strict=True)
        ]
        same = [simulate(Case(gate, 0.9, changing), gates) for changing in CHANGING]
        costs = [sum(share * price for share, price in zip(each.asked.tolist(), full, strict=True)) for each in same]
        found = simulate(Case(gate, 0.9, CHANGING[-1], {FALLEN: 0.075}), gates).found
        whole = sum(costs) / len(costs) + sum(full) / GATES_OF_A_BASELINE
        shares = ", ".join(f"{of:.0%}" for of in looks.shares)
        cells = (usd(whole), *map(usd, costs), share(same[-1].passed, gates), share(found, gates))
        rows.append([name, shares, f"{looks.shape:g}", f"{more:g}", *cells])
    head = ["plan", "looks after", "boundary", "trials", "mean price and a tenth of the baseline's"]
    head += [*(f"price, {changing:.0%} change" for changing in CHANGING)]
    return table([*head, "unchanged passes, 10% change", "7.5 points in one band found, 10% change"], rows)


def run(gates: int) -> Iterator[str]:
    yield (
        f"# Where looks pay\n\nWritten by `python -m benchmarks.gate.placement`; {gates:,} gates of the profile "
        "`gate` in each cell, drawn as benchmarks/gate/profiles.py says, brackets are Wilson's 95%. The rate is 0.9. "
        "Boundary: the parameter of Wang and Tsiatis; 0.5 is Pocock's. Trials: times those of five equal looks. "
        "Prices: on claude-haiku-5-5, in batches or directly where the prompt cache makes that cheaper, replies of 500 "
        "tokens."
    )
    yield f"## Plans of looks at about equal errors\n\n{placed(gates)}"


if __name__ == "__main__":
    command("placement", __doc__, run, RESULTS, gates=2000)
