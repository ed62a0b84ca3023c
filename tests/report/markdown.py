"""A helper for tests of Markdown."""

from __future__ import annotations

import re


def without_code(markdown: str) -> str:
    """Return Markdown without its code spans."""
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", markdown)
