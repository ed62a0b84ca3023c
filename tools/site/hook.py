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
from tools.site.repository import DOCS, REPORT, ROOT, outside, site_path, with_links
from tools.site.twins import llms, twin

GUIDES = "Understand"
TWINS: dict[str, tuple[str, str]] = {}
"""The title and the Markdown of each page of the site."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add to the navigation, at the end of the guides, those that it lacks."""
    existing = sorted(path.relative_to(ROOT / DOCS).as_posix() for path in (ROOT / DOCS).rglob("*.md"))
    existing = [name for name in existing if not name.startswith("decisions/")]
    sections: dict[str, list[Any]] = {name: pages for section in config.nav or [] for name, pages in section.items()}
    named = {
        page
        for pages in sections.values()
        for page in pages
        for page in (page.values() if isinstance(page, dict) else [page])
    }
    sections[GUIDES] += [name for name in existing if name not in named]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs/, and those that are generated from the code."""
    for name in (*outside(), REPORT):
        files.append(File.generated(config, site_path(name), abs_src_path=str(ROOT / name)))
    for name, content in reference_pages().items():
        if not (ROOT / DOCS / name).exists():
            files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the page with links to places in the site."""
    pages = {_source(file): file.src_uri for file in files if file.inclusion.name != "EXCLUDED"}
    shown = with_links(markdown, _source(page.file), pages)
    TWINS[page.file.dest_uri] = (page.title or page.file.name, shown)
    return shown


def on_post_build(config: MkDocsConfig) -> None:
    """Write the Markdown of each page beside it, and llms.txt, which lists them."""
    site = Path(config.site_dir)
    for page, (_, markdown) in TWINS.items():
        (site / twin(page)).write_text(markdown, encoding="utf-8")
    (site / "llms.txt").write_text(llms(TWINS), encoding="utf-8")


def _source(file: File) -> str:
    """Return the file of the repository that a page shows. Generated pages count as files in docs/."""
    path = Path(file.abs_src_path) if file.abs_src_path else ROOT / DOCS / file.src_uri
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else f"{DOCS}{file.src_uri}"
