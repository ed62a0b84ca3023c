"""Which parameter gives the length of the context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LENGTHS = ("fill", "tokens", "length", "lines", "size", "k", "window", "budget", "context")
"""The names of parameters that give it where nothing is declared: the first that there is."""


def length_of(params: Mapping[str, object], names: Sequence[str] = LENGTHS) -> str | None:
    """Return the first of these names whose parameter is a number; None if there is none."""
    return next((name for name in names if isinstance(params.get(name), int | float)), None)
