"""What a test needs of a model's tokens: every count must be positive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def checked_counts(counts: Mapping[str, float]) -> dict[str, float]:
    """Return what was made of a server's counts. Raises ValueError if it cannot be right."""
    if bad := _not_positive(counts, counts):
        raise ValueError(f"{bad} would take {counts[bad]:g} tokens")
    return dict(counts)


def check_profile(counts: Mapping[str, float], names: Iterable[str]) -> None:
    """Raise ValueError if a [[measured]] table of a model's profile lacks one of these counts, or has one below 0."""
    if bad := _not_positive(counts, names):
        raise ValueError(
            f"the model's profile has a [[measured]] table without a usable count of {bad!r}: delete the table, and "
            "its tokens are counted again."
        )


def _not_positive(counts: Mapping[str, float], names: Iterable[str]) -> str | None:
    return next((name for name in names if not counts.get(name, 0) > 0), None)
