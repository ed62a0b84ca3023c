"""Functions that write Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table. The cells hold Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def text(words: str) -> str:
    """Return the words with all markup escaped, except code between backticks."""
    parts = re.split(r"(`[^`]*`)", " ".join(words.split()))
    return "".join(part if part.startswith("`") else _escaped(part) for part in parts)


def sentence(words: str) -> str:
    """Return the words with a capital letter and a full stop."""
    first = words[:1].upper() if re.match(r"[a-z]+[\s,]", words) else words[:1]
    return first + words[1:] + ("" if words.endswith((".", ":", "?")) or not words else ".")


def _escaped(words: str) -> str:
    return re.sub(r"([_*\[\]])", r"\\\1", words).replace("<", "&lt;").replace(">", "&gt;")


def _cell(content: str) -> str:
    return " ".join(content.split()).replace("|", "\\|")
