"""What all tests share: how hypothesis searches, and a project of the test's own."""

from pathlib import Path

import pytest
from hypothesis import settings

from longctx.workspace import Workspace

settings.register_profile("longctx", max_examples=50, deadline=None, derandomize=True)
"""The same examples every time, and no limit on the time of one."""
settings.load_profile("longctx")


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
