"""The register's prose: data in fixtures/register-prose, read when an issue is first generated."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from longctx.workspace import packaged

Facts = dict[str, Any]
"""What the slots of one document's templates name."""
FOLDER = "register-prose"


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that every document of a genre answers, each in its own way.

    All strings are the pen's templates over the facts of a document; in `forms`, {name} is one of the genre's names
    for it. right: the answer, which stands in the document. The same template gives the wrong answers from the
    facts of its siblings, and so do those in `near`, templates for neighbouring facts of the siblings that would
    answer just as well. traps: where a question gives away its topic, the name of a fact that holds the wrong answers.
    """

    fact: str
    right: str
    forms: tuple[str, ...]
    numerical: bool = False
    near: tuple[str, ...] = ()
    traps: str = ""


@dataclass(frozen=True, slots=True)
class Genre:
    """One kind of document, from a file of its own; docs/register.md says what stands in it.

    count: documents in an issue. names: templates that tell a document from every other of its issue, for use within a
    question; full_names: those that tell it from the documents of other issues too, where `names` do not.
    dealt: what is drawn once for all documents, facts: what is drawn for each. words: what is drawn as a document is
    written, late: the same, after the preamble. lists: what these draw from, with the texts that amend a regulation.
    Where `agency` is empty, a fact `bureau` names it.
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
    """What the file of this name says."""
    return tomllib.loads((packaged() / FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def genres() -> tuple[Genre, ...]:
    """All genres, by name: the kinds of document that an issue has."""
    files = sorted((packaged() / FOLDER).glob("*/*.toml"), key=lambda path: path.stem)
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
    """The same with every text on one line."""
    if isinstance(value, dict):
        return {key: _flat(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_flat(item) for item in value]
    return " ".join(value.split()) if isinstance(value, str) and "\n" in value else value
