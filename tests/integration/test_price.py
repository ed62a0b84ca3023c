"""--ctx-price: prices on the command line, instead of a profile's; the report says what was paid, and by which."""

from __future__ import annotations

import datetime
import json

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
        "70% of them read from the server's cache and 20% written to it",
    )
    run = json.loads(checkout.file("reports/latest/run.json").read_text())
    given = {"input": 10, "output": 0, "cache_read": 1, "cache_write": 12.5, "batch_discount": 0}
    assert run["prices"] == {"toy": given | {"dated": today, "source": "--ctx-price"}}
    assert {row["cache_write_tokens"] for row in checkout.rows()} == {200_000}
    said = f"toy: 4 answers replayed had cost ${paid:,.2f} when asked, at prices of {today}."
    assert checkout.pytest(price, "-n2").says(said)
    assert said in checkout.file("reports/latest/summary.md").read_text()
    assert "had cost" not in checkout.pytest().out


def test_a_cap_takes_them(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.record(server, "--ctx-max-cost=0.001", "--ctx-price=toy=10000/0")
    assert result.says("asked 0 of 4 trials: the cap of $0.00 leaves no room for it")
    assert not server.asked


def test_a_mistyped_model_is_named(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-price=toi=1/2")
    assert result.code == 4
    assert result.says("--ctx-price names 'toi', which this run does not measure: it measures toy.")


def test_what_gives_no_prices_is_told_so(checkout: Checkout) -> None:
    assert checkout.pytest("--ctx-price=toy=1").says("'toy=1' gives no prices: write MODEL=INPUT/OUTPUT")
