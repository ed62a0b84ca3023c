"""The simulated servers are alike where they say so, and their sizes are those of the profile."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from benchmarks.gate.servers import FEW, LOSS, RATES, SHIPPED, SIX, Sized, latent, redrawn, verdict
from tests.here import HERE


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("sized", [SIX, FEW], ids=lambda sized: sized.name)
@pytest.mark.parametrize("drawn", [latent, redrawn])
def test_both_servers_are_alike_but_for_noise_and_what_is_lost(drawn: object, sized: Sized, rate: float) -> None:
    random = np.random.default_rng(2)
    for lost in (0.0, LOSS):
        pairs = [drawn(sized, rate, 0.02, lost, random) for _ in range(500)]  # type: ignore[operator]
        before, after = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
        assert before.mean() == pytest.approx(rate, abs=0.02)
        assert before.mean() - after.mean() == pytest.approx(lost, abs=0.01)
        if not lost:
            assert (before != after).mean() == pytest.approx(0.02, abs=0.005)


def test_the_sizes_are_those_of_the_profile() -> None:
    profile = tomllib.loads((HERE.root / "fixtures/profiles/serving.toml").read_text())
    tables = {name: table if isinstance(table, list) else [table] for name, table in profile.items()}
    tests = {name: parts for name, parts in tables.items() if isinstance(parts[0], dict)}
    passkeys = tests.pop("passkey")
    assert len(tests) + 1 == SHIPPED.tests
    assert len(passkeys) == SHIPPED.lengths
    assert {(part["distances"], part["trials"]) for part in passkeys} == {SHIPPED.shape}
    assert {part["trials"] for parts in tests.values() for part in parts} == {SHIPPED.trials}


def test_a_loss_is_found_and_few_distances_never_pass() -> None:
    assert verdict(SIX, 1, 0.9, 0.0, True, np.random.default_rng(3)) == "regression"
    assert verdict(SIX, 1, 0.9, 0.0, False, np.random.default_rng(3)) == "pass"
    assert verdict(FEW, 1, 0.9, 0.0, False, np.random.default_rng(3)) == "inconclusive"
