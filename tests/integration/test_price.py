"""--ctx-price: prices on the command line, instead of a profile's; the report says what was paid, and by which."""

from __future__ import annotations

import datetime
import json

import pytest

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer, saying

USAGE = {
    "input_tokens": 100_000,
    "cache_creation_input_tokens": 200_000,
    "cache_read_input_tokens": 700_000,
    "output_tokens": 10,
}


def test_they_price_what_is_asked_and_what_was_answered(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("42", usage=USAGE)
    price = "--ctx-price=toy=10/0/1/12.5"
    result = checkout.record(server, price)
    today = datetime.date.today().isoformat()
    paid = 4 * (0.1 * 10 + 0.7 * 1 + 0.2 * 12.5)
    assert result.says(
        f"toy: 4 answers asked live cost ${paid:,.2f}, at prices of {today}.",
        "(70% cached, 20% written to the cache)",
    )
    run = json.loads(checkout.file("reports/latest/run.json").read_text())
    given = {"input": 10, "output": 0, "cache_read": 1, "cache_write": 12.5, "batch_discount": 0}
    assert run["prices"] == {"toy": given | {"dated": today, "source": "--ctx-price"}}
    assert {row["cache_write_tokens"] for row in checkout.rows()} == {200_000}
    sentence = f"toy: 4 answers replayed had cost ${paid:,.2f} when asked, at prices of {today}."
    assert checkout.pytest(price, "-n1").says(sentence)
    assert sentence in checkout.file("reports/latest/summary.md").read_text()
    assert "had cost" not in checkout.pytest().out


def test_the_length_of_a_prompt_settles_its_price(checkout: Checkout, server: SimulatedServer) -> None:
    """The two sides of a boundary differ, from the estimate to the row; a prompt's length includes cached tokens."""
    shorter, longer = (2 * (size * 1000 + 10 * 5000) / 1e6 for size in (145, 175))  # USD, of two trials
    for boundary, usd in ((144, 10 * (shorter + longer)), (145, shorter + 10 * longer), (175, shorter + longer)):
        given = f"--ctx-price=toy=1000/5000,{boundary}:10000/50000"
        assert checkout.pytest("--ctx-estimate", given).says(
            f"640 input and at most 40 output tokens, about ${usd:.2f}."
        )
    server.script = saying("42", usage=USAGE)
    price = "--ctx-price=toy=10/100/1/12.5,{}:1000/10000/100/1250"
    for boundary, times in ((999_999, 100), (1_000_000, 1)):
        paid = 4 * times * (0.1 * 10 + 0.7 * 1 + 0.2 * 12.5 + 10e-6 * 100)
        result = checkout.record(server, price.format(boundary), mode="all")
        assert result.says(f"toy: 4 answers asked live cost ${paid:,.2f}, at prices of ")
        assert [row["cost_usd"] for row in checkout.rows()] == pytest.approx([paid / 4] * 4)
    run = json.loads(checkout.file("reports/latest/run.json").read_text())
    tier = {"tokens": 1_000_000, "input": 1000, "output": 10000, "cache_read": 100, "cache_write": 1250}
    assert run["prices"]["toy"]["above"] == [tier]


def test_longer_prompts_are_not_made_cheap_by_leaving_them_out(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.record(server, "--ctx-price=claude-haiku-5-5=0.08/0.4", "--ctx-model=claude-haiku-5-5")
    assert result.code == 4
    assert result.says("[price-without-tiers]", "--ctx-price claude-haiku-5-5=INPUT/OUTPUT,100000:INPUT/OUTPUT")
    assert not server.received
    given = "--ctx-price=claude-haiku-5-5=0.08/0.4,100000:0.4/2"
    assert checkout.pytest("--ctx-estimate", "--ctx-model=claude-haiku-5-5", given).code == 0


def test_a_cap_takes_them(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.record(server, "--ctx-max-cost=0.001", "--ctx-price=toy=10000/0")
    assert result.says("Asked 0 of 4 trials: the cap of $0.001 leaves no room for it")
    assert not server.asked


def test_a_mistyped_model_is_named(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-price=toi=1/2")
    assert result.code == 4
    assert result.says("'toi'", "toy", "[price-of-unmeasured-model]")


def test_what_gives_no_prices_is_refused(checkout: Checkout) -> None:
    assert checkout.pytest("--ctx-price=toy=1").says("[bad-price]")
