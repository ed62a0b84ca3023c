"""The digests of the parts of a request, which tell what differs between two requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

PARTS = ("model", "system", "tools", "messages", "parameters")
"""The names of the parts in the order in which people read them; parameters are what is in no other part."""


def as_mapping(parts: str) -> dict[str, str]:
    """Return the digest of each part of a request, by the part's name."""
    return dict(entry.split("=", 1) for entry in parts.split())


def parts_that_differ(before: str | None, after: str | None) -> dict[str, bool]:
    """Return whether each part of two requests differs, in their order; empty if the parts of either are not known.

    A digest may be kept by its beginning alone.
    """
    if not before or not after:
        return {}
    was, now = as_mapping(before), as_mapping(after)
    return {name: not _same(was.get(name), now.get(name)) for name in PARTS if name in was or name in now}


def request_difference(differ: Mapping[str, int], number: int) -> str:
    """Return what differs, and what does not. differ: in how many of `number` requests each part does.

    Example:
        >>> request_difference({"system": 60, "tools": 0, "messages": 0}, 60)
        'system; tools and messages are the same'
    """
    changed = [name if times == number else f"{name} in {times:,}" for name, times in differ.items() if times]
    same = [name for name, times in differ.items() if not times]
    if not same:
        return _listed(changed)
    verb = "is" if same in (["model"], ["system"]) else "are"
    return f"{_listed(changed)}; {_listed(same)} {verb} the same"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _same(before: str | None, after: str | None) -> bool:
    if before is None or after is None:
        return before is after
    return before.startswith(after) or after.startswith(before)
