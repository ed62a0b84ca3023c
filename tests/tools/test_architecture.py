"""The map of the package in docs/architecture.md."""

from __future__ import annotations

import re

from tests.here import HERE


def test_the_map_has_every_room_and_module_at_the_top() -> None:
    page = (HERE.root / "docs/architecture.md").read_text(encoding="utf-8")
    listed = re.findall(r"^  ([a-z_.]+/?) +\S", page, re.M)
    here = [
        path for path in (HERE.root / "longctx").iterdir() if (path / "__init__.py").exists() or path.suffix == ".py"
    ]
    assert sorted(listed) == sorted(path.name + "/" * path.is_dir() for path in here)
