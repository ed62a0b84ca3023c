"""A document and its parts as Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from longctx.report.blocks import Block, Diff, Name, TableRows, TextLine
from longctx.report.document import EVIDENCE, Document, cells_of
from longctx.report.markdown import as_code, code, fenced, in_cell, plain
from longctx.text import visible
from longctx.views.chart import Table


def as_markdown(document: Document) -> str:
    if document.heading:
        about = [markdown_line(document.about)] if document.about else []
        parts = [f"### {plain(document.heading)}", *about, markdown_blocks(document.blocks), _folded(document)]
        return "\n\n".join(filter(None, parts)) + "\n"
    notes = "\n".join(f"- {plain(note)}" for note in document.notes)
    return "\n\n".join([f"# {plain(document.title)}", notes, *map(markdown_table, document.tables)]) + "\n"


def _folded(document: Document) -> str:
    notes = "\n".join(f"- {plain(note)}" for note in document.notes)
    evidence = "\n\n".join([notes, *(markdown_table(table) for table in document.tables if not table.said)])
    return f"<details><summary>{EVIDENCE}</summary>\n\n{evidence}\n\n</details>"


def markdown_table(table: Table) -> str:
    """Return a Markdown table under a heading.

    Text of a model or a document is written as code, so that nothing in it becomes a link, a mention or markup.
    """
    heads, rows = cells_of(table, lambda column: code if column in table.said else in_cell)
    lines = [heads, ["---"] * len(heads), *rows]
    grid = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"## {plain(table.title)}\n\n{grid}"


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
