"""The page of the public API: the names of `longctx`, from their docstrings."""

from __future__ import annotations

import ast
import doctest
import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import longctx
from tools.site.reference.fields import words_below
from tools.site.reference.markdown import code, table, text

PATH = "reference/api.md"
"""The place of the page in docs/, where it is kept in the repository."""
HEAD = """# The Python API

Import all of it from `longctx` itself, as in `from longctx import Run`. Modules deeper down may move. The guides to
[runs in Python](../notebooks.md) and to [your own protocol](../new-protocol.md) use most of it.

"""


def page() -> str:
    return HEAD + "\n".join(_entry(name) for name in longctx.__all__)


def docstring_of(name: str) -> str:
    """Return the docstring of a public name; that of an alias is below its assignment."""
    value = getattr(longctx, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        return inspect.getdoc(value) or ""
    module = next(module for module, names in longctx.PUBLIC.items() if name in names)
    body = ast.parse(Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8")).body
    for node, after in itertools.pairwise(body):
        match node, after:
            case ast.Assign(targets=[ast.Name(id=target)]), ast.Expr(value=ast.Constant(value=str(words))):
                if target == name:
                    return inspect.cleandoc(words)
    return ""


def _entry(name: str) -> str:
    value, (prose, example) = getattr(longctx, name), _parts(docstring_of(name))
    parts = [f"## `{name}`", *(["```python", f"{name}{inspect.signature(value)}", "```"] if _is_called(value) else [])]
    parts = ["\n".join(parts), prose, example]
    if inspect.isclass(value):
        words = words_below(value)
        fields = [
            (
                code(field),
                code(str(kind).removeprefix("ClassVar[").removesuffix("]" * str(kind).startswith("ClassVar["))),
                text(words.get(field, "")),
            )
            for field, kind in inspect.get_annotations(value).items()
            if not field.startswith(("_", "model_"))
        ]
        parts += [table(("field", "type", "what it is"), fields) if fields else "", "\n".join(_methods(value))]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _is_called(value: Any) -> bool:
    """Return whether the signature says how to call it: a table says more of a class of fields."""
    return inspect.isfunction(value) or (
        inspect.isclass(value) and not inspect.get_annotations(value) and "__init__" in vars(value)
    )


def _parts(words: str) -> tuple[str, str]:
    """Return the prose of a docstring, and its example, as Markdown."""
    prose, _, example = words.partition("Example:\n")
    paragraphs = []
    for paragraph in prose.strip().split("\n\n"):
        title, _, entries = paragraph.partition("\n")
        if title == "Args:":
            items = re.split(r"\n(?=\S)", textwrap.dedent(entries))
            paragraphs.append(
                "\n".join(f"- `{name}`: {text(about)}" for name, _, about in (item.partition(":") for item in items))
            )
        else:
            paragraphs.append(text(paragraph))
    return "\n\n".join(paragraphs), f"```pycon\n{_shown(textwrap.dedent(example))}\n```" if example else ""


def _shown(example: str) -> str:
    return re.sub(r" *# doctest: \+\w+", "", example).strip()


def _methods(kind: type) -> Iterator[str]:
    for name, member in vars(kind).items():
        inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        words = inspect.getdoc(inner.fget if isinstance(inner, property) else inner) or ""
        if name.startswith("_") or not words:
            continue
        if isinstance(inner, property):
            yield f"- `{name}`: {text(_parts(words)[0])}"
        elif inspect.isfunction(inner):
            signature = re.sub(r"^\((self|cls)(, )?", "(", str(inspect.signature(inner)).replace("'", ""))
            yield f"- `{name}{signature}`: {text(words)}"


def examples() -> Iterator[tuple[str, str]]:
    """Yield each public name and the code of its example."""
    for name in longctx.__all__:
        yield name, "".join(example.source for example in doctest.DocTestParser().get_examples(docstring_of(name)))
