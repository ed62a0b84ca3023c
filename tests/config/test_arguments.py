"""Arguments: a value in its bounds, or a sentence."""

import argparse

import pytest

from longctx.config.arguments import number


def test_a_number_in_its_bounds() -> None:
    assert number(int, 2, 20)("20") == 20
    assert number(float, 0)("0.5") == 0.5


@pytest.mark.parametrize("text", ["1", "21", "2.5", "two", "", "nan"])
def test_another_is_a_sentence(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f"'{text}' is no whole number of 2 to 20."):
        number(int, 2, 20)(text)


def test_without_an_upper_bound() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="'nan' is no number of at least 0"):
        number(float, 0)("nan")
