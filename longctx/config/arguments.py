"""Types of command-line arguments that pytest's options and the commands share: a value, or a sentence."""

from __future__ import annotations

import argparse
from collections.abc import Callable

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
