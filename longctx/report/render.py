"""Tables as text for a terminal and as Markdown. The text of a cell is escaped, so that it stays in its cell."""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd
from tabulate import tabulate

from longctx.report.table import Table
from longctx.visible import visible


def terminal_table(table: Table) -> str:
    return f"{visible(table.title)}\n\n{_grid(table.frame, 'simple', lambda _: visible)}"


def markdown_table(table: Table) -> str:
    """Return a Markdown table under a heading.

    Text of a model or a document is written as code, so that nothing in it becomes a link, a mention or markup.
    """
    grid = _grid(table.frame, "pipe", lambda column: code if column in table.said else _in_cell)
    return f"## {plain(table.title)}\n\n{grid}"


def plain(text: str) -> str:
    """Return the text for a line of Markdown, with HTML escaped."""
    return visible(text).replace("<", "&lt;")


def code(text: str) -> str:
    """Return a code span for a cell of a Markdown table; empty for an empty text."""
    seen = visible(text).replace("|", "\\|")
    if not seen:
        return ""
    fence = "`" * (1 + max(map(len, re.findall("`+", seen)), default=0))
    return f"{fence} {seen} {fence}" if seen[0] in "` " or seen[-1] in "` " else f"{fence}{seen}{fence}"


def _in_cell(text: str) -> str:
    return plain(text).replace("|", "\\|")  # a bare bar would end the cell


def _grid(frame: pd.DataFrame, style: str, escape: Callable[[str], Callable[[str], str]]) -> str:
    """Return a frame of text as a table in a style of tabulate's. escape: gives the function that escapes a column."""
    name = str(frame.index.name)
    heads = [escape("")(str(head)) for head in (name, *frame.columns)]
    columns = [(name, frame.index), *((str(column), cells) for column, cells in frame.items())]
    escaped = [[escape(column)(str(cell)) for cell in cells] for column, cells in columns]
    return tabulate(zip(*escaped, strict=True), headers=heads, tablefmt=style, disable_numparse=True)
