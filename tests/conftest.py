"""What all tests share: how hypothesis searches, what is read once, and a project of the test's own."""

import functools
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from longctx.corpus import reading
from longctx.workspace import Workspace

settings.register_profile("longctx", max_examples=50, deadline=None, derandomize=True)
"""The same examples every time, and no limit on the time of one."""
settings.load_profile("longctx")


@pytest.fixture(scope="session", autouse=True)
def read_once() -> Iterator[None]:
    """Certificates and issues are read once for all tests of a process: each takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        patch.setattr(reading, "read_issue", functools.lru_cache(maxsize=32)(reading.read_issue))
        yield


@pytest.fixture
def mine(tmp_path: Path) -> Workspace:
    """A project of this test's own, with an empty folder of each kind of data."""
    made = Workspace(tmp_path / "project")
    for kind in ("models", "baselines", "profiles"):
        made.own(kind).mkdir(parents=True)
    return made


@pytest.fixture
def within_mine(mine: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The same, as the project that commands are given in."""
    monkeypatch.chdir(mine.root)
    return mine
