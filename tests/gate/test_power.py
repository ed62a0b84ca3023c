"""The odds of a band."""

from __future__ import annotations

import pytest

from longctx.gate.bands import LEAST_CLUSTERS
from longctx.gate.power import Assumed, Load, Needed, Target, failing_once, outlook, unlucky
from longctx.stats import pass_chance, power, unpaired

WANTED = Target(bands=5, looks="once")
GUESS = Assumed(discordance=0.1, rate=0.9)


def test_trials_that_are_independent() -> None:
    shown = outlook(300, 300, GUESS, WANTED)
    assert shown.smallest_paired == power.smallest_drop(300, 0.1, 0.01, 0.9)
    assert shown.smallest_unpaired == unpaired.smallest_drop(300, 0.9, 0.01, 0.9)
    assert shown.passing == pass_chance.pass_chance(300, 0.1, 0.05, 0.05)
    assert shown.for_drop.paired == power.trials_for_drop(0.1, 0.1, 0.01, 0.9)
    assert shown.to_pass.unpaired == unpaired.trials_to_pass(0.9, 0.05, 0.05, 0.9)


def test_trials_of_clusters_count_less_and_more_are_needed() -> None:
    alone = outlook(300, 300, GUESS, WANTED)
    assert outlook(1200, 300, GUESS, WANTED).passing <= alone.passing
    assert outlook(1200, 300, Assumed(0.1, 0.9, correlation=0.0), WANTED).passing > alone.passing
    assert alone.to_pass.paired is not None
    assert outlook(1200, 300, GUESS, WANTED).to_pass.paired > 4 * alone.to_pass.paired


def test_few_clusters_show_nothing_and_at_least_as_many_as_show_something_are_needed() -> None:
    lax = Target(margin=0.9, drop=0.9, looks="once")
    shown = outlook(5 * (LEAST_CLUSTERS - 1), LEAST_CLUSTERS - 1, GUESS, lax)
    assert (shown.smallest_paired, shown.smallest_unpaired, shown.passing) == (None, None, 0.0)
    assert shown.to_pass.paired == 5 * LEAST_CLUSTERS
    assert outlook(5 * LEAST_CLUSTERS, LEAST_CLUSTERS, GUESS, lax).passing > 0.9


def test_a_rate_cannot_fall_below_nothing() -> None:
    shown = outlook(30, 30, Assumed(0.1, 0.05), WANTED)
    assert shown.for_drop == Needed(None, None)
    assert (shown.smallest_paired, shown.smallest_unpaired) == (None, None)


@pytest.mark.parametrize(("discordance", "gains"), [(0.17, True), (0.18, False), (0.3, False)])
def test_pairing_gains_nothing_where_answers_are_as_if_independent(discordance: float, gains: bool) -> None:
    assert Assumed(discordance, 0.9).gains_from_pairing == gains


def test_a_load_of_other_trials() -> None:
    load = Load(trials=10, clusters=5, input_tokens=900, output_tokens=100, price=2.0)
    assert (load.tokens_of(25), load.price_of(25), load.clusters_of(25)) == (2500, 5.0, 13)
    assert Load(10, 10, 1, 1, None).price_of(5) is None


def test_looks_take_more_trials_to_pass_and_few_trials_are_judged_once() -> None:
    once, few, early = (outlook(400, 400, GUESS, Target(looks=looks)) for looks in ("once", "few", "early"))
    assert once.passing > few.passing > early.passing > 0.8
    assert (once.to_pass.paired or 0) < (few.to_pass.paired or 0) < (early.to_pass.paired or 0)
    assert outlook(60, 60, Assumed(0.0), Target()).passing == 1
    assert outlook(60, 60, Assumed(0.0), Target()).to_pass.paired == 52


def test_the_share_of_unlucky_baselines_is_that_of_simulated_ones() -> None:
    """benchmarks/gate/LUCKY.md: 10.2% [8.9, 11.6] where 20% of the pairs change, 1.2% and 0.2% with more runs."""
    noisy, one = Assumed(0.2), Target(0.075, looks="once")
    shares = [unlucky([(360, 360, noisy)], one, runs) for runs in (1, 2, 3)]
    assert shares == pytest.approx([0.102, 0.012, 0.002], abs=0.005)
    assert unlucky([(360, 360, Assumed(0.02))], one) == 0


@pytest.mark.parametrize(("runs", "shares"), [(1, [0.001, 0.067, 0.483, 0.874]), (3, [0.0, 0.008, 0.311, 0.860])])
def test_the_share_of_baselines_that_fail_an_unchanged_pull_request_is_that_of_simulated_ones(
    runs: int, shares: list[float]
) -> None:
    """benchmarks/gate/MEMORY.md, where 2, 5, 10 and 20% of the pairs change."""
    noises = Assumed(0.02), Assumed(0.05), Assumed(0.1), Assumed(0.2, 0.7)
    found = [failing_once([(234, 234, noise)], Target(0.075), runs) for noise in noises]
    assert found == pytest.approx(shares, abs=0.04)
