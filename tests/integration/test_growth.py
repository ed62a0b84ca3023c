"""max_cost_growth of a profile, and what a gate says of the price."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.integration.conftest import Checkout, copied
from tests.servers import Answer, Body, SimulatedServer

LINES = """
margin = 0.2
[line_retrieval]
models = ["toy"]
lines = [3]
orders = ["ordered"]
trials = 30
bands = { short = 3 }
"""


@pytest.fixture(scope="module")
def original(record_once: Callable[..., Checkout]) -> Checkout:
    """A project with a baseline, whose answers cost a dollar for a million tokens."""
    made = record_once(profile=LINES)
    made.prices(1, 1)
    assert made.pytest("--ctx-report=before").code == 0
    assert made.longctx("baseline", "save", "main", "before").code == 0
    return made


saved = copied("original")


def test_a_pass_that_costs_three_times_as_much_says_so(saved: Checkout) -> None:
    saved.prices(3, 3)
    result = saved.pytest("--ctx-baseline=main", "--ctx-report=after")
    assert result.code == 0
    assert result.says("Gate: pass - the only band replays the baseline's own answers", "; costs 3 times as much")
    gate = saved.read("after/gate.json")
    assert round(gate["usage"]["cost"]["value"], 6) == 2
    [band] = gate["tests"][0]["bands"]
    assert band["before"]["rate"] == band["after"]["rate"] == 1.0
    assert [round(side["usd"] / band["usage"][0]["usd"]) for side in band["usage"]] == [1, 3]
    assert "costs 3 times as much" in saved.file("after/gate.md").read_text()


@pytest.mark.parametrize(("limit", "code"), [(0.5, 10), (2.5, 0)])
def test_growth_of_the_price_is_gated(saved: Checkout, server: SimulatedServer, limit: float, code: int) -> None:
    saved.profile(f'max_cost_growth = {limit}\nlooks = "once"', LINES)
    right = server.script

    def longer(body: Body) -> Answer:
        status, headers, content = right(body)
        answer = json.loads(content)
        usage = {name: 3 * tokens for name, tokens in answer["usage"].items() if isinstance(tokens, int)}
        return status, headers, json.dumps({**answer, "usage": usage}).encode()

    server.script = longer
    result = saved.record(server, "--ctx-baseline=main", "--ctx-report=after", mode="all")
    assert result.code == code, result
    assert result.says(f"max_cost_growth allows {1 + limit:.2f} times", "3.00 times that of the baseline")


@pytest.mark.parametrize("prices", [(0.1, 1), (3, 3)])
def test_changed_prices_hide_no_growth(saved: Checkout, prices: tuple[float, float]) -> None:
    saved.profile("max_cost_growth = 0.5", LINES)
    saved.prices(*prices)
    result = saved.pytest("--ctx-baseline=main", "--ctx-report=after")
    assert result.code == 12, result
    assert result.says(
        "Gate: invalid - the prices of toy changed, and max_cost_growth allows 1.50 times: save a new baseline"
    )


def test_a_limit_without_prices_is_invalid(saved: Checkout) -> None:
    saved.profile("max_cost_growth = 0.5", LINES)
    saved.file("fixtures/models/toy.toml").unlink()
    result = saved.pytest("--ctx-baseline=main", "--ctx-report=after")
    assert result.code == 12
    assert result.says("the price is not known for every trial in both runs")
