"""The simulated fills: what is said of them is true, and more probes tell more."""

from __future__ import annotations

import numpy as np

from benchmarks.gate.fills import drawn, found, run, strategies, true


def test_what_is_said_is_true_and_more_probes_find_the_break() -> None:
    random = np.random.default_rng(1)
    few, many = ([drawn(probes, 32000, 0.3, 4.0, random) for _ in range(40)] for probes in (30, 120))
    assert sum(true(said, 32000, 0.3) for said in many) >= 36
    assert sum(found(said, 32000) for said in many) > sum(found(said, 32000) for said in few)


def test_it_gives_a_table() -> None:
    assert "\n".join(run(1)).count("\n") > 30


def test_the_printed_intervals_of_four_strategies_hold_together() -> None:
    [line] = [line for line in strategies(300).splitlines() if line.startswith("| 4 | 60 |")]
    alone, together = (float(cell.split("%")[0]) for cell in line.split("|")[3:5])
    assert alone < 90
    assert together > 93
