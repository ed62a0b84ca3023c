"""The view of a trial: what a page shows of it besides its row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from longctx.fields import Natural, Text, parsed
from longctx.vocabulary.excerpt import Excerpt
from longctx.vocabulary.point import Quote


@dataclass(frozen=True, slots=True)
class View:
    """The view of a trial."""

    test: str
    """The id of the test that measures its cell."""
    excerpts: Sequence[Excerpt] = ()
    reply: str | None = None
    """None without an answer."""
    quotes: Sequence[Quote] = ()

    def to_json(self) -> str:
        return json.dumps(_fields(self), default=_fields, ensure_ascii=False, separators=(",", ":"))


class _Quote(BaseModel):
    text: Text
    in_record: bool
    in_needle: bool


class _Excerpt(BaseModel):
    names: list[Text]
    line: Natural
    pieces: list[tuple[Text, Text]]


class _Kept(BaseModel):
    test: Text = ""
    reply: Text | None = None
    excerpts: list[_Excerpt] = []
    quotes: list[_Quote] = []


def check_view(line: str) -> None:
    """Raise ValueError if a line of a run's file is not a view, and not empty."""
    if line:
        _Kept.model_validate(parsed(json.loads, line))


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass with slots without copying them; `asdict` takes three times as long."""
    return {name: getattr(value, name) for name in value.__slots__}
