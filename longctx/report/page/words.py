"""The page explains the words that it uses: the glossary's own entries."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from longctx.workspace import packaged

OF_A_RUN = ("What is asked", "What comes back", "Recordings", "What a run is")
"""The glossary's sections that concern every report."""
OF_A_GATE = "The gate"


class Word(NamedTuple):
    name: str
    meaning: str


def words(gated: bool) -> list[Word]:
    """The glossary's words, in its order. gated: with those of a verdict."""
    shown = (*OF_A_RUN, OF_A_GATE) if gated else OF_A_RUN
    sections = re.split(r"^## ", _glossary().read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [word for section in sections if section.startswith(shown) for word in _entries(section)]


def _entries(section: str) -> list[Word]:
    entries = re.findall(r"^- \*\*(.+?)\*\*: (.+?)(?=^- |\Z)", section, flags=re.MULTILINE | re.DOTALL)
    return [Word(name, _plain(meaning)) for name, meaning in entries]


def _plain(markdown: str) -> str:
    """The text without its links and marks of code, on one line."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", " ".join(markdown.split()))
    return text.replace("`", "")


def _glossary() -> Path:
    """The wheel has it among its data; a checkout has it where its documentation stands."""
    installed = packaged() / "glossary.md"
    return installed if installed.is_file() else packaged().parent / "docs" / "glossary.md"
