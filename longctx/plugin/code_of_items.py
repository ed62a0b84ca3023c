"""The code of the tests that pytest has collected."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from longctx.functions.code_digest import CodeOfTest, Project
from longctx.plugin.session import session_of


def code_of(item: pytest.Function) -> str | None:
    """Return the digest of the code of a test, its fixtures' included; None if it is not known."""
    if (found := _code(item.function)) is None:
        return None
    session = session_of(item.config)
    session.code = session.code or Project(item.config.rootpath)
    return session.code.digest(CodeOfTest(_file(found), found.co_qualname, tuple(_fixtures(item))))


def _fixtures(item: pytest.Function) -> Iterator[tuple[Path, str]]:
    for defs in item._fixtureinfo.name2fixturedefs.values():
        for each in defs:
            if found := _code(each.func):
                yield _file(found), found.co_qualname.partition(".")[0]


def _code(function: Callable[..., Any]) -> CodeType | None:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code if isinstance(code, CodeType) else None


def _file(code: CodeType) -> Path:
    return Path(code.co_filename).resolve()
