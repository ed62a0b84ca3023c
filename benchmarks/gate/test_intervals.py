"""The simulated intervals: independent trials are as they were, repeats are not."""

from __future__ import annotations

from benchmarks.gate.intervals import RESULTS, Design, coverage, latencies, run


def test_repeats_are_no_independent_trials() -> None:
    plain, held, short = coverage(Design(50, 1, 10, 0, 3.0), 0.8, 100)
    assert plain < 80 < 88 <= held
    assert short <= 10


def test_it_gives_a_table() -> None:
    assert "\n".join(run(1)).count("\n") > 30


def test_the_limit_of_latency_is_simulated_as_published() -> None:
    heading = "## A limit of the growth of latency, at exactly the limit"
    published = RESULTS.read_text().partition(heading)[2].splitlines()[4:]
    fires = [
        float(line.split("|")[4].split("%")[0])
        for line in published
        if line.startswith("| ") and "trials" not in line and "-" * 3 not in line
    ]
    assert (min(fires), max(fires)) == (1.6, 5.3), "docs/gate.md quotes them"
    assert latencies(20).count("\n") == len(fires) + 1
