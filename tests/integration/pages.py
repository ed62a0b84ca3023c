"""The code of a guide, and what the guide says that it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.integration.conftest import ROOT

BLOCK = re.compile(r"^```(sh|text|toml|python|jsonl)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each block of a page of docs/."""
    yield from BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))


def missing(text: str, output: str) -> list[str]:
    """Return the lines that were not printed. … is for any text; white space does not matter."""
    printed = " ".join(output.split())

    def pattern(line: str) -> str:
        return ".*".join(re.escape(" ".join(part.split())) for part in line.split("…"))

    return [line for line in text.splitlines() if not re.search(pattern(line), printed)]
