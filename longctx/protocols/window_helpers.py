"""Prompts that fill a window of a model's own tokens: their context in one piece, and the lines that fill it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from longctx import Context, Counts, Piece, Words
from longctx.vocabulary.token_counts import checked_counts

LINES = 100
"""The random lines by which two probes differ; their tokens are averaged."""


def one_piece(context: str, question: str) -> Context:
    """Return the parts of a user's text as a context in one piece and a question."""
    return Context((Piece(context.strip()),), question.strip(), needle=0)


def line_counts(prompt: Callable[[Words, int], str], fits: Callable[[Any], object]) -> Counts:
    """Return what a protocol must know of a model's tokenizer if its lines take about the same number of tokens each.

    prompt: returns a prompt with 1 or LINES + 1 lines that is otherwise the same. fits: see Counts.
    """
    many = f"{LINES + 1} lines"

    def values(counts: Mapping[str, int]) -> dict[str, float]:
        line = (counts[many] - counts["1 line"]) / LINES
        checked = checked_counts({"line": line, "fixed": counts["1 line"] - line})
        return {name: round(value, 4) for name, value in checked.items()}

    return Counts(
        lambda words: {"1 line": prompt(words, 1), many: prompt(words, LINES + 1)}, values, ("line", "fixed"), fits
    )


def line_count(cell: Any, least: int, spread: float) -> int:
    """Return how many lines fill the window of a cell. Raises ValueError if they are too few.

    least: the fewest lines of a prompt. spread: four standard deviations of the tokens of a line, so that prompts
    hardly ever exceed their window.
    """
    line, fixed = cell.counted["line"], cell.counted["fixed"] + cell.max_tokens
    # n lines and their deviation, spread * sqrt(n), take all of the room.
    root = (math.sqrt(spread**2 + 4 * line * max(cell.window - fixed, 0)) - spread) / (2 * line)
    if (lines := int(root * root)) >= least:
        return lines
    needed = math.ceil(fixed + least * line + spread * math.sqrt(least)) + 1
    raise ValueError(
        f"a window of {cell.window} tokens is too small for the {least} lines of {cell.slug}: give at least {needed}."
    )
