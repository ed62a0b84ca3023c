"""A document of sentences and tables, written as text for a terminal, as Markdown, or as one HTML file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longctx.report.charts.draw import draw
from longctx.report.page import theme
from longctx.report.render import markdown_table, plain, terminal_table
from longctx.views.chart import Chart, Table
from longctx.visible import visible


@dataclass(frozen=True, slots=True)
class ForestBand:
    """The change of accuracy in one band of a gate."""

    name: str
    verdict: str
    difference: float
    interval: tuple[float, float]
    """The 95% interval of the difference."""


@dataclass(frozen=True, slots=True)
class Document:
    """A title, the sentences below it (notes), and the tables after them."""

    title: str
    notes: tuple[str, ...]
    tables: tuple[Table, ...]
    badge: str = ""
    """A verdict, for a page to show as a badge."""
    lead: str = ""
    """The sentence beside the badge."""
    brief: str = ""
    """The text for a terminal at the usual verbosity; empty if it is that of `as_terminal`."""
    bands: tuple[ForestBand, ...] = ()
    """What a page draws of a gate."""
    margin: float = 0.0
    """The drop that the gate rules out, a share."""


def as_terminal(document: Document) -> str:
    head = "\n".join(visible(line) for line in (document.title, *document.notes))
    return "\n\n".join([head, *map(terminal_table, document.tables)]) + "\n"


def as_markdown(document: Document) -> str:
    notes = "\n".join(f"- {plain(note)}" for note in document.notes)
    return "\n\n".join([f"# {plain(document.title)}", notes, *map(markdown_table, document.tables)]) + "\n"


def as_html(document: Document, charts: Sequence[Chart] = ()) -> str:
    """Return one HTML file that loads nothing and runs no script.

    Its content security policy allows only its own style, by digest. charts: shown above the tables.
    """
    import jinja2

    figures = [(chart, draw(chart)) for chart in charts]
    here = Path(__file__).parent
    loader = jinja2.FileSystemLoader(here)
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    environment.filters["visible"] = lambda value: visible(str(value))
    style = (here / "document.css").read_text(encoding="utf-8")
    style += theme.css() if figures else ""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("document.html").render(
        document=document, figures=figures, style=style, digest=digest
    )


def as_data(document: Document) -> dict[str, Any]:
    """Return the document as JSON can hold it."""
    about = {"title": document.title, "badge": document.badge, "lead": document.lead, "notes": list(document.notes)}
    return about | {"tables": list(map(_table_data, document.tables))}


def _table_data(table: Table) -> dict[str, Any]:
    about = {"title": table.title, "family": table.test, "said": list(table.said)}
    return about | {"columns": list(table.columns), "rows": [list(row) for row in table.rows]}


FORMATS: dict[str, Callable[[Document], str]] = {"terminal": as_terminal, "markdown": as_markdown, "html": as_html}
