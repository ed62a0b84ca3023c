"""Numbers and prices on the command line: in their bounds, or a sentence."""

import datetime
import math

import pytest

from longctx.config.arguments import number, price
from longctx.config.models import Tier
from tests.refusals import refused


@pytest.mark.parametrize(("text", "value"), [("1", 1), ("4", 4), ("1000000", 1_000_000), (" 7 ", 7)])
def test_an_integer_is_read(text: str, value: int) -> None:
    read = number(int, 1)(text)
    assert read == value
    assert isinstance(read, int)


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("1", 1), ("0.9", 0.9), ("9e-1", 0.9)])
def test_a_share_is_read(text: str, value: float) -> None:
    read = number(float, 0, 1)(text)
    assert read == pytest.approx(value)
    assert isinstance(read, float)


def test_a_number_may_have_no_upper_bound() -> None:
    assert number(float, 0)("1e9") == 1e9
    assert number(float, 0)("inf") == math.inf


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "1e3", "many", "", "nan"])
def test_an_invalid_integer_in_its_bounds_is_refused(text: str) -> None:
    with refused("bad-number", repr(text), "whole", "1"):
        number(int, 1)(text)


@pytest.mark.parametrize("text", ["-0.1", "1.1", "90", "90%", "nan", "inf", "-inf", ""])
def test_an_invalid_share_is_refused(text: str) -> None:
    with refused("bad-number", repr(text), "0", "1"):
        number(float, 0, 1)(text)


def test_prices_are_read_with_and_without_those_of_the_cache() -> None:
    model, prices = price("some/model=v2=3/15")
    assert (model, prices.input, prices.output, prices.cache_read) == ("some/model=v2", 3, 15, None)
    assert (prices.dated, prices.source) == (datetime.date.today(), "--ctx-price")
    _, prices = price("m=3/15/0.3/3.75")
    assert (prices.cache_read, prices.cache_write) == (0.3, 3.75)


def test_prices_of_longer_prompts_are_read() -> None:
    model, prices = price("org/m:v2=0.1/0.5/0.01/0.125,100000:0.5/2.5/0.05/0.625,500000:1/5")
    assert (model, prices.cache_read) == ("org/m:v2", 0.01)
    assert prices.above == (
        Tier(tokens=100_000, input=0.5, output=2.5, cache_read=0.05, cache_write=0.625),
        Tier(tokens=500_000, input=1, output=5),
    )


def test_two_prices_of_one_length_are_a_mistake() -> None:
    with refused("two-prices"):
        price("m=1/2,100:3/4,100:5/6")


@pytest.mark.parametrize("text", ["", "m", "m=", "m=3", "m=3/15/0.3", "=3/15", "m=3/-1", "m=a/b", "m=inf/1", "m=nan/1"])
@pytest.mark.parametrize("tier", ["", ",200000:6/22"])
def test_what_gives_no_prices_is_refused(text: str, tier: str) -> None:
    with refused("bad-price"):
        price(f"{text}{tier}")


@pytest.mark.parametrize(
    "tier", ["", ":6/22", "200000", "200000:6", "0:6/22", "-1:6/22", "2e5:6/22", "many:6/22", "1:6/a"]
)
def test_what_gives_no_prices_of_longer_prompts_is_refused(tier: str) -> None:
    with refused("bad-price"):
        price(f"m=3/15,{tier}")
