"""Numbers on the command line: in their bounds, or a sentence."""

import math

import pytest

from longctx.config.arguments import number
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
