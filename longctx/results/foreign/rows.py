"""Rows that a person or a program wrote: an item's id and its outcome, under any names, with any fields besides."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from longctx.results.foreign.result import PLAIN, Choice, ForeignResult, listed, name_in, name_of, plain, shown
from longctx.results.records import likely_id

KINDS = "scorer", "metric", "filter", "model", "provider", "prompt"
"""The fields that may tell several results of an item apart, one of which has to be chosen then."""
OPTIONAL = "band", "cluster", "cost", "guessing"
"""The fields that count, and may be left out, so that a misspelt one would go unnoticed."""
OUTCOMES = "correct", "score"
LIKE_AN_OUTCOME = re.compile(r".*(?:correct|judg|pass|success|score|acc|match|right|f1)", re.IGNORECASE)


def results(record: Mapping[str, Any], choice: Choice) -> Iterator[ForeignResult]:
    """Yield the result of a row. Raises ValueError."""
    named = choice.named
    outcomes = [name for name in OUTCOMES if name in record]
    missing = [
        name for name, there in (("id", "id" in record), ("correct", outcomes)) if not there and name not in named
    ]
    if missing:
        raise ValueError(_not_understood(record, missing))
    if len(outcomes) > 1 and "correct" not in named:
        raise ValueError("it has both correct and score: name one of them, as in --correct score")
    for name in OPTIONAL:
        if (
            name not in record
            and name not in named
            and (wrong := next((key for key in record if _near(key, name)), None))
        ):
            raise ValueError(f"it has no field {name!r}, but {wrong!r}: rename it")
    found = ForeignResult(
        id="" if "id" in named else name_in(record, "id"),
        value=plain(record[outcomes[0]]) if outcomes else None,
        of={key: name_of(str(record[key])) for key in (*KINDS, *choice.select) if isinstance(record.get(key), PLAIN)},
        band=name_in(record, "band") if "band" in record and "band" not in named else "all",
        cluster=name_in(record, "cluster") if record.get("cluster") not in (None, "") else None,
        cost=_amount(record, "cost"),
        guessing=_amount(record, "guessing", below=1),
        answer=shown(record.get("answer")),
        expected=shown(record.get("expected")),
    )
    yield replace(found, **choice.read(record))


def complete(results: Sequence[ForeignResult], choice: Choice) -> Sequence[ForeignResult]:
    """Return the results, each with what has to be chosen: what tells several results of an item apart."""
    first: dict[tuple[str, str], Mapping[str, str]] = {}
    telling = {*choice.select}
    for result in results:
        of = first.setdefault((result.id, result.band), result.of)
        telling |= {key for key in of.keys() | result.of.keys() if of.get(key) != result.of.get(key)}
    return [
        replace(result, of={key: result.of.get(key, "-") for key in telling}) if result.of or telling else result
        for result in results
    ]


def _not_understood(record: Mapping[str, Any], missing: Sequence[str]) -> str:
    """Say which fields there are, and which options name them."""
    likely = {
        "id": likely_id(record),
        "correct": next((name for name in record if LIKE_AN_OUTCOME.match(name) and _is_outcome(record[name])), None),
    }
    example = " ".join(f"--{name} {likely[name]}" for name in missing if likely[name])
    options = example or " and ".join(f"--{name} FIELD" for name in missing)
    return (
        f"it has no field {' and no field '.join(map(repr, missing))}, only {listed([*record]) or 'none'}. Options "
        f"name them: {options}; --answer, --expected, --band and --cluster name others"
    )


def _is_outcome(value: object) -> bool:
    try:
        return ForeignResult(id="", value=plain(value)).score() is not None
    except ValueError:
        return False


@functools.lru_cache(maxsize=10_000)
def _near(key: str, name: str) -> bool:
    """Return whether a name is misspelt: one letter of a long one, else two letters that changed places, or an s."""
    key = key.lower()
    if abs(len(key) - len(name)) > 1:
        return False
    same = next((place for place, (one, other) in enumerate(zip(key, name, strict=False)) if one != other), len(name))
    ours, theirs = key[same:], name[same:]
    swapped = ours[:2] == theirs[1::-1] and ours[2:] == theirs[2:]
    one_letter = ours[1:] == theirs[1:] or ours[1:] == theirs or ours == theirs[1:]
    return key in (name, f"{name}s") or swapped or (one_letter and len(name) > len("cost"))


def _amount(record: Mapping[str, Any], name: str, below: float = math.inf) -> float | None:
    value = record.get(name)
    if value in (None, ""):
        return None
    try:
        amount = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        amount = math.nan
    if not 0 <= amount < below:
        raise ValueError(f"its field {name!r} is no number from 0{f', below {below}' if below < math.inf else ''}")
    return amount
