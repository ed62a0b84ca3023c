"""A document of sentences and tables, written as text for a terminal, or as one HTML file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabulate import tabulate

from longctx.report.blocks import Block, TextLine, terminal_blocks
from longctx.text import visible
from longctx.views.chart import Chart, Table


@dataclass(frozen=True, slots=True)
class Document:
    """A title, the sentences below it (notes), and the tables after them."""

    title: str
    notes: tuple[str, ...]
    tables: tuple[Table, ...]
    badge: str = ""
    """A verdict, for a page to show as a badge."""
    lead: str = ""
    """The sentence next to the badge."""
    brief: str = ""
    """The text for a terminal at the usual verbosity; empty if it is that of `as_terminal`."""
    picture: Callable[[], Chart | None] = field(default=lambda: None, compare=False)
    """Returns what a page opens with."""
    maps: Callable[[], tuple[Chart, ...]] = field(default=tuple, compare=False)
    """Returns the heat maps that a page shows below that."""
    change: str = ""
    """What is judged or compared, in a few words: the title of a page, if it has another."""
    changed_files: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """The first changed file of what each test sends, below the root of the project, and its first changed line."""
    heading: str = ""
    """The title above `blocks`, with a mark for the verdict."""
    about: TextLine | None = None
    """The line below the heading: what is judged against what."""
    blocks: tuple[Block, ...] = ()
    """What a reader sees first, where that is not all notes and tables; notes and tables are folded in at their end."""


def as_terminal(document: Document) -> str:
    if document.heading:
        return _first_blocks(document)
    head = "\n".join(visible(line) for line in (document.title, *document.notes))
    return "\n\n".join([head, *map(terminal_table, document.tables)]) + "\n"


def _first_blocks(document: Document) -> str:
    about = [document.about.text] if document.about else []
    lines = [*map(visible, (document.title, *about)), "", terminal_blocks(document.blocks), ""]
    tables = [f"\n{terminal_table(table)}" for table in document.tables]
    return "\n".join([*lines, *map(visible, document.notes), *tables]) + "\n"


def as_html(document: Document) -> str:
    """Return one HTML file that loads nothing and runs no script.

    Its content security policy allows only its own style, by digest.
    """
    import jinja2

    here = Path(__file__).parent
    loader = jinja2.FileSystemLoader([here, here / "page"])
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    environment.filters["visible"] = lambda value: visible(str(value))
    style = (here / "document.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("document.html").render(document=document, style=style, digest=digest)


def as_data(document: Document) -> dict[str, Any]:
    """Return the document as JSON can hold it."""
    about = {"title": document.title, "badge": document.badge, "lead": document.lead, "notes": list(document.notes)}
    return about | {"tables": list(map(_table_data, document.tables))}


def _table_data(table: Table) -> dict[str, Any]:
    about = {"title": table.title, "test": table.test, "said": list(table.said)}
    return about | {"columns": list(table.columns), "rows": [list(row) for row in table.rows]}


EVIDENCE = "Latency, tokens, every band and cell, how the verdict is reached"
"""The title of the notes and tables of a verdict, which are folded."""


def terminal_table(table: Table) -> str:
    return f"{visible(table.title)}\n\n{_grid(table)}"


def _grid(table: Table) -> str:
    heads, rows = cells_of(table, lambda _: visible)
    return tabulate(rows, headers=heads, tablefmt="simple", disable_numparse=True)


def cells_of(table: Table, escape: Callable[[str], Callable[[str], str]]) -> tuple[list[str], list[list[str]]]:
    """Return the heads and the rows of a table. escape: gives the function that escapes a column."""
    heads = [escape("")(column) for column in table.columns]
    escapes = [escape(column) for column in table.columns]
    return heads, [[escaped(str(cell)) for escaped, cell in zip(escapes, row, strict=True)] for row in table.rows]
