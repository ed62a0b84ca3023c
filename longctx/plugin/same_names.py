"""Fixtures that another plugin names as longctx does, such as `check` of pytest-check.

A marked test gets longctx's, any other test the other plugin's. A fixture of the project itself replaces both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

OURS = "longctx.plugin"
"""The module of longctx's fixtures."""


def choose(metafunc: pytest.Metafunc, marked: bool) -> None:
    """Choose the fixtures of a test. marked: whether it is marked `longctx`."""
    found = metafunc.definition._fixtureinfo.name2fixturedefs
    for name, defs in found.items():
        if len(defs) > 1 and any(each.func.__module__ == OURS for each in defs):
            found[name] = _ordered(defs, marked)


def _ordered(defs: Sequence[Any], marked: bool) -> tuple[Any, ...]:
    """Return the definitions of a fixture; pytest takes the last."""

    def place(fixture: Any) -> int:
        module = fixture.func.__module__
        if module == OURS:
            return 1
        of_project = fixture.baseid or module.rpartition(".")[2] == "conftest"
        return 3 if of_project else 0 if marked else 2

    return tuple(sorted(defs, key=place))
