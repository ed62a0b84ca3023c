"""The sides of a comparison of servers, as a person writes them."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from longctx import clocks
from longctx.engine.serving_sides import sides_of
from longctx.workspace import Workspace

URLS = "http://old:8000", "http://new.example.org:8000"


@pytest.fixture
def one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock: two commands may run within a second."""
    monkeypatch.setattr(clocks, "local", lambda: datetime.datetime(2026, 11, 29, 3, 4, 5))


@pytest.mark.usefixtures("one_second")
def test_a_url_has_a_name_that_no_recording_has(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    names = []
    for _ in range(3):
        sides = sides_of(*URLS, workspace, "toy")
        names.append(tuple(side.name for side in sides))
        for side in sides:
            (workspace.cassettes / f"toy,server={side.name}").mkdir(parents=True)
    assert names == [
        ("old-1129-030405-old", "new-example-org-1129-030405-new"),
        ("old-1129-030405-2-old", "new-example-org-1129-030405-2-new"),
        ("old-1129-030405-3-old", "new-example-org-1129-030405-3-new"),
    ]
