"""No function has more than six parameters: what belongs together is a type with a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import longctx
from tests.sources import tree_of

PACKAGE = Path(longctx.__file__).parent
MOST = 6


def functions(node: ast.AST, within: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{within}.{child.name}", child, isinstance(node, ast.ClassDef)
            yield from functions(child, f"{within}.{child.name}")
        else:
            yield from functions(child, f"{within}.{child.name}" if isinstance(child, ast.ClassDef) else within)


def number(function: ast.FunctionDef | ast.AsyncFunctionDef, is_method: bool) -> int:
    """Return the number of parameters, `self` and `cls` not counted."""
    arguments = function.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    names += [each.arg for each in (arguments.vararg, arguments.kwarg) if each]
    return len(names) - (is_method and bool(names) and names[0] in ("self", "cls", "mcs"))


def is_protocol(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether it is a protocol: its parameters are the fixtures and axes that pytest fills in."""
    named = (each.func for each in function.decorator_list if isinstance(each, ast.Call))
    return any(isinstance(each, ast.Name) and each.id == "protocol" for each in named)


def counted() -> dict[str, int]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".")
        for name, function, is_method in functions(tree_of(path), module):
            if (parameters := number(function, is_method)) > MOST and not is_protocol(function):
                found[name] = parameters
    return found


def test_no_function_has_more_than_six_parameters() -> None:
    """Keyword-only parameters are counted, too."""
    assert counted() == {}
