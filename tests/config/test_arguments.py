"""Numbers on the command line: in their bounds, or a sentence."""

import argparse
import math

import pytest

from longctx.config.arguments import number


@pytest.mark.parametrize(("text", "value"), [("1", 1), ("4", 4), ("1000000", 1_000_000), (" 7 ", 7)])
def test_a_whole_number_is_read(text: str, value: int) -> None:
    found = number(int, 1)(text)
    assert found == value
    assert isinstance(found, int)


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("1", 1), ("0.9", 0.9), ("9e-1", 0.9)])
def test_a_share_is_read(text: str, value: float) -> None:
    found = number(float, 0, 1)(text)
    assert found == pytest.approx(value)
    assert isinstance(found, float)


def test_a_number_may_have_no_upper_bound() -> None:
    assert number(float, 0)("1e9") == 1e9
    assert number(float, 0)("inf") == math.inf


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "1e3", "many", "", "nan"])
def test_what_is_no_whole_number_in_its_bounds_is_told_so(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        number(int, 1)(text)
    assert str(caught.value) == f"{text!r} is no whole number of at least 1."


@pytest.mark.parametrize("text", ["-0.1", "1.1", "90", "90%", "nan", "inf", "-inf", ""])
def test_what_is_no_share_is_told_so(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        number(float, 0, 1)(text)
    assert str(caught.value) == f"{text!r} is no number of 0 to 1."
