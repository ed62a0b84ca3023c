"""The types of the arguments of pytest and of the commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from longctx.errors import BadValue

RECORD_MODES = ("none", "once", "new_episodes", "all")
SERVER = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._+-]{0,38}[A-Za-z0-9])?")
"""The name of a server, which is part of the name of a folder on every system."""


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
            raise BadValue("bad-number", f"{text!r} is not allowed: use a {noun}, {bounds}.")
        return value

    return parse


def one_of(name: str, text: str, choices: Sequence[str]) -> str:
    """Return a value of an environment variable. Raises BadValue if it is none of its choices."""
    if text not in choices:
        raise BadValue("bad-choice", f"{name} is {text!r}: use one of {', '.join(choices)}.")
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
        raise BadValue("bad-share", f"{text!r} is not allowed: use a number between 0 and 1, {ends[zero, one]}.")

    return parse


def trial_name(text: str) -> str:
    """Parse the name of a trial, as an argparse type."""
    name = text.strip().removeprefix("#")
    if not name or re.fullmatch("-[0-9]+", name):
        raise BadValue("bad-trial", f"{text!r} is not a trial: use a number from 0, or the id of a question or case.")
    return name


def label(text: str) -> tuple[str, str]:
    """Parse NAME=VALUE, as an argparse type."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise BadValue("bad-label", f"{text!r} is not a label: write NAME=VALUE, such as steps=200.")
    return name.strip(), value.strip()


def server_name(text: str) -> str:
    """Parse the name of a server, as an argparse type."""
    if not SERVER.fullmatch(text):
        raise BadValue(
            "bad-server-name",
            f"{text!r} is not a name for a server: its recordings are in a folder of that name, so use at most 40 of "
            "letters, digits, and . _ + -, with a letter or a digit at both ends, such as vllm-0.29 or kv-q4_0.",
        )
    return text
