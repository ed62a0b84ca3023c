"""A table as text, for a terminal and for Markdown. Nothing in a cell reaches beyond it."""

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
    """Under a heading. What a model said stands as code, where nothing is a link, a name or markup."""
    grid = _grid(table.frame, "pipe", lambda column: code if column in table.said else _in_cell)
    return f"## {plain(table.title)}\n\n{grid}"


def plain(text: str) -> str:
    """Text of a line of Markdown that holds no HTML."""
    return visible(text).replace("<", "&lt;")


def code(text: str) -> str:
    """A code span for a cell of a Markdown table; nothing for no text."""
    seen = visible(text).replace("|", "\\|")
    if not seen:
        return ""
    fence = "`" * (1 + max(map(len, re.findall("`+", seen)), default=0))
    return f"{fence} {seen} {fence}" if seen[0] in "` " or seen[-1] in "` " else f"{fence}{seen}{fence}"


def _in_cell(text: str) -> str:
    """A bar in a name would end a cell."""
    return plain(text).replace("|", "\\|")


def _grid(frame: pd.DataFrame, style: str, written: Callable[[str], Callable[[str], str]]) -> str:
    """frame: of text. written: column -> what makes its text fit to be printed."""
    name = str(frame.index.name)
    heads = [written("")(str(head)) for head in (name, *frame.columns)]
    columns = [(name, frame.index), *((str(column), cells) for column, cells in frame.items())]
    found = [[written(column)(str(cell)) for cell in cells] for column, cells in columns]
    return tabulate(zip(*found, strict=True), headers=heads, tablefmt=style, disable_numparse=True)
