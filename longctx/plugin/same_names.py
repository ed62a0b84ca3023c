"""Fixtures that another plugin names as longctx does, such as `check` of pytest-check.

Whose fixture a marked test means cannot be known, so that it must say `ctx.check`; any other test gets the other
plugin's. A fixture of the project itself replaces both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from longctx.errors import UserError

OF_CTX = ("ask", "draw", "case", "check", "judge", "prompt")
"""The fixtures that `ctx` has as attributes."""
OURS = "longctx.plugin"
"""The module of longctx's fixtures."""


def choose_fixtures(metafunc: pytest.Metafunc, marked: bool) -> UserError | None:
    """Choose the fixtures of a test. Returns the mistake in a marked test that uses a name which two plugins have.

    marked: whether it is marked `longctx`.
    """
    info = metafunc.definition._fixtureinfo
    for name, defs in info.name2fixturedefs.items():
        if len(defs) > 1 and any(each.func.__module__ == OURS for each in defs):
            info.name2fixturedefs[name] = chosen = _ordered(defs, marked)
            others = [each.func.__module__ for each in defs if each.func.__module__ != OURS]
            ours = chosen[-1].func.__module__ == OURS
            if marked and ours and name in OF_CTX and name in info.argnames:
                return UserError(
                    "fixture-of-two-plugins",
                    f"{metafunc.function.__name__} uses the fixture {name}, which {others[-1]} also defines: write "
                    f"ctx.{name}, with the fixture ctx of longctx.",
                )
    return None


def _ordered(defs: Sequence[Any], marked: bool) -> tuple[Any, ...]:
    """Return the definitions of a fixture; pytest takes the last."""

    def place(fixture: Any) -> int:
        module = fixture.func.__module__
        if module == OURS:
            return 1
        in_project = fixture.baseid or module.rpartition(".")[2] == "conftest"
        return 3 if in_project else 0 if marked else 2

    return tuple(sorted(defs, key=place))
