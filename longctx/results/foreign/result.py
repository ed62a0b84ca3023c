"""One result of another evaluation tool, and the choice among the results of a file."""

from __future__ import annotations

import contextlib
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longctx.errors import UserError
from longctx.text import visible

SCORES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""The values of inspect_ai's scorers, as its value_to_float maps them."""
WORDS = {
    **dict.fromkeys(("yes", "true", "correct", "pass", "passed"), 1.0),
    **dict.fromkeys(("no", "false", "incorrect", "wrong", "fail", "failed"), 0.0),
}
MOST_NAMED = 20
"""The most values that an error lists."""
LONGEST = 60
"""The length at which an error cuts a value."""
PLAIN = str, int, float
"""What a score is, and a field that may be a band or a cluster."""
LONGEST_ANSWER = 1000
"""The most characters that are kept of an answer."""
LONGEST_NAME = 80
"""The length from which on the text that identifies an item is cut."""


def plain(value: object) -> object:
    """Return a score as it can be kept of many results."""
    if isinstance(value, str):
        return value[: LONGEST + 1]
    return value if value is None or isinstance(value, PLAIN) else "neither a text nor a number"


def shown(value: object) -> str | None:
    """Return the beginning of an answer; None if there is none."""
    if isinstance(value, list):
        value = " | ".join(str(part)[:LONGEST_ANSWER] for part in value[:MOST_NAMED] if isinstance(part, PLAIN))
    return str(value)[:LONGEST_ANSWER] if isinstance(value, PLAIN) and value != "" else None


def text_in(content: object, name: str) -> str | None:
    """Return the beginning of a text in an object of another tool's file; None if there is none."""
    text = content.get(name) if isinstance(content, dict) else None
    return text[:LONGEST_ANSWER] if isinstance(text, str) else None


def name_of(text: str) -> str:
    """Return a text as what identifies an item: a long one is cut, and ends with its digest."""
    if len(text) <= LONGEST_NAME:
        return text
    return f"{text[:LONGEST_NAME]}… {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def name_in(fields: Mapping[str, Any], name: str) -> str:
    """Return the text or number in a field that groups or identifies items. Raises ValueError."""
    value = value_in(fields, name)
    if not isinstance(value, PLAIN) or isinstance(value, bool) or value == "":
        raise ValueError(f"its field {name!r} is neither a text nor a number")
    return name_of(str(value))


def value_in(fields: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field, or of one in an object: `scores.f1`. Raises ValueError."""
    found: Any = fields
    if name in fields:
        return fields[name]
    for part in name.split("."):
        if not isinstance(found, dict) or part not in found:
            raise ValueError(f"it has no field {_short(name)!r}, only {listed([*fields]) or 'none'}")
        found = found[part]
    return found


NAMED: Mapping[str, tuple[str, Callable[[Mapping[str, Any], str], Any]]] = {
    "id": ("id", name_in),
    "correct": ("value", lambda fields, name: plain(value_in(fields, name))),
    "answer": ("answer", lambda fields, name: shown(value_in(fields, name))),
    "expected": ("expected", lambda fields, name: shown(value_in(fields, name))),
    "band": ("band", name_in),
    "cluster": ("cluster", name_in),
}
"""The options that name a field: the attribute of a result that each fills, and how it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignResult:
    """What a tool measured of an item once, by one scorer."""

    id: str
    value: object
    """The score as the tool wrote it; None if it was not measured."""
    number: int = 0
    """Distinguishes it from the repeats of its item."""
    of: Mapping[str, str] = field(default_factory=dict)
    """What has to be chosen, such as the scorer."""
    band: str = "all"
    cluster: str | None = None
    cost: float | None = None
    guessing: float | None = None
    answer: str | None = None
    """The text that was scored, if the file has it."""
    expected: str | None = None
    reason: str | None = None
    """The scorer's explanation."""
    document: str | None = None
    """The digest of what is asked about, if the tool writes one: results of one id must have the same."""

    @property
    def name(self) -> str:
        of = ", ".join(f"{key} {_short(value)}" for key, value in self.of.items())
        return f"{_short(self.id)!r}{f' ({of})' if of else ''}"

    def score(self) -> float | None:
        """Return the score between 0 and 1; None if it was not measured. Raises ValueError."""
        value = self.value
        if isinstance(value, str):
            value = value.strip()
            value = SCORES.get(value, WORDS.get(value.lower(), value or None))
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return None
        if isinstance(value, str):
            with contextlib.suppress(ValueError):
                value = float(value)
        if isinstance(value, int | float) and 0 <= value <= 1:
            return float(value)
        raise ValueError(
            f"{_short(str(self.value))!r} is no outcome, which is true, false, a number between 0 and 1, or null (not "
            "measured)"
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """What to take from a file of another tool: `--select`, and the options that name a field."""

    select: Mapping[str, str] = field(default_factory=dict)
    named: Mapping[str, str] = field(default_factory=dict)
    """Fields by the names of their options, as in NAMED."""

    def __bool__(self) -> bool:
        return bool(self.select or self.named)

    def read(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the named fields of an item, by the attributes of its result. Raises ValueError."""
        return {NAMED[option][0]: NAMED[option][1](fields, name) for option, name in self.named.items()}

    def of(self, path: Path, results: Sequence[ForeignResult]) -> list[ForeignResult]:
        """Return the results that were chosen. Raises UserError unless they have one provider, prompt and scorer."""
        chosen = list(results)
        for key, value in self.select.items():
            if not (found := [result for result in chosen if result.of.get(key) == value]):
                raise UserError(
                    "not-in-results", f"{path} has no {visible(key)}={_short(value)}: choose one of {_choices(chosen)}."
                )
            chosen = found
        if several := _choices(chosen, least=2):
            raise UserError(
                "choose-results",
                f"{path} contains several results per item: choose one with --select, among {several}.",
            )
        return chosen


def once(results: Sequence[ForeignResult]) -> Sequence[ForeignResult]:
    """Return the results. Raises ValueError for one that occurs twice, which is no repeat."""
    seen: set[object] = set()
    for result in results:
        key = result.id, result.number, result.band, *result.of.values()
        if key in seen:
            raise ValueError(f"it has the result {result.name} twice")
        seen.add(key)
    return results


def _choices(results: Sequence[ForeignResult], least: int = 1) -> str:
    """Return the keys and values of the results. least: the fewest values of a key that is named."""
    values = {key: [*dict.fromkeys(result.of[key] for result in results)] for key in results[0].of}
    return "; ".join(
        listed([f"{key}={_short(value)}" for value in of]) for key, of in values.items() if len(of) >= least
    )


def listed(names: Sequence[str]) -> str:
    """Return the first of some names, so that they can be printed."""
    return ", ".join([*map(_short, names[:MOST_NAMED]), *(["…"] if len(names) > MOST_NAMED else [])])


def _short(text: str) -> str:
    return visible(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")
