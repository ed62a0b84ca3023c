"""No page is longer than docs/budgets.toml allows: code, outputs and generated tables are free."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.here import HERE

BUDGETS = tomllib.loads((HERE.root / "docs/budgets.toml").read_text(encoding="utf-8"))
NOT_COUNTED = "docs/decisions/", "docs/reference/"
"""Decisions are not on the site, and the reference is generated."""
PROTOCOLS = "docs/protocols.md"
SOURCES = re.compile(
    r"^#{2,3} (?:The three sources|[^\n]*: published and recorded)\n.*?(?=^#{2,3} |\Z)", re.MULTILINE | re.DOTALL
)
"""The sections of that page which count like any other page."""
FENCED = re.compile(r"^( *)(`{3,}).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
GENERATED = re.compile(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", re.DOTALL)
WORD = re.compile(r"\S*\w\S*")


def words(page: str) -> int:
    """Return the number of words of prose of a page, those of tables written by hand included."""
    return len(WORD.findall(GENERATED.sub("", FENCED.sub("", page))))


def pages() -> dict[str, Path]:
    """Return the pages that are written by hand, by their paths."""
    files = [HERE.root / "README.md", HERE.root / "CONTRIBUTING.md", *(HERE.root / "docs").rglob("*.md")]
    named = {file.relative_to(HERE.root).as_posix(): file for file in files}
    return {name: file for name, file in named.items() if not name.startswith(NOT_COUNTED)}


def test_words_of_prose_are_counted_and_code_is_not() -> None:
    page = "# Two words\n\n```sh\npip install it\n```\n\n| a | table |\n| --- | --- |\n\n- one `--option`\n"
    assert words(page) == 6
    assert words("before\n\n<!-- made -->\n| 1 | 2 |\n<!-- /made -->\n\nafter") == 2


def test_every_page_has_a_budget() -> None:
    assert {*BUDGETS["pages"]} == {*pages()}


@pytest.mark.parametrize("name", BUDGETS["pages"])
def test_a_page_keeps_to_its_budget(name: str) -> None:
    assert words(pages()[name].read_text(encoding="utf-8")) <= BUDGETS["pages"][name]


def test_all_pages_together_keep_to_the_total() -> None:
    """A protocol that is added has its section, and need not shorten the other pages."""
    texts = {name: page.read_text(encoding="utf-8") for name, page in pages().items()}
    parts = SOURCES.findall(texts.pop(PROTOCOLS))
    assert len(parts) == 4
    assert sum(len(text.split()) for text in (*texts.values(), *parts)) <= BUDGETS["everything"]
