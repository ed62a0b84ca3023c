"""Filling templates, and marking parts of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from longctx.vocabulary.point import Mark


def fill(template: str, values: Mapping[str, str]) -> str:
    """Replace the {placeholders} of a template. Unknown placeholders and braces in values are left unchanged.

    Example:
        >>> fill("The key of {name} is {key}.", {"name": "Anna", "key": "12345"})
        'The key of Anna is 12345.'
    """
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), template)


def mark(name: str, text: str, part: str) -> list[Mark]:
    """Return a mark of the first occurrence of `part` in `text`; an empty list if there is none.

    Example:
        >>> mark("needle", "Ships come and go. The key of Anna is 12345.", "The key of Anna is 12345.")
        [Mark(name='needle', start=19, end=44)]
    """
    start = text.find(part)
    return [Mark(name, start, start + len(part))] if part and start >= 0 else []
