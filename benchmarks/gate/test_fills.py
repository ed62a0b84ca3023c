"""The simulated fills: what is said of them is true, and more probes tell more."""

from __future__ import annotations

import numpy as np

from benchmarks.gate.fills import SESSIONS, drawn, found, run, said_of, strategies, true


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


def test_as_many_more_as_are_named_tell_probes_and_sessions_apart() -> None:
    """Five fills that lose nothing: without an allowance for their number, 0.75 of these runs tell."""
    for sessions, probes in ((1, 24), (5, 12)):
        random, told, named = np.random.default_rng(sessions), 0, 0
        for _ in range(60):
            said = said_of(SESSIONS["normal"](np.zeros((sessions, 5)), probes, random), sessions > 1)
            if more := said.more if said.open else 0:
                grown = (sessions + more, probes) if sessions > 1 else (1, probes + more)
                again = SESSIONS["normal"](np.zeros((grown[0], 5)), grown[1], random)
                told, named = told + (not said_of(again, sessions > 1).open), named + 1
        assert named > 50
        assert told >= 0.8 * named, (sessions, told, named)


def test_a_loss_that_some_sessions_have_is_not_ruled_out_in_others() -> None:
    """A third of five sessions lose 30 points, of which these five have few by chance: that tells little of others."""
    random, here, others = np.random.default_rng(1), 0, 0
    for _ in range(100):
        lost = np.column_stack([np.zeros(5), (random.random(5) < 1 / 3) * 0.3])
        answers = SESSIONS["coins"](lost, 40, random)
        here += not true(said_of(answers, clustered=False), 16000, lost[:, 1].mean())
        others += not true(said_of(answers, clustered=True), 16000, 0.1)
    assert (here <= 6, others <= 6) == (True, True), (here, others)
