"""Whether a test function judges anything, by its source."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Collection


def judges_nothing(function: Callable[..., object], fixtures: Collection[str]) -> bool:
    """Return whether a test has no assert, no raise and no check, and calls nothing of its own that may have one."""
    try:
        nodes = [*ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function))).body[0])]
    except (OSError, SyntaxError):
        return False
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    methods = {node.func.attr for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    judges = any(isinstance(node, ast.Assert | ast.Raise) or _returns(node) for node in nodes) or methods & {
        "fail",
        "raises",
        "probe",
        "chunks",
        "check",
    }
    return not (judges or "check" in called or called - {*fixtures, *dir(builtins)})


def _returns(node: ast.AST) -> bool:
    """Return whether a node returns a value, which may be an outcome."""
    return isinstance(node, ast.Return) and node.value is not None


def warning(name: str) -> str:
    """Return what is said of a test that judges nothing."""
    return f"{name} has no assert and no check, so that every reply counts as correct."
