"""The cells among the tests that pytest selected."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import pytest

from longctx.plugin.session import session_of, state_of

if TYPE_CHECKING:
    from longctx.cells.cell import Cell

MARKER = "longctx"
SUBJECT = "longctx_subject"
"""The parameter of a test function that contains the model, the prompt set, the shape and the strategy."""
CELL = "longctx_cell"
"""The parameter of a protocol that contains its cell."""


def mark_protocol(found: object) -> None:
    """Give a protocol that pytest found the marker of longctx, besides those that it has."""
    if "__longctx__" not in getattr(found, "__dict__", {}):  # protocol.KEY: importing it would load numpy everywhere
        return
    marks = getattr(found, "pytestmark", [])
    if not any(mark.name == MARKER for mark in marks):
        found.pytestmark = [*marks, getattr(pytest.mark, MARKER).mark]  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Stands for the cells of a test that the profile leaves out."""

    reason: str


def deselect_left_out(items: list[pytest.Item], config: pytest.Config) -> None:
    """Deselect the tests that the profile leaves out, and keep the reasons."""
    left_out = {item.nodeid: reason for item in items if (reason := _why_left_out(item))}
    if left_out:
        session_of(config).left_out.update(left_out)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]


def _why_left_out(item: pytest.Item) -> str:
    params = item.callspec.params if hasattr(item, "callspec") else {}
    stands = next((params[name] for name in (CELL, SUBJECT) if name in params), None)
    return stands.reason if isinstance(stands, LeftOut) else ""


def is_function(item: pytest.Item) -> bool:
    """Return whether an item is a cell of a test function, and not of a protocol."""
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return SUBJECT in params


def is_cell(item: pytest.Item) -> bool:
    """Return whether an item is a cell of a test function or of a protocol."""
    return is_function(item) or cell_of(item) is not None


def is_unittest(item: pytest.Item) -> bool:
    """Return whether an item is a marked method of a unittest.TestCase, which pytest does not parametrize."""
    unittest = sys.modules.get("unittest")
    own_class = getattr(item, "cls", None)
    if unittest is None or own_class is None or not issubclass(own_class, unittest.TestCase):
        return False
    return item.get_closest_marker(MARKER) is not None


def selected(items: Sequence[pytest.Item]) -> list[Cell]:
    """Return the cells of the selected tests that are marked."""
    marked = [item for item in items if item.get_closest_marker(MARKER)]
    if not marked:
        return []
    from longctx.cells.cell import Cell

    functions = (item for item in marked if isinstance(item, pytest.Function) and hasattr(item, "callspec"))
    found_cells = ((item, state_of(item).function_cell) for item in functions)
    cells = (found.cell if found else cell_of(item) for item, found in found_cells)
    return [cell for cell in cells if isinstance(cell, Cell)]


def cell_of(item: pytest.Item) -> Cell | None:
    """Return the cell of a protocol that an item is; None for any other test."""
    if not (isinstance(item, pytest.Function) and hasattr(item, "callspec")):
        return None
    return cast("Cell | None", item.callspec.params.get(CELL))


def trials(items: Sequence[pytest.Item]) -> int:
    """Return the number of trials in the selected tests."""
    return sum(cell.size for cell in selected(items))


def cells(items: Sequence[pytest.Item]) -> int:
    """Return the number of cells in the selected tests."""
    return len(selected(items))


def with_minimum(items: Sequence[pytest.Item]) -> int:
    """Return the number of selected cells with a minimum rate."""
    return sum(cell.min_rate is not None for cell in selected(items))
