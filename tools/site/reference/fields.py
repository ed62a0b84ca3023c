"""The fields of a class: their types, their defaults, and the docstrings below them in the code."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

BOUNDS = {"minimum": "at least {}", "exclusiveMinimum": "more than {}", "maximum": "at most {}"}
NAMES = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false", "null": "nothing"}


@dataclass(frozen=True, slots=True)
class Field:
    """A field. default: in the syntax of TOML; empty if there is none. words: Markdown."""

    name: str
    kind: str
    default: str
    required: bool
    words: str


def words_below(kind: type) -> dict[str, str]:
    """Return the docstring below each field, in the class or in one that it inherits from."""
    words: dict[str, str] = {}
    for class_ in reversed(kind.__mro__):
        if class_.__module__.startswith(("longctx.", "tools.")):
            words |= _below(class_)
    return words


def _below(kind: type) -> dict[str, str]:
    [definition] = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    words = {}
    for field, after in zip(definition.body, definition.body[1:], strict=False):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(docstring))):
                words[name] = inspect.cleandoc(docstring)
    return words


def fields_of(model: type) -> Iterator[Field]:
    """Yield the fields of a model or a dataclass in their order."""
    schema = TypeAdapter(model).json_schema()
    words = words_below(model)
    named = {field.alias: name for name, field in getattr(model, "model_fields", {}).items() if field.alias}
    for name, property_ in schema.get("properties", {}).items():
        required = name in schema.get("required", ())
        default = "" if required or property_.get("default") in (None, "", [], {}) else _toml(property_["default"])
        yield Field(name, kind(property_, schema), default, required, words.get(named.get(name, name), ""))


def kind(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """Say in words which values a JSON schema allows. whole: the schema that holds its definitions."""
    if "$ref" in schema:
        return kind(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if "anyOf" in schema:
        kinds = [kind(option, whole) for option in schema["anyOf"] if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema or "const" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if "prefixItems" in schema:
        return "list of " + ", ".join(kind(item, whole) for item in schema["prefixItems"])
    match schema.get("type"):
        case "array":
            return f"list: {kind(schema.get('items', {}), whole)}"
        case "object":
            values = schema.get("additionalProperties")
            return f"table: name = {kind(values, whole)}" if isinstance(values, dict) and values else "table"
        case "string" if schema.get("format") == "date":
            return "date"
        case str(name):
            bounds = [words.format(schema[key]) for key, words in BOUNDS.items() if key in schema]
            return ", ".join([NAMES[name], *bounds])
    return "word or number"


def _toml(value: Any) -> str:
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], dict):
        value = value[0] if isinstance(value[0], str) else value
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(entry)}" for name, entry in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(_toml(entry) for entry in value)}]"
    return json.dumps(value)
