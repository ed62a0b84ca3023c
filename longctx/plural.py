"""Numbers of things as text."""

from __future__ import annotations


def count(number: int, one: str, many: str = "") -> str:
    """Return, for instance, `1 trial` or `2,000 trials`. many: the plural, if it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
