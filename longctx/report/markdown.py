"""Text and names of other people as Markdown, in which nothing of them becomes a link, a mention or markup."""

from __future__ import annotations

import re

from longctx.text import visible

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


def plain(text: str) -> str:
    """Return the text for a line of Markdown, in which nothing is a link, a mention or markup.

    A word that may be one, such as a name `[a](b)` or `@everyone` that somebody gave to a model or a prompt set, is
    written as code; any other stays as it is.
    """
    first, *others = re.split(r"( +)", visible(text))
    first = as_code(first) if AT_START.fullmatch(first) else _word(first)
    return "".join([first, *map(_word, others)])


def code(text: str) -> str:
    """Return a code span for a cell of a Markdown table; empty for an empty text."""
    return _in_row(as_code(visible(text)))


def _word(word: str) -> str:
    if not MARKUP.search(word):
        return word
    match = WORD.fullmatch(word)
    if match is None or MARKUP.search(match["before"] + match["after"]) or not match["word"]:
        return as_code(word)
    return f"{match['before']}{as_code(match['word'])}{match['after']}"


def as_code(text: str) -> str:
    if not text:
        return ""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if text[0] in "` " or text[-1] in "` " else f"{fence}{text}{fence}"


def in_cell(text: str) -> str:
    return text if text == "-" else _in_row(plain(text))  # a dash means no value, and begins no list in a cell


def _in_row(text: str) -> str:
    return text.replace("|", "\\|")  # a bare bar would end the cell, even in code


def fenced(text: str, language: str) -> str:
    """Return text as a block of code, which nothing in it ends."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"
