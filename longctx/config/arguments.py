"""What pytest's options and the commands share: the types of arguments, and the options of a gate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

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


def add_gate_options(
    option: Callable[..., Any], prefix: str, margin: float, alpha: float, max_age: float | None
) -> None:
    """Add the options of a gate.

    option: adds one, as `add_argument` does. prefix: the beginning of their names. margin, alpha, max_age: defaults;
    a max_age of None adds no such option.
    """
    option(
        f"{prefix}margin",
        type=share(),
        default=None,
        metavar="SHARE",
        help=f"a drop that does not matter (default: the profile's, or {margin}, {100 * margin:g} points)",
    )
    option(
        f"{prefix}alpha",
        type=share(),
        default=alpha,
        metavar="P",
        help=f"the probability of a false alarm in the whole run (default: {alpha})",
    )
    option(
        f"{prefix}on-inconclusive",
        choices=("pass", "fail"),
        default="fail",
        help="whether a run that shows neither a drop nor its absence ends with status 0 or 11 (default: fail)",
    )
    if max_age is not None:
        option(
            f"{prefix}max-age",
            type=number(float, 0),
            default=max_age,
            metavar="DAYS",
            help=f"recordings of this age or older are not accepted for a changed model (default: {max_age:g})",
        )


def add_no_looks(option: Callable[..., Any], name: str) -> None:
    """Add the option to judge all trials once. option: adds one, as `add_argument` does."""
    option(
        name,
        action="store_true",
        help="judge all trials at once; by default a gate looks at its evidence several times, and asks no more "
        "in bands that are settled",
    )


def add_concurrency(option: Callable[..., Any]) -> None:
    """Add the option that bounds the requests in flight. option: adds one, as `add_argument` does."""
    option(
        *("--concurrency", "--in-flight"),
        type=number(int, 1),
        default=4,
        metavar="N",
        help="maximum number of concurrent requests (default: 4)",
    )


def add_no_lock(option: Callable[..., Any], name: str) -> None:
    """Add the option to go on without a lock. option: adds one, as `add_argument` does."""
    option(
        name,
        action="store_true",
        help="go on where a folder cannot be locked; you make sure that no other run uses it meanwhile",
    )


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
