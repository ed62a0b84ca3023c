"""The simulated numbers of chunks: no number is named for want of evidence, and what is said is true."""

from __future__ import annotations

import numpy as np

from benchmarks.gate.chunks import ACCURACIES, drawn, run, said, true
from longctx.stats.losses import MARGIN


def test_few_questions_name_no_number_that_loses_twenty_points() -> None:
    """Of 16 questions, the fewest not significantly worse than the best is 1 chunk in 93 of 100 runs."""
    random = np.random.default_rng(1)
    found = [said(drawn(16, ACCURACIES[0], 2.0, random)) for _ in range(50)]
    assert not any(each[1].most < MARGIN for each in found)
    assert sum(true(each, ACCURACIES[0]) for each in found) >= 46


def test_it_gives_a_table() -> None:
    assert "\n".join(run(1)).count("\n") > 15
