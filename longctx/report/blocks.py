"""The parts of a document that a reader sees first, and how each is written for a terminal.

`markdown_document` writes them as Markdown, the page in `blocks.html`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
