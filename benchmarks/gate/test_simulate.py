"""The simulation runs, and draws what it says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate.draws import PROMPT, RERUN, draw
from benchmarks.gate.grids import PAPER, RECORDED, Axes
from benchmarks.gate.others import by_test, trials_needed
from benchmarks.gate.simulate import judged, run


def test_every_part_gives_a_table() -> None:
    first, *parts = run(0.001)
    assert first.startswith("# ")
    assert len(parts) == 10
    for part in parts:
        title, _, head, rule, *rows = part.splitlines()
        assert title.startswith("## ")
        assert {line.count("|") for line in (head, rule, *rows)} == {head.count("|")}


@pytest.mark.parametrize(("grid", "trials"), [(PAPER, 3250 + 960 + 2 * 9360 + 430), (RECORDED, 1000 + 800 + 720 + 100)])
def test_a_grid_has_its_trials(grid: Axes, trials: int) -> None:
    [drawn] = draw(grid, [{part.band: (0.5, 0.5) for part in grid.parts}], PROMPT, np.random.default_rng(0))
    assert [pairs.n for pairs in drawn.values()] == [part.n for part in grid.parts]
    assert sum(part.n for part in grid.parts) == trials


def test_rates_are_those_that_were_asked_for() -> None:
    rates = {part.band: (0.9, 0.8) for part in PAPER.parts}
    [drawn] = draw(PAPER, [rates], RERUN, np.random.default_rng(0))
    for before, after, n in by_test(drawn).values():
        assert before / n == pytest.approx(0.9, abs=0.05)
        assert after / n == pytest.approx(0.8, abs=0.05)


def test_where_all_is_right_nothing_changes() -> None:
    rates = {part.band: (1.0, 1.0) for part in PAPER.parts}
    [counts] = judged(PAPER, [rates], PROMPT, 3, np.random.default_rng(0))
    assert (counts.passed, counts.regression, counts.threshold, counts.apart) == (3, 0, 0, 0)


def test_pairing_gains_nothing_where_runs_differ_as_strangers_do() -> None:
    paired, apart, _ = trials_needed(0.5, 0.1, 0.5)
    assert apart / paired == pytest.approx(1, abs=0.03)
    assert trials_needed(0.5, 0.05, 0.2)[2] is None
