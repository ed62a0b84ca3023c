"""Texts of a trial: templates that are filled, and parts that are marked."""

from __future__ import annotations

import re
from collections.abc import Mapping

from longctx.vocabulary.scenario import Mark


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its {placeholders} filled in one pass, so that filled-in text is never filled again."""
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), template)


def mark(name: str, text: str, part: str) -> list[Mark]:
    """Where `part` stands first in `text`: one mark, or none."""
    start = text.find(part)
    return [Mark(name, start, start + len(part))] if part and start >= 0 else []
