"""The ids that pytest gives the values of parameters, which name those that have no name of their own."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import pytest

from longctx.plugin.selection import MARKER
from longctx.plugin.session import session_of


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None, object, object]:
    """Note which parameters of a marked test share an id, since pytest's items do not tell."""
    if metafunc.definition.get_closest_marker(MARKER) is None:
        return (yield)
    groups = session_of(metafunc.config).parametrized[metafunc.function.__name__] = []
    parametrize = metafunc.parametrize

    def noting(argnames: Any, *given: Any, **options: Any) -> None:
        groups.append(argnames)
        parametrize(argnames, *given, **options)

    metafunc.parametrize = noting  # type: ignore[method-assign]
    return (yield)


def ids_of(item: pytest.Function) -> Mapping[str, str]:
    """Return the ids of an item's parameters, by their names; none if pytest hides one."""
    from longctx.functions.axes import parameter_names

    groups, ids = session_of(item.config).parametrized[item.function.__name__], item.callspec._idlist
    if len(groups) != len(ids):
        return {}
    return {name: identity for group, identity in zip(groups, ids, strict=True) for name in parameter_names(group)}
