"""A document of sentences and tables, written as text for a terminal, as Markdown, or as one HTML file."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabulate import tabulate

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
    picture: Chart | None = None
    """What a page opens with."""
    change: str = ""
    """What is judged or compared, in a few words: the title of a page, if it has another."""


def as_terminal(document: Document) -> str:
    head = "\n".join(visible(line) for line in (document.title, *document.notes))
    return "\n\n".join([head, *map(terminal_table, document.tables)]) + "\n"


def as_markdown(document: Document) -> str:
    notes = "\n".join(f"- {plain(note)}" for note in document.notes)
    return "\n\n".join([f"# {plain(document.title)}", notes, *map(markdown_table, document.tables)]) + "\n"


def as_html(document: Document) -> str:
    """Return one HTML file that loads nothing and runs no script.

    Its content security policy allows only its own style, by digest.
    """
    import jinja2

    here = Path(__file__).parent
    loader = jinja2.FileSystemLoader(here)
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


FORMATS: dict[str, Callable[[Document], str]] = {"terminal": as_terminal, "markdown": as_markdown, "html": as_html}


MARKUP = re.compile(
    r"""
    [`*~]                # code, emphasis, deletions
    | <[a-z/!?]          # HTML
    | @\w                # mentions and addresses
    | \][(:\[]           # links, images, and the definitions of references and footnotes
    | ://|www\.          # addresses
    | &\#?\w+;           # entities
    | \#\d | ^\#+$       # references to issues; headings
    | (?<!\w)_|_(?!\w)   # emphasis; in the middle of a word _ is none
    | \\[!-/:-@[-`{-~]   # escapes
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Matches a word in which Markdown, or GitHub's, may see anything but text."""
AT_START = re.compile(r"[-+=>]+|\d+[.)]")
"""A first word that makes a line a list, a quotation or the line under a heading."""
WORD = re.compile(r"(?P<before>[\"'(]*)(?P<word>\S*?)(?P<after>[\"'),.;:]*)")
"""A word with the punctuation around it."""


def terminal_table(table: Table) -> str:
    return f"{visible(table.title)}\n\n{_grid(table)}"


def bare_table(table: Table, right: Collection[str] = ()) -> str:
    """Return a table without its title and without lines. right: the columns that are aligned at their right."""
    lines = [[visible(str(cell)) for cell in cells] for cells in (table.columns, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = [str.rjust if column in right else str.ljust for column in table.columns]
    columns = [*zip(aligned, widths, strict=True)]
    return "\n".join(
        "  ".join(align(cell, width) for cell, (align, width) in zip(line, columns, strict=True)).rstrip()
        for line in lines
    )


def markdown_table(table: Table) -> str:
    """Return a Markdown table under a heading.

    Text of a model or a document is written as code, so that nothing in it becomes a link, a mention or markup.
    """
    heads, rows = _cells(table, lambda column: code if column in table.said else _in_cell)
    lines = [heads, ["---"] * len(heads), *rows]
    grid = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"## {plain(table.title)}\n\n{grid}"


def plain(text: str) -> str:
    """Return the text for a line of Markdown, in which nothing is a link, a mention or markup.

    A word that may be one, such as a name `[a](b)` or `@everyone` that somebody gave to a model or a prompt set, is
    written as code; any other stays as it is.
    """
    first, *others = re.split(r"( +)", visible(text))
    first = _as_code(first) if AT_START.fullmatch(first) else _word(first)
    return "".join([first, *map(_word, others)])


def code(text: str) -> str:
    """Return a code span for a cell of a Markdown table; empty for an empty text."""
    return _in_row(_as_code(visible(text)))


def _word(word: str) -> str:
    if not MARKUP.search(word):
        return word
    match = WORD.fullmatch(word)
    if match is None or MARKUP.search(match["before"] + match["after"]) or not match["word"]:
        return _as_code(word)
    return f"{match['before']}{_as_code(match['word'])}{match['after']}"


def _as_code(text: str) -> str:
    if not text:
        return ""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if text[0] in "` " or text[-1] in "` " else f"{fence}{text}{fence}"


def _in_cell(text: str) -> str:
    return text if text == "-" else _in_row(plain(text))  # a dash means no value, and begins no list in a cell


def _in_row(text: str) -> str:
    return text.replace("|", "\\|")  # a bare bar would end the cell, even in code


def _grid(table: Table) -> str:
    heads, rows = _cells(table, lambda _: visible)
    return tabulate(rows, headers=heads, tablefmt="simple", disable_numparse=True)


def _cells(table: Table, escape: Callable[[str], Callable[[str], str]]) -> tuple[list[str], list[list[str]]]:
    """Return the heads and the rows of a table. escape: gives the function that escapes a column."""
    heads = [escape("")(column) for column in table.columns]
    escapes = [escape(column) for column in table.columns]
    return heads, [[escaped(str(cell)) for escaped, cell in zip(escapes, row, strict=True)] for row in table.rows]
