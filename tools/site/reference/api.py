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
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

import longctx
from longctx.fields import plain
from tools.site.reference.fields import words_below
from tools.site.reference.markdown import code, text

PATH = "reference/api.md"
"""The place of the page in docs/, where it is kept in the repository."""
HEAD = """# The Python API

Import these names from `longctx` itself, as in `from longctx import Run`: submodules may move. The guides to
[test functions](../functions.md), [runs in Python](../notebooks.md) and [your own protocol](../new-protocol.md) use
most of them. Methods have summaries here; `help(longctx.Ask)` shows their arguments and errors.

"""
GIVEN = "Ask", "Draw", "Case", "ProtocolAsk", "ProtocolDraw"
"""Classes that nobody makes: fixtures give their only objects."""
OF_FILES = {"Row": "`results.jsonl`", "Axes": "profiles"}
"""Classes whose fields are those of a file, which have a page of the reference."""
INTERNAL = {
    "Ask": {"check", "judged", "model", "trial"},
    "Axes": {
        *("band", "cell_type", "default_items", "draws_on", "gate_band", "has_shares", "made_cells"),
        *("minimums", "size_in", "sized", "trials_of"),
    },
    "Bank": {"asked", "digest", "filter_key", "index_of", "item_name", "keeps", "kept", "literal"}
    | {"named", "rounds", "version", "why_none"},
    "BankAxes": {"default_items"},
    "Chunks": {"read"},
    "Outcome": {"quotes"},
    "Plot": {"uprights"},
    "Probe": {"is_in", "of"},
    "Rate": {"answers", "as_data", "clusters", "effect", "effective", "of", "p_above", "p_below"},
    "Answer": {
        *("told", "batched", "cache_write_tokens", "compactions", "fallback", "hour_write_tokens", "live"),
        *("recorded_at", "request_sha256", "thinking_tokens", "thought"),
    },
    "Row": {"cluster_key", "identified", "identity", "of"},
    "Run": {"count_probes", "preflight"},
    "Transcript": {"asked", "compactions", "depth_for", "fill", "lacks", "origin", "places", "turn_of"},
    "UserError": {"reason"},
}
"""Members of classes that longctx itself calls, and that tests and protocols have no use for."""


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
    call = vars(value).get("__call__") if name in GIVEN else None
    shown = []
    if call or _is_called(name, value):
        called = f"{name.removeprefix('Protocol').lower()}{_signature(call)}" if call else name + _signature(value)
        shown = ["```python", called, "```"]
    parts = [f"## `{name}`", *shown]
    parts = ["\n".join(parts), prose, _parts(inspect.getdoc(call) or "")[0] if call else "", example]
    if call:
        parts.extend("\n".join(_fields(kind)) for kind in _keywords(call))
    if inspect.isclass(value):
        file = OF_FILES.get(name)
        parts += [f"The reference of {file} lists its fields."] if file else []
        parts.append("\n".join([*(() if file else _fields(value)), *_methods(value)]))
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _keywords(call: Any) -> Iterator[type]:
    """Yield the type of the keywords that a function takes by `**`, if it says which these are."""
    for each in inspect.signature(call, eval_str=True).parameters.values():
        if each.kind is inspect.Parameter.VAR_KEYWORD:
            yield from get_args(each.annotation)


def _is_called(name: str, value: Any) -> bool:
    """Return whether the signature says how to call it: a list says more of a class of fields."""
    return inspect.isfunction(value) or (
        inspect.isclass(value)
        and not inspect.get_annotations(value)
        and not is_dataclass(value)
        and "__init__" in vars(value)
        and name not in GIVEN
    )


def _signature(value: Any) -> str:
    """Return how to call a function or a class, without the quotes around its types."""
    shown = re.sub(r"(: |-> )'([^']*)'|<class '(\w+)'>", r"\1\2\3", str(inspect.signature(value)))
    return re.sub(r"^\((self|cls)(, )?", "(", shown)


def _fields(kind: type) -> Iterator[str]:
    words, annotations = words_below(kind), inspect.get_annotations(kind)
    if is_dataclass(kind) and "__call__" in vars(kind):  # a decorator, which takes its fields: first those it must have
        taken = sorted((each for each in fields(kind) if each.init), key=lambda each: each.default is not MISSING)
        annotations = {each.name: each.type for each in taken}
    for name, annotation in annotations.items():
        if not name.startswith(("_", "model_")) and name not in INTERNAL.get(kind.__name__, ()):
            shown = re.sub(
                r"^(?:ClassVar|Annotated)\[(.+?)(?:, Field\(.*\))?\]$",
                r"\1",
                plain(getattr(annotation, "__forward_arg__", annotation)),
            )
            yield f"- {code(f'{name}: {shown}')}" + (f": {text(words[name])}" if name in words else "")


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
            paragraphs.append(text(paragraph.replace("Raises:\n    ", "Raises ")))
    return "\n\n".join(paragraphs), f"```pycon\n{_shown(textwrap.dedent(example))}\n```" if example else ""


def _shown(example: str) -> str:
    return re.sub(r" *# doctest: \+\w+", "", example).strip()


def _methods(kind: type) -> Iterator[str]:
    for name, member in vars(kind).items():
        inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        words = inspect.getdoc(inner.fget if isinstance(inner, property) else inner) or ""
        if name.startswith("_") or not words or name in INTERNAL.get(kind.__name__, ()):
            continue
        if isinstance(inner, property):
            yield f"- `{name}`: {text(_about(words))}"
        elif inspect.isfunction(inner):
            yield f"- `{name}{_signature(inner)}`: {text(_about(words))}"


def _about(words: str) -> str:
    """Return the first paragraph of a docstring. `help` shows all."""
    return words.partition("\n\n")[0]


def examples() -> Iterator[tuple[str, str]]:
    """Yield each public name and the code of its example."""
    for name in longctx.__all__:
        yield name, "".join(example.source for example in doctest.DocTestParser().get_examples(docstring_of(name)))
