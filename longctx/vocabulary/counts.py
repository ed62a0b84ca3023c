"""What must be known of a model's tokenizer before the first trial of a test is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Counts:
    """The token counts that a protocol or test function needs before its first trial is drawn.

    A live run has the server count them once per model, for free, and keeps them in the model profile.

    Example:
        >>> def probes(words):
        ...     return {"10": "The sky is blue. " * 10, "20": "The sky is blue. " * 20}
        >>> def values(counts):
        ...     return {"sentence": (counts["20"] - counts["10"]) / 10}
        >>> Counts(probes, values, needs=("sentence",)).values({"10": 57, "20": 107})
        {'sentence': 5.0}
    """

    probes: Callable[[Mapping[str, str]], dict[str, str]] = field(repr=False)
    """Given the prompt set's templates, returns the texts to count, by name.

    Each is counted as one user turn, after the model profile's system prompt and the template `system`, if any."""
    values: Callable[[Mapping[str, int]], dict[str, float]] = field(repr=False)
    """Given the token counts by name, returns the values of `ask.tokens()`. Raises ValueError if the counts are
    implausible."""
    needs: tuple[str, ...]
    """The names of values that must be present and greater than 0."""
    fits: Callable[[Any], object] = field(default=lambda cell: None, repr=False)
    """Raises ValueError if a cell does not fit the model. Read the values from `cell.counted`."""

    def __post_init__(self) -> None:
        if isinstance(self.needs, str):
            raise TypeError(f"needs is a tuple of names: write needs=({self.needs!r},)")

    # What names them in a model's profile, what is kept there of the counts, and what `ask.tokens()` gives of that.
    # The last two raise ValueError for what cannot be right.

    def key(self, digest: str, words: Mapping[str, str]) -> str:
        return digest

    def kept(self, counts: Mapping[str, int]) -> dict[str, float]:
        return self.values(counts)

    def given(self, kept: Mapping[str, float]) -> Mapping[str, float]:
        check_profile(kept, self.needs)
        return kept


def checked_counts(counts: Mapping[str, float]) -> dict[str, float]:
    """Return what was made of a server's counts. Raises ValueError if it cannot be right."""
    if bad := _not_positive(counts, counts):
        raise ValueError(f"{bad} would take {counts[bad]:g} tokens")
    return dict(counts)


def check_profile(counts: Mapping[str, float], names: Iterable[str]) -> None:
    """Raise ValueError if a [[measured]] table of a model's profile lacks one of these counts, or has one below 0."""
    if bad := _not_positive(counts, names):
        raise ValueError(
            f"the model's profile has a [[measured]] table without a usable count of {bad!r}: delete the table, so "
            "that its tokens are counted again."
        )


def _not_positive(counts: Mapping[str, float], names: Iterable[str]) -> str | None:
    return next((name for name in names if not counts.get(name, 0) > 0), None)
