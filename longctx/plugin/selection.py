"""Which of the tests that pytest selected are of longctx, and how much they measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from longctx.recording.case import Case

MARKER = "longctx"


def selected(items: Sequence[pytest.Item]) -> list[Case]:
    """The cases among the selected tests."""
    ours = [item for item in items if item.get_closest_marker(MARKER)]
    if not ours:
        return []
    from longctx.recording.case import Case

    params = (item.callspec.params for item in ours if isinstance(item, pytest.Function) and hasattr(item, "callspec"))
    return [case for found in params if isinstance(case := found.get("scenario"), Case)]


def trials(items: Sequence[pytest.Item]) -> int:
    """How many trials the selected tests have."""
    return sum(case.size for case in selected(items))


def with_minimum(items: Sequence[pytest.Item]) -> int:
    """How many of the selected cases must meet a minimum rate."""
    return sum(case.min_rate is not None for case in selected(items))
