"""Links of the README, CONTRIBUTING and the guides: relative, to files and headings that exist."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.here import HERE
from tools.site.repository import FENCE

PAGES = [HERE.root / name for name in ("README.md", "CONTRIBUTING.md", "cassettes/README.md", ".github/SECURITY.md")]
PAGES += sorted((HERE.root / "docs").rglob("*.md"))
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`\n]*`")
OTHERS = "https://", "http://"


def links(page: Path) -> list[str]:
    """Return the links of a page, without those in code."""
    return LINK.findall(CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8"))))


def headings(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    found = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    words = (re.sub(r"[^\w\s-]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)) for heading in found)
    return {re.sub(r"\s", "-", each.strip().lower()) for each in words}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HERE.root)))
def test_every_link_opens(page: Path) -> None:
    for link in links(page):
        if not link.startswith(OTHERS):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), link
            assert target.is_relative_to(HERE.root), link
            assert not anchor or anchor in headings(target), link


def test_the_readme_has_links_and_a_picture() -> None:
    assert len(links(HERE.root / "README.md")) > 20


def test_the_address_of_the_repository_stands_in_one_file() -> None:
    """It is an assumption until there is a repository."""
    found = subprocess.run(
        ["git", "grep", "-lI", "github.com/longctx"], cwd=HERE.root, capture_output=True, text=True, check=False
    )
    if found.returncode > 1:
        pytest.skip("git has no copy of this folder")
    assert set(found.stdout.split()) - {Path(__file__).relative_to(HERE.root).as_posix()} == {"pyproject.toml"}
