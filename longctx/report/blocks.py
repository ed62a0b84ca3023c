"""The parts of a document that a reader sees first, and how each is written for a terminal and as Markdown.

The page writes them in `blocks.html`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from longctx.report.markdown import as_code, code, fenced, in_cell, plain
from longctx.text import visible
from longctx.views.chart import Table


class Name(str):
    """Something that somebody else named, such as a prompt set: Markdown shows it as code."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text. Names in it are `Name`."""

    parts: tuple[str, ...]

    @classmethod
    def of(cls, *parts: str) -> TextLine:
        return cls(parts)

    @property
    def kind(self) -> str:
        return "line"

    @property
    def text(self) -> str:
        return "".join(self.parts)


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table without a title."""

    table: Table
    right: tuple[str, ...] = ()
    """The columns that are aligned at their right."""
    strong: str = ""
    """The column whose first word stands out."""

    @property
    def kind(self) -> str:
        return "rows"


@dataclass(frozen=True, slots=True)
class Diff:
    """The lines of a difference between two texts."""

    lines: tuple[str, ...]

    @property
    def kind(self) -> str:
        return "diff"


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks below a title, which are folded away where a medium can do that."""

    title: TextLine
    blocks: tuple[Block, ...]
    is_open: bool = False
    """Whether it is open at first. A terminal shows the title of such a one without -v, and nothing of others."""
    in_tables: bool = False
    """Whether a table of the document lists what it shows, and more: a terminal and the page show that table."""

    @property
    def kind(self) -> str:
        return "fold"


Block = TextLine | TableRows | Diff | Fold


def terminal_blocks(blocks: Sequence[Block], in_full: bool = True) -> str:
    """Return blocks as text. in_full: whether those are shown that -v alone shows."""
    told = [block for block in blocks if not isinstance(block, Fold) or _is_told(block, in_full)]
    return "\n".join(_in_terminal(block, in_full) for block in told)


def _is_told(fold: Fold, in_full: bool) -> bool:
    return not fold.in_tables and (in_full or fold.is_open)


def _in_terminal(block: Block, in_full: bool) -> str:
    if isinstance(block, TextLine):
        return visible(block.text)
    if isinstance(block, Diff):
        return "\n".join(f"  {visible(line)}" for line in block.lines)
    if isinstance(block, TableRows):
        return bare_table(block.table, block.right)
    title = visible(block.title.text)
    return f"\n{title}\n{terminal_blocks(block.blocks, in_full)}" if in_full else f"{title} (-v shows it)"


def bare_table(table: Table, right: Sequence[str] = ()) -> str:
    """Return a table without its title and without lines. right: the columns that are aligned at their right."""
    lines = [[visible(str(cell)) for cell in cells] for cells in (table.columns, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = [str.rjust if column in right else str.ljust for column in table.columns]
    columns = [*zip(aligned, widths, strict=True)]
    return "\n".join(
        "  ".join(align(cell, width) for cell, (align, width) in zip(line, columns, strict=True)).rstrip()
        for line in lines
    )


def markdown_blocks(blocks: Sequence[Block]) -> str:
    """Return blocks as Markdown."""
    return "\n\n".join(map(_in_markdown, blocks))


def markdown_line(line: TextLine) -> str:
    return "".join(as_code(visible(part)) if isinstance(part, Name) else _spaced(part) for part in line.parts)


def _spaced(part: str) -> str:
    """Return a part of a line, whose ends may be spaces or punctuation."""
    found = re.fullmatch(r"(\s*)(.*?)(\s*)", part, re.DOTALL)
    before, text, after = found.groups() if found else ("", part, "")
    return f"{before}{plain(text)}{after}" if text else part


def _in_markdown(block: Block) -> str:
    if isinstance(block, TextLine):
        return markdown_line(block)
    if isinstance(block, Diff):
        return fenced("\n".join(map(visible, block.lines)), "diff")
    if isinstance(block, TableRows):
        return _markdown_rows(block)
    start = "<details open>" if block.is_open else "<details>"
    return f"{start}<summary>{_summary(block.title)}</summary>\n\n{markdown_blocks(block.blocks)}\n\n</details>"


def _markdown_rows(block: TableRows) -> str:
    table = block.table
    rows = [[in_cell(column) if column else "" for column in table.columns], ["---"] * len(table.columns)]
    for row in table.rows:
        rows.append([_cell(block, column, str(cell)) for column, cell in zip(table.columns, row, strict=True)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def _cell(block: TableRows, column: str, cell: str) -> str:
    if column in block.table.said:
        return code(cell)
    first, space, rest = cell.partition(" ")
    if column == block.strong and re.fullmatch(r"[-+]?[\d.]+", first):
        return f"**{first}**{space}{rest}"
    return in_cell(cell)


def _summary(line: TextLine) -> str:
    """Return the title of a fold, in which Markdown is not read and nothing is markup. Names are code."""
    parts = [(html.escape(visible(part), quote=False), isinstance(part, Name)) for part in line.parts]
    return "".join(f"<code>{text}</code>" if is_name else text for text, is_name in parts)
