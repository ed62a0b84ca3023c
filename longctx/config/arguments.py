"""The types of the arguments of pytest and of the commands."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from longctx import clocks
from longctx.errors import BadValue

if TYPE_CHECKING:
    from longctx.config.models import Prices

RECORD_MODES = ("none", "once", "new_episodes", "all")


def number(kind: type[int] | type[float], least: float, most: float | None = None) -> Callable[[str], float]:
    """Return an argparse type for a number from `least` to `most`."""
    noun = "whole number" if kind is int else "number"
    bounds = f"{least} or more" if most is None else f"{least} to {most}"

    def parse(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not value >= least or (most is not None and value > most):
            raise BadValue("bad-number", f"{text!r} is not allowed: give a {noun}, {bounds}.")
        return value

    return parse


def one_of(name: str, text: str, choices: Sequence[str]) -> str:
    """Return a value of an environment variable. Raises BadValue if it is none of its choices."""
    if text not in choices:
        raise BadValue("bad-choice", f"{name} is {text!r}: give one of {', '.join(choices)}.")
    return text


def share(zero: bool = False, one: bool = False) -> Callable[[str], float]:
    """Return an argparse type for a number between 0 and 1. zero, one: whether it may be 0, or 1, itself."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if 0 < value < 1 or (zero and value == 0) or (one and value == 1):
            return value
        ends = {
            (False, False): "not 0 or 1 itself",
            (True, False): "0 included, 1 not",
            (True, True): "0 and 1 included",
        }
        raise BadValue("bad-share", f"{text!r} is not allowed: give a number between 0 and 1, {ends[zero, one]}.")

    return parse


def trial(text: str) -> str:
    """Parse the name of a trial, as an argparse type."""
    name = text.strip().removeprefix("#")
    if not name or re.fullmatch("-[0-9]+", name):
        raise BadValue("bad-trial", f"{text!r} is not a trial: give a number from 0, or the id of a question or case.")
    return name


def label(text: str) -> tuple[str, str]:
    """Parse NAME=VALUE, as an argparse type."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise BadValue("bad-label", f"{text!r} is not a label: write NAME=VALUE, such as steps=200.")
    return name.strip(), value.strip()


def price(text: str) -> tuple[str, Prices]:
    """Parse MODEL=PRICES as prices of today, as an argparse type."""
    model, _, prices = text.rpartition("=")
    first, *longer = prices.split(",")
    try:
        rates, tiers = _rates(first), [_tier(tier) for tier in longer]
    except ValueError:
        model = ""
    if not model.strip():
        raise BadValue(
            "bad-price",
            f"{text!r} gives no prices: write MODEL=INPUT/OUTPUT or MODEL=INPUT/OUTPUT/READ/WRITE, in USD per million "
            "tokens, such as my-model=3/15/0.3/3.75. If longer prompts have other prices, add them after the "
            "number of tokens above which they apply, such as my-model=3/15,200000:6/22.5.",
        )
    if len({tier["tokens"] for tier in tiers}) < len(tiers):
        raise BadValue("two-prices", f"{text!r} gives two prices above the same number of tokens: keep one.")
    from longctx.config.models import Prices

    today = clocks.local().date()
    return model.strip(), Prices.model_validate(rates | {"above": tiers, "dated": today, "source": "--ctx-price"})


def _rates(text: str) -> dict[str, float]:
    """Parse INPUT/OUTPUT[/READ/WRITE] into the fields of `TokenPrices`. Raises ValueError."""
    usd = [float(number) for number in text.split("/")]
    if len(usd) not in (2, 4) or not all(0 <= rate < math.inf for rate in usd):
        raise ValueError
    return dict(zip(("input", "output", "cache_read", "cache_write"), usd, strict=False))


def _tier(text: str) -> dict[str, float]:
    """Parse TOKENS:INPUT/OUTPUT[/READ/WRITE] into the fields of `Tier`. Raises ValueError."""
    tokens, _, rates = text.partition(":")
    if int(tokens) < 1:
        raise ValueError
    return _rates(rates) | {"tokens": int(tokens)}
