"""Text of models and documents as a reader may safely see it: nothing in it steers a terminal or hides."""

from __future__ import annotations

import unicodedata

HIDDEN = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0))
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""Letters and marks without a shape, which Python calls printable: fillers, joiners, variation selectors."""


def visible(text: str, keep: str = "") -> str:
    r"""Control, bidirectional, zero-width and unassigned characters and lone surrogates as escapes: \x1b, \u202e.

    keep: characters that stay as they are, such as "\n" where lines may be lines.
    """
    if text.isprintable() and HIDDEN.isdisjoint(text):
        return text
    return "".join(character if character in keep or _is_seen(character) else _escape(character) for character in text)


def _is_seen(character: str) -> bool:
    return character not in HIDDEN and (character.isprintable() or unicodedata.category(character) == "Zs")


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
