"""The register's prose, read from tools/register/texts when an issue is first generated."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

Facts = dict[str, Any]
"""The facts of one document, by the names that its templates' slots use."""
TEXTS = Path(__file__).with_name("texts")


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that every document of a genre answers differently.

    All strings are templates over the facts of a document; in `forms`, {name} is one of the genre's names for the
    document. right: the answer, which occurs in the document. The wrong answers come from the same template with the
    facts of the genre's other documents (siblings), and from the templates in `near`, for similar facts of the
    siblings. traps: instead of these, the name of a fact that lists wrong answers, for a question that reveals its
    topic.
    """

    fact: str
    right: str
    forms: tuple[str, ...]
    numerical: bool = False
    near: tuple[str, ...] = ()
    traps: str = ""


@dataclass(frozen=True, slots=True)
class Genre:
    """A kind of document, from a file of its own; docs/register.md describes the file.

    count: the documents in an issue. names: templates that identify a document within its issue, for use in a question;
    full_names: those that identify it among other issues too, if `names` do not. dealt: facts drawn once for all
    documents; facts: those drawn for each. words: facts drawn when a document is written; late: the same, after the
    preamble. lists: the lists that these draw from, and the texts that amend a regulation. agency: if it is empty, the
    fact `bureau` names the agency.
    """

    name: str
    kind: str
    count: int
    subject: str
    heads: tuple[tuple[str, str], ...]
    signature: tuple[str, str, str]
    names: tuple[str, ...]
    body: str
    dealt: Mapping[str, str]
    facts: Mapping[str, str]
    asks: tuple[Ask, ...]
    preamble: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)
    late: Mapping[str, Any] = field(default_factory=dict)
    lists: Mapping[str, Any] = field(default_factory=dict)
    agency: str = ""
    full_names: tuple[str, ...] = ()


@cache
def read(name: str) -> dict[str, Any]:
    """Read the file of this name."""
    return tomllib.loads((TEXTS / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def genres() -> tuple[Genre, ...]:
    """Return all genres, sorted by name."""
    files = sorted(TEXTS.glob("*/*.toml"), key=lambda path: path.stem)
    return tuple(_genre(path.stem, read(f"{path.parent.name}/{path.stem}")) for path in files)


def _genre(name: str, file: dict[str, Any]) -> Genre:
    file, shared = dict(file), read("shared")
    lists = _flat({**shared["lists"], **file.pop("lists", {})}) | file.pop("texts", {})
    body = file.pop("body")
    for text, paragraphs in shared["texts"].items():
        body = body.replace(f"\n@{text}\n", f"\n{paragraphs}\n")
    asks = tuple(Ask(**{key: _frozen(value) for key, value in ask.items()}) for ask in file.pop("asks"))
    return Genre(name, body=body, asks=asks, lists=lists, **{key: _frozen(value) for key, value in file.items()})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _flat(value: Any) -> Any:
    """Return the value with every text on one line."""
    if isinstance(value, dict):
        return {key: _flat(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_flat(item) for item in value]
    return " ".join(value.split()) if isinstance(value, str) and "\n" in value else value
