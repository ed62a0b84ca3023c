"""docs/security.md: each line of its tables is named in the docstring of a test, and each docstring names a line."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.sources import tree_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "security.md"
NAMED = re.compile(r"docs/security\.md, ([\w-]+)")


def lines() -> list[str]:
    """Return the name of each line of the tables."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    return [row[0] for row in rows if row[0] != "line" and not row[0].startswith("---")]


def named() -> set[str]:
    """Return the lines that docstrings of tests name."""
    docstrings = (
        ast.get_docstring(node) or ""
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )
    return {name for words in docstrings for name in NAMED.findall(words)}


def test_each_line_has_a_name_of_its_own_and_a_test() -> None:
    names = lines()
    assert len(set(names)) == len(names) > 30
    assert {*names} == named()
