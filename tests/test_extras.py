"""Install hints name where longctx itself was installed from, and never its name on an index."""

from __future__ import annotations

import json
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path
from typing import Any

import pytest

from longctx.extras import EXTRAS, install, installed_from
from tests.here import HERE

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def installed(folder: Path, told: dict[str, Any] | None) -> Distribution:
    (folder / "METADATA").write_text("Metadata-Version: 2.4\nName: pytest-longctx\nVersion: 0\n")
    if told is not None:
        (folder / "direct_url.json").write_text(json.dumps(told))
    return PathDistribution(folder)


@pytest.mark.parametrize(
    ("told", "command"),
    [
        ({"url": "file:///my%20code/longctx", "dir_info": {}}, "'/my code/longctx[live,report]'"),
        ({"url": "file:///code/longctx", "dir_info": {"editable": True}}, "-e '/code/longctx[live,report]'"),
        ({"url": "file:///dist/longctx.whl", "archive_info": {}}, "'/dist/longctx.whl[live,report]'"),
        ({"url": "https://host/x.whl", "archive_info": {}}, "'pytest-longctx[live,report] @ https://host/x.whl'"),
        (
            {"url": "https://host/longctx", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
            f"'pytest-longctx[live,report] @ git+https://host/longctx@{COMMIT}'",
        ),
    ],
    ids=["folder", "editable", "wheel", "address", "git"],
)
def test_extras_come_from_where_longctx_came_from(tmp_path: Path, told: dict[str, Any], command: str) -> None:
    known = installed(tmp_path, told)
    assert install(["anthropic", "jinja2"], ["live", "report"], known) == f"pip install {command}"


def test_without_a_source_the_packages_themselves_are_named(tmp_path: Path) -> None:
    known = installed(tmp_path, None)
    assert installed_from(known) == ""
    pinned = HERE.root / "requirements.txt"
    assert install(["anthropic"], ["live"], known) == f"pip install -r {pinned}"
    assert install(["anthropic", "openai"], ["live", "openai"], known) == "pip install anthropic openai"


def test_no_hint_takes_longctx_from_an_index(tmp_path: Path) -> None:
    for told in (None, {"url": "file:///code/longctx", "dir_info": {}}):
        for extra, package in EXTRAS.values():
            assert "pytest-longctx" not in install([package], [extra], installed(tmp_path, told))


def test_no_page_takes_longctx_from_an_index() -> None:
    pages = [*HERE.root.glob("docs/**/*.md"), HERE.root / "README.md"]
    assert [page.name for page in pages if "pip install 'pytest-longctx" in page.read_text("utf-8")] == []
    assert [page.name for page in pages if "pip install pytest-longctx" in page.read_text("utf-8")] == []
