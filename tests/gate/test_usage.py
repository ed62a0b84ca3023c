"""Growth of price and latency between two runs, and its limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from longctx.gate.usage import NO_TEMPLATES, GrowthLimits, UsageChange, cost_growth, latency_growth, standard_usd
from longctx.gate.verdict import Rules, give_verdict
from longctx.results.row import Row
from longctx.vocabulary.both import Both
from tests.gate.examples import RULES
from tests.rows import run


def used(n: int = 100, **fields: Any) -> list[Row]:
    return run(*["correct"] * n, band="all", **fields)


def growing(before: float, after: float, name: str = "cost_usd", **fields: Any) -> list[Both[Row]]:
    return list(map(Both, used(**{name: before}, **fields), used(**{name: after})))


def judged(limits: GrowthLimits, before: list[Row], after: list[Row]) -> Any:
    return give_verdict(before, after, Rules(age=RULES.age, limits=limits))


def test_growth_of_the_price_is_a_ratio_with_an_interval_over_clusters() -> None:
    growth = cost_growth(growing(0.002, 0.003))
    assert growth is not None
    assert growth.value == pytest.approx(0.5)
    assert growth.lo == pytest.approx(growth.hi)
    before = used(cost_usd=0.01)
    costs = [0.02 if place < 50 else 0.03 for place in range(100)]
    alone, together = (
        [
            Both(first, row)
            for first, (place, cost) in zip(before, enumerate(costs), strict=True)
            for row in run("correct", cost_usd=cost, cluster=f"c{place // size}")
        ]
        for size in (1, 10)
    )
    narrow, wide = cost_growth(alone), cost_growth(together)
    assert narrow is not None
    assert wide is not None
    assert narrow.value == wide.value == pytest.approx(1.5)
    assert wide.hi - wide.lo > 2 * (narrow.hi - narrow.lo)


def test_a_price_that_is_not_known_of_every_trial_has_no_growth() -> None:
    pairs = growing(0.001, 0.002)
    assert cost_growth([*pairs, Both(*used(1), *used(1, cost_usd=0.1))]) is None
    assert cost_growth([]) is None


def test_a_free_baseline_grows_without_bound_or_not_at_all() -> None:
    free, paid = cost_growth(growing(0.0, 0.0)), cost_growth(growing(0.0, 0.1))
    assert free is not None
    assert free.value == 0
    assert paid is not None
    assert paid.value == float("inf")


def test_a_batch_counts_at_the_price_without_its_discount() -> None:
    [batched] = used(1, cost_usd=0.5, batch_discount=0.5)
    assert standard_usd(batched) == 1.0
    growth = cost_growth(growing(0.001, 0.002, batch_discount=0.5))
    assert growth is not None
    assert growth.value == pytest.approx(0.0)


def test_latency_grows_by_the_median_of_what_was_asked_directly() -> None:
    growth = latency_growth(growing(1.0, 2.0, "latency_s"))
    assert growth is not None
    assert (growth.value, growth.lo, growth.hi) == (1.0, 1.0, 1.0)
    assert latency_growth(list(map(Both, used(), used(latency_s=1.0)))) is None


def test_the_tokenizer_s_growth_is_that_of_the_same_text() -> None:
    before, after = used(input_tokens=100), used(model="other", input_tokens=130)
    assert UsageChange.of(list(map(Both, before, after))).tokenizer == pytest.approx(0.3)
    reworded = used(model="other", prompt_digest="other", input_tokens=130)
    assert UsageChange.of(list(map(Both, before, reworded))).tokenizer is None
    in_a_chat = used(model="other", shape="chat", input_tokens=130)
    assert UsageChange.of(list(map(Both, before, in_a_chat))).tokenizer is None


def test_what_a_test_without_templates_sent_is_known_from_its_requests() -> None:
    fields: dict[str, Any] = {"test": "test_x", "prompt_digest": NO_TEMPLATES}
    before, after = (used(model=model, input_tokens=100, **fields) for model in ("toy", "other"))
    assert UsageChange.of(list(map(Both, before, after))).tokenizer is None
    for text, tokenizer in (("messages=aa system=bb", 0.3), ("messages=cc system=bb", None)):
        before = used(**fields, input_tokens=100, request_parts="messages=aa model=dd system=bb")
        after = used(**fields, model="other", input_tokens=130, request_parts=f"{text} model=ee parameters=ff")
        growth = UsageChange.of(list(map(Both, before, after))).tokenizer
        assert growth == (tokenizer and pytest.approx(tokenizer))


@pytest.mark.parametrize("of_item", [0.0, 0.5])
def test_a_limit_of_latency_fires_at_its_limit_about_as_often_as_its_level_says(of_item: float) -> None:
    """300 gates of 60 trials whose median grew by exactly the limit, at 5%; the items share a part of their time."""
    random = np.random.default_rng(1)
    fired = kept = 0
    for _ in range(300):
        shared = random.normal(0, of_item, 60)
        before, after = (np.exp(shared + random.normal(0, 0.3, 60)) * factor for factor in (1, 1.2))
        rows = [[row for s in side for row in used(1, latency_s=float(s))] for side in (before, after)]
        growth = latency_growth(list(map(Both, *rows)), 0.1)
        assert growth is not None
        fired, kept = fired + (growth.lo > 0.2), kept + (growth.hi <= 0.2)
    assert 4 <= fired <= 24
    assert 4 <= kept <= 24


def test_few_latencies_bound_no_growth() -> None:
    rows = [used(3, latency_s=seconds) for seconds in (1.0, 2.0)]
    growth = latency_growth(list(map(Both, *rows)))
    assert growth is not None
    assert (growth.value, growth.lo, growth.hi) == (1.0, -1.0, math.inf)


@pytest.mark.parametrize(("after", "verdict"), [(0.0011, "pass"), (0.003, "regression")])
def test_a_limit_of_the_price_is_judged(after: float, verdict: str) -> None:
    given = judged(GrowthLimits(max_cost_growth=0.5), used(300, cost_usd=0.001), used(300, cost_usd=after))
    assert given.verdict == verdict
    assert [limit.status for limit in given.limits] == [verdict]


def test_a_limit_that_is_neither_kept_nor_broken_is_inconclusive() -> None:
    after = [*used(150, cost_usd=0.001), *used(300, cost_usd=0.0021)[150:]]
    given = judged(GrowthLimits(max_cost_growth=0.55), used(300, cost_usd=0.001), after)
    assert given.verdict == "inconclusive"


def test_a_limit_of_latency_is_judged() -> None:
    limits = GrowthLimits(max_latency_growth=0.2)
    assert judged(limits, used(300, latency_s=1.0), used(300, latency_s=1.0)).verdict == "pass"
    assert judged(limits, used(300, latency_s=1.0), used(300, latency_s=2.0)).verdict == "regression"


def test_a_limit_that_cannot_be_judged_makes_the_run_invalid() -> None:
    given = judged(GrowthLimits(max_latency_growth=0.2), used(300, latency_s=1.0), used(300))
    assert given.verdict == "invalid"
    assert "the median latency is not known for every trial" in given.reasons[0]
