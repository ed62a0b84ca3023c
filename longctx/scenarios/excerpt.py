"""The surroundings of a part of a prompt, for a reader who will not read 100,000 tokens."""

from __future__ import annotations

from dataclasses import dataclass

from longctx.scenarios.base import Mark

LINES = 3
"""Shown before and after."""
AROUND = 400
"""Characters shown before and after, at most: a line may be a whole window of filler."""
WITHIN = 1200
"""Characters shown of the part itself, at most."""
CUT = " … "


@dataclass(frozen=True, slots=True)
class Excerpt:
    """line: of the text at which the part begins, from 1. part: its middle is cut out where it is long."""

    name: str
    line: int
    before: str
    part: str
    after: str


def excerpt(text: str, mark: Mark) -> Excerpt:
    """The marked part of a text with the lines around it."""
    part = text[mark.start : mark.end]
    if len(part) > WITHIN:
        part = part[: WITHIN // 2] + CUT + part[-WITHIN // 2 :]
    before = text[max(0, mark.start - AROUND) : mark.start].split("\n")[-LINES - 1 :]
    after = text[mark.end : mark.end + AROUND].split("\n")[: LINES + 1]
    return Excerpt(mark.name, text.count("\n", 0, mark.start) + 1, "\n".join(before), part, "\n".join(after))
