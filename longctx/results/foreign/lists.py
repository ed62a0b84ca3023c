"""The rows inside an object: the list that a person names, or the only one that there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from longctx.results.foreign.choice import MOST_OPTIONS, OpenChoice
from longctx.results.foreign.values import listed, value_in

DEEPEST = 3
"""How deep in an object a list is looked for."""
ListedRows = list[dict[str, Any]]


def rows_of(value: Any) -> ListedRows | None:
    """Return the objects of a list, or those of an object whose keys identify them; None if it is neither."""
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return value
    if isinstance(value, dict):
        objects = {key: each for key, each in value.items() if isinstance(each, dict)}
        if len(objects) > 1 and all(each.keys() == next(iter(objects.values())).keys() for each in objects.values()):
            return [{"id": key, **each} for key, each in objects.items()]
    return None


def lists_in(record: Mapping[str, Any], before: str = "", depth: int = 1) -> Iterator[tuple[str, ListedRows]]:
    """Yield the lists of objects in an object, with their dotted names."""
    for name, value in record.items():
        if (rows := rows_of(value)) is not None:
            yield f"{before}{name}", rows
        elif isinstance(value, dict) and depth < DEEPEST:
            yield from lists_in(value, f"{before}{name}.", depth + 1)


def rows_at(record: Mapping[str, Any], name: str) -> ListedRows:
    """Return the rows in the list that a person names. Raises ValueError."""
    if (rows := rows_of(value_in(record, name))) is None:
        raise ValueError(f"its field {name!r} is no list of objects")
    return rows


def only_list(record: Mapping[str, Any]) -> tuple[str, ListedRows] | None:
    """Return the only list of objects in an object; None without one. Raises ValueError if there are several."""
    found = dict(lists_in(record))
    if len(found) > 1:
        options = [("--rows", name) for name in sorted(found, key=lambda name: -len(found[name]))][:MOST_OPTIONS]
        raise OpenChoice(f"it has several lists of objects: name one by --rows, among {listed([*found])}", options)
    return next(iter(found.items()), None)
