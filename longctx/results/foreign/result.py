"""One result of another evaluation tool, and the choice among the results of a file."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.text import visible

SCORES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""The values of inspect_ai's scorers, as its value_to_float maps them."""
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
MOST_NAMED = 20
"""The most values that an error lists."""
LONGEST = 60
"""The length at which an error cuts a value."""


LONGEST_ANSWER = 1000
"""The most characters that are kept of an answer."""


def text_in(content: object, name: str) -> str | None:
    """Return the beginning of a text in an object of another tool's file; None if there is none."""
    text = content.get(name) if isinstance(content, dict) else None
    return text[:LONGEST_ANSWER] if isinstance(text, str) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignResult:
    """What a tool measured of an item once, by one scorer."""

    id: str
    number: int = 0
    """What tells it from the repeats of its item."""
    of: Mapping[str, str]
    """What has to be chosen, such as the scorer."""
    value: object
    """The score as the tool wrote it; None if it was not measured."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What may be a band or a cluster."""
    cost: float | None = None
    answer: str | None = None
    """The text that was scored, if the file has it."""
    reason: str | None = None
    """What the scorer said of it."""
    document: str | None = None
    """The digest of what is asked about, if the tool writes one: results of one id must have the same."""

    @property
    def name(self) -> str:
        return f"{_short(self.id)!r} ({', '.join(f'{key} {_short(value)}' for key, value in self.of.items())})"

    def score(self) -> float | None:
        """Return the score between 0 and 1; None if it was not measured. Raises ValueError."""
        value = self.value
        if isinstance(value, str):
            value = SCORES.get(value, WORDS.get(value.lower(), value))
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return None
        if isinstance(value, str):
            with contextlib.suppress(ValueError):
                value = float(value)
        if isinstance(value, int | float) and 0 <= value <= 1:
            return float(value)
        raise ValueError("its score is not between 0 and 1")

    def text(self, name: str) -> str:
        """Return the text of a field. Raises ValueError."""
        if name not in self.fields:
            raise ValueError(f"it has no field {name!r}, only {_listed([*self.fields]) or 'none'}")
        value = self.fields[name]
        if not isinstance(value, str | int | float):
            raise ValueError(f"its field {name!r} is neither a text nor a number")
        return str(value)


@dataclass(frozen=True, slots=True)
class Choice:
    """What to take from a file of another tool: `--select`, `--cluster` and `--band`."""

    select: Mapping[str, str] = field(default_factory=dict)
    cluster: str | None = None
    band: str | None = None

    def __bool__(self) -> bool:
        return bool(self.select or self.cluster or self.band)

    def of(self, path: Path, results: Sequence[ForeignResult]) -> list[ForeignResult]:
        """Return the results that were chosen. Raises UserError unless they have one provider, prompt and scorer."""
        chosen = list(results)
        for key, value in self.select.items():
            if not (found := [result for result in chosen if result.of.get(key) == value]):
                raise UserError(
                    "not-in-results", f"{path} has no {visible(key)}={_short(value)}: choose of {_choices(chosen)}."
                )
            chosen = found
        if several := _choices(chosen, least=2):
            raise UserError(
                "choose-results",
                f"{path} contains several results per item: choose one with --select, among {several}.",
            )
        return chosen


def _choices(results: Sequence[ForeignResult], least: int = 1) -> str:
    """Return the keys and values of the results. least: the fewest values of a key that is named."""
    values = {key: [*dict.fromkeys(result.of[key] for result in results)] for key in results[0].of}
    return "; ".join(
        _listed([f"{key}={_short(value)}" for value in of]) for key, of in values.items() if len(of) >= least
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join([*map(_short, names[:MOST_NAMED]), *(["…"] if len(names) > MOST_NAMED else [])])


def _short(text: str) -> str:
    return visible(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")
