"""Hooks that MkDocs calls while it builds the site; mkdocs.yml names this file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools.site.reference import pages as reference_pages
from tools.site.repository import DOCS, LISTED, REPORT, ROOT, listing, outside, site_path, with_links

GUIDES = "Guides"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add to the navigation all pages of the listed folders, and to the end of the guides the pages that it lacks."""
    existing = sorted(path.relative_to(ROOT / DOCS).as_posix() for path in (ROOT / DOCS).rglob("*.md"))
    sections: dict[str, list[Any]] = {name: pages for section in config.nav or [] for name, pages in section.items()}
    named = {
        page
        for pages in sections.values()
        for page in pages
        for page in (page.values() if isinstance(page, dict) else [page])
    }
    for folder in LISTED:
        sections[folder.rstrip("/").title()] += [
            f"{folder}index.md",
            *(name for name in existing if name.startswith(folder)),
        ]
    sections[GUIDES] += [name for name in existing if not name.startswith(tuple(LISTED)) and name not in named]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs/, and those that are generated from the code."""
    for name in (*outside(), REPORT):
        files.append(File.generated(config, site_path(name), abs_src_path=str(ROOT / name)))
    lists = {f"{folder}index.md": listing(folder) for folder in LISTED}
    for name, content in {**lists, **reference_pages()}.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the page with links to places in the site."""
    return with_links(markdown, _source(page.file), {_source(file): file.src_uri for file in files})


def _source(file: File) -> str:
    """Return the file of the repository that a page shows. Generated pages count as files in docs/."""
    path = Path(file.abs_src_path) if file.abs_src_path else ROOT / DOCS / file.src_uri
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else f"{DOCS}{file.src_uri}"
