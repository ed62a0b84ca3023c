"""Quotes in a scratchpad: are they in the record, and in the right section?

A quote is compared with a text by the share of its n-grams of WORDS words that occur in the text, ignoring case,
punctuation and white space: 1 for a verbatim quote, 0 for an invented one. From FOUND on, it counts as found.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from longctx import Quote

WORDS = 4
BLANK = "\n\n"
FOUND = 0.8


@dataclass(frozen=True, slots=True)
class QuoteCount:
    """How many quotes a scratchpad has, and how many of them are in the record and in the needle's section."""

    quotes: int
    in_record: int
    in_needle: int


def scratchpad(text: str) -> str:
    """Return the content of <scratchpad>, up to its end, the answer, or the end of the reply; empty without one."""
    match = re.search(r"<scratchpad\s*>(.*?)(?:</scratchpad\s*>|<answer\s*>|\Z)", text, re.IGNORECASE | re.DOTALL)
    return match[1] if match else ""


def quotes(pad: str) -> list[str]:
    """Return the texts in quotation marks, or else the lines, of a scratchpad, if they have at least WORDS words."""
    marked = re.findall(r"[\"“]([^\"“”]+)[\"”]", pad)
    candidates = marked or [re.sub(r"^\s*(?:[-*•]|\d+[.)])\s*", "", line) for line in pad.splitlines()]
    return [quote.strip() for quote in candidates if len(_words(quote)) >= WORDS]


def look_up(reply: str, record: str, needle: str) -> list[Quote]:
    """Look up the quotes in a reply's scratchpad in the record and in the needle's section."""
    if not (texts := quotes(scratchpad(reply))):
        return []
    everywhere, right_place = _plain(record), _plain(needle)
    return [Quote(text, _share(text, everywhere) >= FOUND, _share(text, right_place) >= FOUND) for text in texts]


def count(quotes: Sequence[Quote]) -> QuoteCount:
    return QuoteCount(len(quotes), sum(quote.in_record for quote in quotes), sum(quote.in_needle for quote in quotes))


def _share(quote: str, text: str) -> float:
    """Return the share of a quote's n-grams that occur in a text. text: as _plain returns it."""
    words = _words(quote)
    if f" {' '.join(words)} " in text:
        return 1.0
    own = set(zip(*(words[start:] for start in range(WORDS)), strict=False))
    return sum(f" {' '.join(run)} " in text for run in own) / len(own)


@functools.lru_cache(maxsize=2)
def _plain(text: str) -> str:
    """Return the words of a text, each surrounded by spaces. Sections are cached, as records share them."""
    return f" {' '.join(filter(None, map(_section, text.split(BLANK))))} "


@functools.lru_cache(maxsize=1024)
def _section(text: str) -> str:
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
