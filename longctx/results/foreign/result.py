"""One result of another evaluation tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from longctx.results.foreign.values import short

NOTHING: Mapping[str, str] = {}
"""Shared by the results of a file, of which there may be hundreds of thousands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignResult:
    """What a tool measured of an item once, by one scorer."""

    id: str
    value: object
    """The score as the tool wrote it; None if it was not measured."""
    number: int = 0
    """Distinguishes it from the repeats of its item."""
    of: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """What has to be chosen, such as the scorer."""
    band: str = "all"
    cluster: str | None = None
    cost: float | None = None
    guessing: float | None = None
    answer: str | None = None
    """The text that was scored, if the file has it."""
    expected: str | None = None
    question: str | None = None
    """What is asked, if the file has it."""
    depth: float | None = None
    """Where in the context the answer stands: from 0 to 1, or from 0 to 100 in a file with a larger one than 1."""
    reason: str | None = None
    """The scorer's explanation."""
    error: str | None = None
    """The error that it ended with: it was not measured then."""
    document: str | None = None
    """The digest of what is asked about, if the tool writes one: results of one id must have the same."""

    @property
    def name(self) -> str:
        of = ", ".join(f"{key} {short(value)}" for key, value in self.of.items())
        return f"{short(self.id)!r}{f' ({of})' if of else ''}"


item_of = attrgetter("id", "band")
"""Returns what identifies the item of a result."""


def once(results: Sequence[ForeignResult]) -> Sequence[ForeignResult]:
    """Return the results. Raises ValueError for one that occurs twice, which is no repeat."""
    seen: set[object] = set()
    for result in results:
        key = result.id, result.number, result.band, *result.of.values()
        if key in seen:
            raise ValueError(f"it has the result {result.name} twice")
        seen.add(key)
    return results
