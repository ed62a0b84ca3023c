"""The words that a run's page explains, from the glossary of the documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from longctx.workspace import packaged

OF_A_RUN = ("Questions", "Answers", "Recordings", "Runs")
"""The sections of the glossary that concern every report."""
OF_A_GATE = "The gate"
"""The section that a page with a verdict explains too."""


class Word(NamedTuple):
    name: str
    meaning: str


def words(gated: bool) -> list[Word]:
    """Return the words of the glossary in its order. gated: whether to include those about verdicts."""
    shown = (*OF_A_RUN, OF_A_GATE) if gated else OF_A_RUN
    sections = re.split(r"^## ", _glossary().read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [word for section in sections if section.startswith(shown) for word in _entries(section)]


def _entries(section: str) -> list[Word]:
    entries = re.findall(r"^- \*\*(.+?)\*\*: (.+?)(?=^- |\Z)", section, flags=re.MULTILINE | re.DOTALL)
    return [Word(name, _plain(meaning)) for name, meaning in entries]


def _plain(markdown: str) -> str:
    """Return the text on one line without links and code marks."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", " ".join(markdown.split()))
    return text.replace("`", "")


def _glossary() -> Path:
    """Return the path of the glossary: in the data of the wheel, or in the documentation of a checkout."""
    installed = packaged() / "glossary.md"
    return installed if installed.is_file() else packaged().parent / "docs" / "glossary.md"
