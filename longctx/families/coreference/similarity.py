"""Which text a reply gives back, and the similarity score that MRCR publishes."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

THRESHOLD = 0.8
"""A reply gives back a text if so much of both is the same, in words and their order."""


def published(reply: str, text: str) -> float:
    """MRCR's score, 0 to 1: what characters the two have in common, as Python's difflib matches them by default."""
    return SequenceMatcher(None, reply, text).ratio()


def most_alike(reply: str, texts: Sequence[str]) -> int | None:
    """Which of the texts the reply gives back, word for word or nearly; None where it gives back none."""
    if reply in texts:
        return texts.index(reply)
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(reply.split())
    best, place = 0.0, None
    for number, text in enumerate(texts):
        matcher.set_seq1(text.split())
        least = max(THRESHOLD, best)
        if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:  # bounds, and cheap
            continue
        ratio = matcher.ratio()
        if ratio >= THRESHOLD and ratio > best:
            best, place = ratio, number
    return place
