"""The simulation of samples draws what it says, and a gate of them errs as seldom as it says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate.unpaired import ALONE, SORTS, TENS, Items, drawn, gates


@pytest.mark.parametrize("items", [ALONE, SORTS, TENS], ids=lambda items: items.name)
@pytest.mark.parametrize("rate", [0.5, 0.95])
def test_runs_have_their_rate_and_their_contexts(items: Items, rate: float) -> None:
    contexts = drawn(items, 100_000, rate, np.random.default_rng(3))
    right = [answer for context in contexts for answer in context]
    assert len(right) == 100_000
    assert np.mean(right) == pytest.approx(rate, abs=0.01)
    assert len(contexts) == pytest.approx(100_000 / items.together, rel=0.05)
    assert all(contexts)


def test_a_large_drop_is_a_regression_and_nothing_is_a_pass() -> None:
    assert {one.verdict for one in gates(ALONE, (900, 900), (0.8, 0.5), 0.1, 3)} == {"regression"}
    assert {one.verdict for one in gates(ALONE, (3000, 3000), (0.8, 0.8), 0.1, 3)} == {"pass"}


def test_few_contexts_show_a_collapse_and_pass_nothing() -> None:
    few = Items("50 a context", together=50, of_context=0.8)
    for rates, verdict in ((0.95, 0.3), "regression"), ((0.95, 0.95), "inconclusive"):
        verdicts = list(gates(few, (400, 400), rates, 0.1, 3))
        assert {one.verdict for one in verdicts} == {verdict}
        assert all(one.clusters < 15 for one in verdicts)
