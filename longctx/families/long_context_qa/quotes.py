"""Quotes in a scratchpad: do they stand in the record, and in the right section?

The measure of a quote is the share of its runs of WORDS words that stand in a text, case, punctuation and white space
aside: 1 for a verbatim quote, 0 for an invented one. A quote is *found* from FOUND on.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from longctx.vocabulary.scenario import Quote

WORDS = 4
BLANK = "\n\n"
FOUND = 0.8


@dataclass(frozen=True, slots=True)
class QuoteCount:
    """How many quotes a scratchpad holds, how many stand in the record, and how many in the needle's section."""

    quotes: int
    in_record: int
    in_needle: int


def scratchpad(text: str) -> str:
    """What stands in <scratchpad>, up to its end, the answer, or the end of the reply; empty without one."""
    match = re.search(r"<scratchpad\s*>(.*?)(?:</scratchpad\s*>|<answer\s*>|\Z)", text, re.IGNORECASE | re.DOTALL)
    return match[1] if match else ""


def quotes(pad: str) -> list[str]:
    """What stands in quotation marks in a scratchpad; without any, its lines. At least WORDS words long."""
    marked = re.findall(r"[\"“]([^\"“”]+)[\"”]", pad)
    found = marked or [re.sub(r"^\s*(?:[-*•]|\d+[.)])\s*", "", line) for line in pad.splitlines()]
    return [quote.strip() for quote in found if len(_words(quote)) >= WORDS]


def looked_up(reply: str, record: str, needle: str) -> list[Quote]:
    """The quotes in a reply's scratchpad, looked up in the record and in the needle's section."""
    if not (found := quotes(scratchpad(reply))):
        return []
    everywhere, right_place = _plain(record), _plain(needle)
    return [Quote(one, _share(one, everywhere) >= FOUND, _share(one, right_place) >= FOUND) for one in found]


def count(quotes: Sequence[Quote]) -> QuoteCount:
    return QuoteCount(len(quotes), sum(quote.in_record for quote in quotes), sum(quote.in_needle for quote in quotes))


def _share(quote: str, text: str) -> float:
    """text: its words, a space on either side of each."""
    words = _words(quote)
    if f" {' '.join(words)} " in text:
        return 1.0
    own = set(zip(*(words[start:] for start in range(WORDS)), strict=False))
    return sum(f" {' '.join(run)} " in text for run in own) / len(own)


@functools.lru_cache(maxsize=2)
def _plain(text: str) -> str:
    """The words of a text, a space on either side of each. A record is of sections that other records have too."""
    return f" {' '.join(filter(None, map(_section, text.split(BLANK))))} "


@functools.lru_cache(maxsize=1024)
def _section(text: str) -> str:
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
