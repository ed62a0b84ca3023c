"""The formulas that a slot may contain: arithmetic over facts, and calls of the generator's functions ("verbs")."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

Verbs = Mapping[str, Callable[..., Any]]
OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def evaluate(formula: str, facts: Mapping[str, Any], verbs: Verbs) -> Any:
    """Evaluate a formula in Python syntax, such as `quota * number(88, 97) // 100`.

    A name is a fact, a called name a verb, and `record.entry` an entry of a record. Calls are evaluated from left to
    right. Raises KeyError for an unknown name, ValueError for any other Python expression.
    """

    def value(node: ast.AST | None) -> Any:
        match node:
            case None:
                return None
            case ast.Constant(value=constant):
                return constant
            case ast.Name(id=name):
                return facts[name]
            case ast.Call(func=ast.Name(id=name), args=args):
                return verbs[name](*(item for arg in args for item in values(arg)))
            case ast.Attribute(value=record, attr=entry):
                return value(record)[entry]
            case ast.Subscript(value=items, slice=index):
                return value(items)[value(index)]
            case ast.Slice(lower=lower, upper=upper):
                return slice(value(lower), value(upper))
            case ast.List(elts=elements):
                return [value(element) for element in elements]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
                return OPERATORS[type(sign)](value(left), value(right))
        raise ValueError(f"The formula {formula!r} says more than a formula may.")

    def values(arg: ast.expr) -> list[Any]:
        return list(value(arg.value)) if isinstance(arg, ast.Starred) else [value(arg)]

    return value(_parsed(formula))


@cache
def _parsed(formula: str) -> ast.expr:
    return ast.parse(formula, mode="eval").body
