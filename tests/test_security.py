"""docs/security.md: each line of its tables names tests that exist and that name the line."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "security.md"
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def lines() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the name of each line of the tables, with the file and the name of each of its tests."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    return [(row[0], TEST.findall(row[-1])) for row in rows if row[0] not in ("line", "---")]


def test_each_line_has_a_name_of_its_own_and_a_test() -> None:
    names = [name for name, _ in lines()]
    assert len(set(names)) == len(names) > 0
    assert [name for name, tests in lines() if not tests] == []


def test_each_test_exists_and_names_its_line() -> None:
    missing = []
    for name, tests in lines():
        for path, test in tests:
            functions = [node for node in ast.walk(ast.parse((ROOT / path).read_text())) if _is(node, test)]
            if not any(f"docs/security.md, {name}" in (ast.get_docstring(node) or "") for node in functions):
                missing.append(f"{path}::{test} for {name}")
    assert missing == []


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == name
