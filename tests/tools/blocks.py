"""Parts of pages that a command writes: <!-- NAME --> … <!-- /NAME -->."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path


def block(page: Path, name: str) -> str:
    """Return what stands between the marks of a block."""
    return _pattern(name).findall(page.read_text(encoding="utf-8"))[0][1].strip("\n")  # type: ignore[no-any-return]


def write_blocks(page: Path, blocks: Mapping[str, str]) -> None:
    """Write blocks of a page anew."""
    text = page.read_text(encoding="utf-8")
    for name, content in blocks.items():
        space = "\n" if content.startswith("|") else ""  # Markdown wants empty lines around a table
        text = _pattern(name).sub(lambda found, part=f"{space}{content}\n{space}": f"{found[1]}{part}{found[3]}", text)  # type: ignore[misc]
    page.write_text(text, encoding="utf-8")


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- /{name} -->)", re.DOTALL)
