"""The grouping of rows, which keeps their order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import TypeVar

from longctx.registry import in_order
from longctx.results.row import Row
from longctx.results.subject import Subject

Key = TypeVar("Key", bound=Hashable)


def grouped(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Group rows by a key."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def by_subject(rows: Iterable[Row]) -> dict[Subject, list[Row]]:
    """Group rows by subject."""
    return grouped(rows, lambda row: row.subject)


def by_family(rows: Sequence[Row], known: Collection[str] | None = None) -> dict[str, dict[Subject, list[Row]]]:
    """Group rows by family and subject; the families are ordered as by registry.in_order, which explains `known`."""
    ordered = [rows[place] for place in in_order([row.family for row in rows], known)]
    return {family: by_subject(group) for family, group in grouped(ordered, lambda row: row.family).items()}
