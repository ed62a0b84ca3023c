"""Which text a reply gives back, and the similarity score that MRCR publishes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

RECOGNISED = 0.5
"""A reply is taken for an attempt at a text if so much of both is the same, in words and their order."""
GIVEN_BACK = 0.9
"""And it gives the text back if so much is."""


@dataclass(frozen=True, slots=True)
class Match:
    """place: of the text that a reply is most like. ratio: how much of both is the same, 0 to 1."""

    place: int
    ratio: float

    @property
    def given_back(self) -> bool:
        return self.ratio >= GIVEN_BACK


def published(reply: str, text: str) -> float:
    """MRCR's score, 0 to 1: what characters the two have in common, as Python's difflib matches them by default."""
    return SequenceMatcher(None, reply, text).ratio()


def most_alike(reply: str, texts: Sequence[str]) -> Match | None:
    """The text that the reply is most like; None where it is like none."""
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
