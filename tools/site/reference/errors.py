"""The page of all mistakes that a user can make: their codes, their sentences, and the modules that raise them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import longctx
from longctx.errors import UserError
from tools.site.reference.markdown import code, table, text

PACKAGE = Path(longctx.__file__).parent
HEAD = """# Errors

A sentence, with a code behind it, explains each mistake: in the output of the commands and of pytest, in the reason of
an `invalid` verdict, and in the row of a trial that was not measured. A script may rely on the codes; sentences may
change. The words in italics are filled in.

"""
PASSING_ON = {"join", "map", "repr", "str", "sorted", "next", "iter", "len"}
"""Functions that are named after their arguments in a sentence."""
NAMELESS = "…"


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """A mistake. sentence: with {names} for the parts to fill in. file: the module that raises it."""

    code: str
    sentence: str
    file: str


def page() -> str:
    places: dict[tuple[str, str], list[str]] = {}
    for mistake in mistakes():
        places.setdefault((mistake.code, mistake.sentence), []).append(code(mistake.file))
    rows = ((code(name), _in_italics(sentence), ", ".join(files)) for (name, sentence), files in places.items())
    return HEAD + table(("code", "sentence", "raised in"), rows)


def _in_italics(sentence: str) -> str:
    return re.sub(r"{([^{}]+)}", r"*\1*", text(sentence))


def mistakes() -> list[Mistake]:
    """Return the mistakes of the whole package, sorted by code; each once for a module."""
    modules = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
    kinds = {UserError.__name__, "mistake"}
    for _ in range(2):  # a subclass may stand before its base
        kinds |= {
            node.name
            for module in modules.values()
            for node in module.body
            if isinstance(node, ast.ClassDef) and kinds & {getattr(base, "id", "") for base in node.bases}
        }
    return sorted(
        {mistake for path, module in modules.items() for mistake in _of(module, kinds, path.relative_to(PACKAGE))}
    )


def _of(module: ast.Module, kinds: set[str], file: Path) -> Iterator[Mistake]:
    constants = {
        node.targets[0].id: node.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds:
            name, message = node.args
            if isinstance(name, ast.Name):  # within `mistake` itself
                continue
            if isinstance(message, ast.Name):
                message = constants.get(message.id, message)
            yield Mistake(ast.literal_eval(name), _sentence(message), file.as_posix())


def _sentence(message: ast.expr) -> str:
    match message:
        case ast.Constant(value=str(words)):
            return words
        case ast.JoinedStr(values=parts):
            return "".join(map(_sentence, parts))
        case ast.FormattedValue(value=value):
            return f"{{{_name(value)}}}"
        case _:
            return f"{{{_name(message)}}}"


def _name(value: ast.expr) -> str:
    """Return the name that a value has in the code."""
    match value:
        case ast.Attribute(attr="__name__"):
            return "kind of error"
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").replace("_", " ").lower()
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments) if name in PASSING_ON:
            return _last_name(arguments)
        case ast.Call(func=ast.Attribute(attr="get", value=inner)) | ast.Call(func=inner):
            return _name(inner)
        case ast.Subscript(value=inner) | ast.IfExp(orelse=inner):
            return _name(inner)
        case ast.GeneratorExp(generators=[generator]):
            return _name(generator.iter)
        case ast.BinOp(left=left, right=right):
            return _last_name([left, right])
        case ast.BoolOp(values=values):
            return _last_name(values)
        case _:
            return NAMELESS


def _last_name(values: Sequence[ast.expr]) -> str:
    return next((name for name in map(_name, reversed(values)) if name != NAMELESS), NAMELESS)
