"""Showing a document on the terminal or writing it to a file, and the options for it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.text import visible

if TYPE_CHECKING:
    from longctx.report.document import Document

SUFFIXES = {".md": "markdown", ".html": "html", ".json": "json"}


def add(parser: argparse.ArgumentParser, in_full: str) -> None:
    """Add the options. in_full: what the terminal shows with -v."""
    parser.add_argument(
        "--format",
        choices=("terminal", "markdown", "html", "json"),
        help="default: by the suffix of --out, or terminal",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write there; .md is Markdown, .html is HTML, .json is JSON"
    )
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    parser.add_argument("-v", "--verbose", action="store_true", help=in_full)


def check(options: argparse.Namespace) -> None:
    """Raise UserError before any work if the file cannot be written, or HTML not be made."""
    if kind_of(options) == "html":
        from longctx.extras import PAGE, require

        require("HTML", *PAGE)
    if options.out is not None:
        from longctx.files import check_file_can_be_written

        check_file_can_be_written(options.out, options.force)


def show(
    options: argparse.Namespace,
    document: Document,
    as_page: Callable[[], str] | None = None,
    data: Callable[[], Mapping[str, Any]] | None = None,
) -> None:
    """Print or write a document as the options require; a terminal shows its brief text without -v.

    as_page: returns its own HTML. data: returns its JSON, by default that of the document.
    """
    from longctx.report.document import as_data, as_html, as_terminal

    kind = kind_of(options)
    if is_brief(options) and document.brief:
        print(document.brief)
        return
    html = as_page or partial(as_html, document)
    if kind == "json":
        text = f"{json.dumps(as_data(document) if data is None else data(), indent=1)}\n"
    elif kind == "markdown":
        from longctx.report.markdown_document import as_markdown

        text = as_markdown(document)
    else:
        text = html() if kind == "html" else as_terminal(document)
    if options.out is None:
        print(text, end="")
    else:
        from longctx.files import write_file

        write_file(options.out, lambda part: part.write_text(text, encoding="utf-8"))
        if document.badge:  # a verdict, which must not be in the file alone
            print(visible(document.title))
        print(f"{options.out}: {len(text.encode()):,} bytes")


def is_brief(options: argparse.Namespace) -> bool:
    """Return whether a terminal shows a document, and not in full."""
    return options.out is None and kind_of(options) == "terminal" and not options.verbose


def kind_of(options: argparse.Namespace) -> str:
    """Return the format in which a document is shown."""
    suffix: str = options.out.suffix.lower() if options.out else ""
    return options.format or SUFFIXES.get(suffix, "terminal")
