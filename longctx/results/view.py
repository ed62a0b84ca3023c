"""What a reader of the report sees of a trial beside its row: excerpts of the prompt, the reply, its quotes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longctx.vocabulary.excerpt import Excerpt
from longctx.vocabulary.scenario import Quote


@dataclass(frozen=True, slots=True)
class View:
    """test: the pytest id that measures the trial's scenario. A trial without an answer has no reply."""

    test: str
    excerpts: Sequence[Excerpt] = ()
    reply: str | None = None
    quotes: Sequence[Quote] = ()

    def to_json(self) -> str:
        return json.dumps(_fields(self), default=_fields, ensure_ascii=False, separators=(",", ":"))


def _fields(one: Any) -> dict[str, Any]:
    """The fields of a dataclass with slots, not copied: `asdict` takes three times as long."""
    return {name: getattr(one, name) for name in one.__slots__}
