"""The simulated intervals: independent trials are as they were, repeats are not."""

from __future__ import annotations

from benchmarks.gate.intervals import Design, coverage, run


def test_repeats_are_no_independent_trials() -> None:
    plain, held, short = coverage(Design(50, 1, 10, 0, 3.0), 0.8, 100)
    assert plain < 80 < 88 <= held
    assert short <= 10


def test_it_gives_a_table() -> None:
    assert "\n".join(run(1)).count("\n") > 30
