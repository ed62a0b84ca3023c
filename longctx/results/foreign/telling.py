"""What tells several rows of one item apart: a repeat, or something that a person has to choose."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longctx.results.foreign.values import PLAIN, name_of

REPEATS = frozenset(("epoch", "attempt", "seed", "repeat", "repetition", "trial", "run"))
"""The words that say of a field that it counts repeats."""
COUNTED = frozenset(("id", "idx", "index", "no", "num", "number", "nr", "n"))
"""The words that may stand behind them."""
KINDS = frozenset(
    """model scorer metric filter provider prompt evaluation evaluator grader judge variant system dataset task
    benchmark config configuration method strategy assertion criterion template version language""".split()
)
"""The words that say of a field that its values are to choose from."""
MOST_VALUES = 100
"""The most values of a field that a person may choose from."""
ENOUGH_GROUPS = 4
"""From so many items on, numbers that each of them has are no coincidence."""


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def is_repeat(name: str) -> bool:
    """Return whether a field counts repeats.

    Example:
        >>> [is_repeat(name) for name in ("epoch", "trial_id", "runIndex", "model_name", "run_time")]
        [True, True, True, False, False]
    """
    words = _words(name)
    while len(words) > 1 and words[-1] in COUNTED:
        words.pop()
    return bool(words) and words[-1].removesuffix("s") in REPEATS


def is_kind(name: str) -> bool:
    """Return whether the values of a field are to choose from, as its name says."""
    return not KINDS.isdisjoint(word.removesuffix("s") for word in _words(name.rpartition(".")[2]))


def plain_fields(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts and numbers of a record and of the objects in it, by dotted names."""
    for name, value in record.items():
        if isinstance(value, PLAIN):
            yield name, name_of(str(value))
        elif isinstance(value, dict):
            for inner, part in value.items():
                if isinstance(part, PLAIN):
                    yield f"{name}.{inner}", name_of(str(part))


@dataclass(slots=True)
class _Field:
    """A field in the groups of rows that share an item."""

    name: str
    is_number: bool = False
    values: Counter[str] = field(default_factory=Counter)
    of_groups: dict[object, Counter[str]] = field(default_factory=dict)

    def tells(self, only_kinds: bool) -> bool:
        """Return whether its values tell the rows of an item apart, and are to choose from."""
        groups = self.of_groups.values()
        if len(self.values) > MOST_VALUES or all(len(group) == 1 for group in groups):
            return False
        rows = self.values.total()
        if is_kind(self.name) and not self.is_number:
            return len(self.values) < rows or len(groups) == 1
        if only_kinds or len(self.values) > rows / 2 or (self.is_number and len(groups) < ENOUGH_GROUPS):
            return False
        first = next(iter(groups))
        crossed = all(group == first for group in groups)
        return crossed or all(max(group.values()) == 1 for group in groups)


def telling(
    records: Sequence[tuple[object, Mapping[str, Any]]], ignored: Collection[str], only_kinds: bool
) -> dict[str, list[str]]:
    """Return the fields that tell the rows of one group apart and have to be chosen, each with its values.

    records: rows, each with its group, such as its id. ignored: the fields that are read otherwise. only_kinds: whether
    repeats explain all rows of a group, so that a field counts only if it is named like a choice.
    """
    fields: dict[str, _Field] = {}
    ended: set[str] = set()
    for group, record in records:
        for name, value in plain_fields(record):
            if name in ended or name in ignored or is_repeat(name):
                continue
            known = fields.setdefault(name, _Field(name))
            known.is_number |= not isinstance(record.get(name, ""), str)
            known.values[value] += 1
            known.of_groups.setdefault(group, Counter())[value] += 1
            if len(known.values) > MOST_VALUES:
                ended.add(name)
                del fields[name]
    found = sorted(
        (known for known in fields.values() if known.tells(only_kinds)), key=lambda each: not is_kind(each.name)
    )
    return {name: [*fields[name].values] for name in _needed(records, [known.name for known in found])}


def _needed(records: Sequence[tuple[object, Mapping[str, Any]]], names: Sequence[str]) -> list[str]:
    """Return the names without those whose values follow from those before them."""
    kept: list[str] = []
    parts: list[tuple[object, ...]] = [(group,) for group, _ in records]
    for name in names:
        more = [(*part, dict(plain_fields(record)).get(name)) for part, (_, record) in zip(parts, records, strict=True)]
        if len(set(more)) > len(set(parts)):
            kept, parts = [*kept, name], more
    return kept
