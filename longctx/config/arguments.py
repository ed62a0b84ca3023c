"""Types of command-line arguments that pytest's options and the commands share: a value, or a sentence."""

from __future__ import annotations

import argparse
import datetime
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from longctx.config.models import Prices

RECORD_MODES = ("none", "once", "new_episodes", "all")


def number(kind: type[int] | type[float], least: float, most: float | None = None) -> Callable[[str], float]:
    """An argparse type: a number in its bounds, or a sentence."""
    bounds = f"at least {least}" if most is None else f"{least} to {most}"

    def parse(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not value >= least or (most is not None and value > most):
            raise argparse.ArgumentTypeError(f"{text!r} is no {'whole ' if kind is int else ''}number of {bounds}.")
        return value

    return parse


def price(text: str) -> tuple[str, Prices]:
    """An argparse type: a model's prices as of today, or a sentence."""
    model, _, prices = text.rpartition("=")
    try:
        usd = [float(one) for one in prices.split("/")]
    except ValueError:
        usd = []
    if not model.strip() or len(usd) not in (2, 4) or not all(0 <= one < math.inf for one in usd):
        raise argparse.ArgumentTypeError(
            f"{text!r} gives no prices: write MODEL=INPUT/OUTPUT or MODEL=INPUT/OUTPUT/READ/WRITE, in USD per million "
            "tokens, such as my-model=3/15/0.3/3.75."
        )
    from longctx.config.models import Prices

    names = ("input", "output", "cache_read", "cache_write")
    today = datetime.date.today()
    return model.strip(), Prices(**dict(zip(names, usd, strict=False)), dated=today, source="--ctx-price")
