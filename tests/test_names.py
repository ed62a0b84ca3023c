"""One name, one meaning: no two public classes or types of the library share a name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import longctx
from tests.sources import tree_of

PACKAGE = Path(longctx.__file__).parent


def test_no_two_types_share_a_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in tree_of(path).body:
            if name := name_of_type(node):
                places[name].append(str(path.relative_to(PACKAGE)))
    assert {name for name, where in places.items() if len(where) > 1} == set()


def name_of_type(node: ast.stmt) -> str | None:
    """Return the name of the public class or type alias that a statement defines, if it does; type variables aside."""
    match node:
        case ast.ClassDef(name=name):
            pass
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="TypeVar"))):
            return None
        case ast.Assign(targets=[ast.Name(id=name)]) if not name.isupper() and name[0].isupper():
            pass
        case _:
            return None
    return None if name.startswith("_") else name


def test_no_docstring_begins_with_of() -> None:
    """A docstring is a sentence, or a noun phrase that says what a thing is."""
    nodes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    begins = [
        f"{path.relative_to(PACKAGE)}: {text.splitlines()[0]}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(tree_of(path))
        if isinstance(node, nodes) and (text := ast.get_docstring(node) or "").startswith("Of ")
    ]
    assert begins == []
