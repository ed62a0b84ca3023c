"""Finding the text that a reply gives back, and MRCR's published similarity score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

RECOGNISED = 0.5
"""The similarity of words and their order from which a reply counts as an attempt at a text."""
GIVEN_BACK = 0.9
"""The similarity from which a reply counts as giving the text back."""


@dataclass(frozen=True, slots=True)
class Match:
    """The text most similar to a reply."""

    place: int
    """Its index."""
    ratio: float
    """The similarity, 0 to 1."""

    @property
    def given_back(self) -> bool:
        return self.ratio >= GIVEN_BACK


def published(reply: str, text: str) -> float:
    """Return MRCR's score, 0 to 1: the similarity of characters by Python's difflib with its defaults."""
    return SequenceMatcher(None, reply, text).ratio()


def most_alike(reply: str, texts: Sequence[str]) -> Match | None:
    """Return the text most similar to the reply; None if none is similar enough."""
    if reply in texts:
        return Match(texts.index(reply), 1.0)
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(reply.split())
    best: Match | None = None
    for place, text in enumerate(texts):
        matcher.set_seq1(text.split())
        least = best.ratio if best else RECOGNISED
        if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:  # upper bounds, and cheap
            continue
        ratio = matcher.ratio()
        if ratio >= RECOGNISED and (best is None or ratio > best.ratio):
            best = Match(place, ratio)
    return best
