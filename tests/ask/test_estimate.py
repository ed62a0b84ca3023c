"""What a run is about to ask, in a line for each family and model."""

from __future__ import annotations

import datetime

from longctx.ask.estimate import estimate
from longctx.config.models import Prices, TokensPerUnit
from tests.ask.examples import line_case, passkey_case

PRICES = Prices(input=1000, output=2000, dated=datetime.date(2026, 1, 1))


def test_a_line_for_each_family_and_model() -> None:
    cases = [line_case(3), line_case(5), passkey_case(), line_case(3, model="other")]
    found = estimate((case, case.size) for case in cases)
    assert [(one.model, one.family, one.trials) for one in found] == [
        ("toy", "line_retrieval", 4),
        ("toy", "passkey", 2),
        ("other", "line_retrieval", 2),
    ]


def test_only_what_is_asked_costs() -> None:
    known = {"prices": PRICES, "tokens": TokensPerUnit(line=20)}
    few, many = line_case(10, trials=3, **known), line_case(100, trials=3, **known)
    [found] = estimate([(few, 1), (many, 2)])
    assert (found.to_ask, found.trials) == (3, 6)
    assert (found.input_tokens, found.output_tokens) == (300 + 2 * 2100, 30)
    assert found.price == (4500 * 1000 + 30 * 2000) / 1e6
    assert str(found) == (
        "line_retrieval on toy: 3 of 6 trials to ask, about 4,500 input and at most 30 output tokens, about $4.56."
    )


def test_a_price_that_is_not_known_is_said_to_be_unknown() -> None:
    [found] = estimate([(line_case(), 0)])
    assert str(found).endswith("0 of 2 trials to ask, about 0 input and at most 0 output tokens, price not known.")
