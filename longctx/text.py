"""Text for people: numbers with their nouns, and characters that terminals do not show."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence


def count(number: int, one: str, many: str = "") -> str:
    """Return, for instance, `1 trial` or `2,000 trials`. many: the plural, if it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def ordinal(number: int) -> str:
    """Return a number as an ordinal, such as `2nd`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def usd(amount: float) -> str:
    """Return an amount in USD as shown to people: whole cents, or two digits if it is less than a dollar."""
    decimals = 2 if not 0 < abs(amount) < 1 else max(2, 1 - math.floor(math.log10(abs(amount))))
    cents, _, rest = f"{amount:,.{decimals}f}".partition(".")
    return f"${cents}.{rest[:2]}{rest[2:].rstrip('0')}"


def usd_exactly(amount: float) -> str:
    """Return an amount that a user gave, such as a cap, in USD with all of its digits."""
    return f"${amount:,.2f}" if round(amount, 2) == amount else f"${amount:,}"


def some_of(names: Sequence[str], most: int) -> str:
    """Return the first names as a list for a sentence, which ends with `…` if there are more."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


HIDDEN = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0))
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""Invisible characters that Python calls printable: fillers, joiners and variation selectors."""


def visible(text: str, keep: str = "") -> str:
    r"""Return the text with escapes such as \x1b and \u202e instead of characters that cannot be seen.

    These are control, bidirectional, zero-width and unassigned characters, and lone surrogates. keep: characters that
    stay, such as "\n".
    """
    if text.isprintable() and HIDDEN.isdisjoint(text):
        return text
    return "".join(character if character in keep or _is_seen(character) else _escape(character) for character in text)


def _is_seen(character: str) -> bool:
    return character not in HIDDEN and (character.isprintable() or unicodedata.category(character) == "Zs")


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
