"""No function has more than six parameters: what belongs together is a type with a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import longctx

PACKAGE = Path(longctx.__file__).parent
MOST = 6
PUBLIC = {
    "engine.run.Run.__init__": 10,
    "vocabulary.protocol.ProtocolAsk.__call__": 13,
    "vocabulary.protocol.protocol": 23,
}
"""Documented for everybody and called with names: each parameter is an option, which a type would only wrap."""
LEFT = {
    "functions.ask.Ask._answer": 7,
    "functions.asking.FunctionAsker.__init__": 7,
    "functions.cells.Function.cell": 7,
    "live.asker.Asker.__init__": 8,
    "live.run.ask_live": 9,
    "live.run._ask": 10,
    "protocols.abstention.abstention": 9,
    "protocols.aggregation.aggregation": 7,
    "protocols.collage.collage": 12,
    "protocols.conversation.drawn": 8,
    "protocols.conversation._of_several": 9,
    "protocols.coreference.coreference": 8,
    "protocols.graph_walks.graph_walks": 9,
    "protocols.latest_value.latest_value": 7,
    "protocols.multiple_needles.multiple_needles": 10,
    "protocols.short_answers.short_answers": 9,
    "protocols.variable_tracking.variable_tracking": 9,
}
"""What is still to be changed: an entry goes with its function, and none is added."""


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


def counted() -> dict[str, int]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".")
        for name, function, is_method in functions(ast.parse(path.read_text(encoding="utf-8")), module):
            if (parameters := number(function, is_method)) > MOST:
                found[name] = parameters
    return found


def test_no_function_has_more_than_six_parameters() -> None:
    """Keyword-only parameters are counted, too; the exceptions are listed with their numbers."""
    assert counted() == PUBLIC | LEFT


def test_what_is_public_takes_all_but_its_first_three_parameters_by_name() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".")
        for name, function, is_method in functions(ast.parse(path.read_text(encoding="utf-8")), module):
            if name in PUBLIC:
                assert len(function.args.args) - is_method <= 3, name
