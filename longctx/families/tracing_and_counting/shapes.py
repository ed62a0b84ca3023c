"""Readable names of the scenarios of tracing and counting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Params = Mapping[str, Any]


def tracking(params: Params) -> str:
    """Return a name such as `1 chain of 4 hops`."""
    return f"{counted(params['chains'], 'chain')} of {counted(params['hops'], 'hop')}"


def needles(params: Params) -> str:
    """Return a name such as `4 of 8 keys, 1 value each`."""
    keys = counted(params["keys"], "key")
    some = keys if params["queries"] == params["keys"] else f"{params['queries']} of {keys}"
    return f"{some}, {counted(params['values'], 'value')}{' each' if params['keys'] > 1 else ''}"


def words(params: Params) -> str:
    """Return a name such as `alpha 2`."""
    return f"alpha {params['alpha_percent'] / 100:g}"


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
