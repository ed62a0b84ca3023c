"""Every mistake that a user can make: its code, its sentence and where it is raised, as they stand in the code."""

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

A mistake is told in a sentence with its code behind it: by the commands, by pytest, in the reason of an `invalid`
verdict and in the row of a trial that was not measured. A script may rely on the codes; sentences are reworded. What
stands in italics is filled in.

"""
PASSING_ON = {"join", "map", "repr", "str", "sorted", "next", "iter", "len"}
"""What is filled in is what these are given."""
NAMELESS = "…"


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """sentence: with what is filled in as {names}. file: where it is raised, in the package."""

    code: str
    sentence: str
    file: str


def page() -> str:
    places: dict[tuple[str, str], list[str]] = {}
    for mistake in mistakes():
        places.setdefault((mistake.code, mistake.sentence), []).append(code(mistake.file))
    rows = ((code(name), _filled_in(said), ", ".join(files)) for (name, said), files in places.items())
    return HEAD + table(("code", "sentence", "raised in"), rows)


def _filled_in(said: str) -> str:
    return re.sub(r"{([^{}]+)}", r"*\1*", text(said))


def mistakes() -> list[Mistake]:
    """Those of the whole package, each once a file, by their codes."""
    modules = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
    kinds = {UserError.__name__}
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
            name, said = node.args
            if isinstance(said, ast.Name):
                said = constants.get(said.id, said)
            yield Mistake(ast.literal_eval(name), _sentence(said), file.as_posix())


def _sentence(said: ast.expr) -> str:
    match said:
        case ast.Constant(value=str(words)):
            return words
        case ast.JoinedStr(values=parts):
            return "".join(map(_sentence, parts))
        case ast.FormattedValue(value=filled):
            return f"{{{_name(filled)}}}"
        case _:
            return f"{{{_name(said)}}}"


def _name(filled: ast.expr) -> str:
    """What is filled in, by the name that it has in the code."""
    match filled:
        case ast.Attribute(attr="__name__"):
            return "kind of error"
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").replace("_", " ").lower()
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=given) if name in PASSING_ON:
            return _last_name(given)
        case ast.Call(func=ast.Attribute(attr="get", value=inner)) | ast.Call(func=inner):
            return _name(inner)
        case ast.Subscript(value=inner) | ast.IfExp(orelse=inner):
            return _name(inner)
        case ast.GeneratorExp(generators=[made]):
            return _name(made.iter)
        case ast.BinOp(left=one, right=other):
            return _last_name([one, other])
        case ast.BoolOp(values=given):
            return _last_name(given)
        case _:
            return NAMELESS


def _last_name(given: Sequence[ast.expr]) -> str:
    return next((name for name in map(_name, reversed(given)) if name != NAMELESS), NAMELESS)
