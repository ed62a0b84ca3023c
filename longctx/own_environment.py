"""The environment as the person set it, also while variables of the process lead code under test elsewhere."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping

Values = Mapping[str, str | None]
"""The values of variables, by their names; None for one that is not set."""

_kept: list[Values] = []
"""What each replacement that is in force has replaced, the first one first."""


def variable(name: str, default: str = "") -> str:
    """Return the person's own value of a variable, as `os.environ.get` does."""
    for kept in _kept:
        if name in kept:
            value = kept[name]
            return default if value is None else value
    return os.environ.get(name, default)


@contextlib.contextmanager
def replaced(values: Values) -> Iterator[None]:
    """Give variables of this process other values, whatever becomes of them meanwhile, and then their own again.

    The processes that are started meanwhile inherit them.
    """
    before = {name: os.environ.get(name) for name in values}
    _kept.append(before)
    try:
        _set(values)
        yield
    finally:
        _kept.remove(before)
        _set(before)


def _set(values: Values) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
