"""Translates files of the repository into pages of the site: their paths there, and their links."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
DOCS = "docs/"
FOLDERS = (".", "cassettes", "benchmarks", "benchmarks/*", "fixtures/*")
"""Folders outside docs/ whose Markdown belongs to the site, too."""
REPORT = "reports/reference/index.html"
"""The report of the recorded runs, which the site shows unchanged."""
LINK = re.compile(r"\[([^\]\[]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^( *)(```+).*?^\1\2 *$", re.MULTILINE | re.DOTALL)


def outside() -> list[str]:
    """Return the files outside docs/ that the site shows."""
    pages = [path for folder in FOLDERS for path in sorted(ROOT.glob(f"{folder}/*.md"))]
    named = [path.relative_to(ROOT).as_posix() for path in pages]
    return [name for name in dict.fromkeys(named) if not name.startswith(("docs/", "fixtures/handbook/"))]


def site_path(file: str) -> str:
    """Return the path in the site of a file of the repository."""
    if file == "README.md":
        return "index.md"
    return "report.html" if file == REPORT else file.removeprefix(DOCS)


def with_links(text: str, file: str, pages: Mapping[str, str]) -> str:
    """Return the text of a file with links to places in the site.

    A link to a file that the site does not show becomes its words and the file's path. A link to nothing is kept, and
    the build reports it. pages: the path in the site of each file of the repository.
    """
    here = PurePosixPath(file).parent

    def mended(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        path = os.path.normpath(here / target)
        path = next(
            (
                target
                for target in (path, f"{path}/README.md", f"{path}/index.md", f"{path}/index.html")
                if target in pages
            ),
            path,
        )
        if path in pages:
            return f"[{words}]({os.path.relpath(pages[path], PurePosixPath(pages[file]).parent)}{anchor})"
        if not (ROOT / path).exists():
            return match[0]
        return words if path in words else f"{words} (`{path}`)"

    return "".join(part if part.lstrip(" ").startswith("```") else LINK.sub(mended, part) for part in _parts(text))


def _parts(text: str) -> list[str]:
    """Return the text in parts: prose and fenced code, alternating."""
    parts, end = [], 0
    for match in FENCE.finditer(text):
        parts += [text[end : match.start()], match[0]]
        end = match.end()
    return [*parts, text[end:]]
