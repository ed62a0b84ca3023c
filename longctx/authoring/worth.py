"""Sentences on what a bank of questions is fit for, from the controls of one model."""

from __future__ import annotations

from collections.abc import Iterator

from longctx.authoring.items import Quality
from longctx.plural import count
from longctx.protocols.choices import CHANCE
from longctx.protocols.reports.collage_analysis import Favourite
from longctx.stats.rates import Rate

FEW = 50
"""With fewer questions, the rates of a collage have intervals wider than 14 points to either side."""


def warnings(quality: Quality, kept: int | None) -> Iterator[str]:
    """Yield the reasons why these questions measure little. kept: by the "too hard" filter; None where there is none.

    Where most replies could not be read, they say nothing about the questions.
    """
    right, wrong = quality.overall.right, quality.overall.wrong
    if right.n < quality.overall.unread.get("right", 0):
        return
    if right.n and right.lo <= CHANCE:
        yield (
            f"With its right section alone the model is not shown to do better than guessing (0.25): {right}. "
            f"{_guessing(quality.favourite)}"
        )
    elif right.n and wrong.n and wrong.rate >= right.rate:
        yield (
            f"These questions can be answered without reading: {wrong.rate:.0%} are answered right with a wrong "
            f"section, {right.rate:.0%} with the right one."
        )
    elif wrong.n and quality.overall.paired.interval()[0] <= 0:
        yield (
            "It is not shown that these questions take reading: the right section is worth "
            f"{quality.overall.paired} against a wrong one."
        )
    none = quality.overall.none
    if none.lo > CHANCE and none.n:
        yield f"Some can be guessed, or are known: without any record {none} are answered right, more than 0.25."
    if kept and kept < FEW:
        yield (
            f"{count(kept, 'question is', 'questions are')} kept, few for a collage: the 95% interval of a "
            f"rate of {count(kept, 'answer')} reaches up to {100 * _reach(kept):.0f} points to "
            "either side. Ask or write more of them."
        )


def _guessing(favourite: Favourite | None) -> str:
    """Suggest the cause."""
    if favourite and favourite.fixed:
        share = favourite.share
        return f"It answers {favourite.letter} whatever it is asked ({share.correct:,} of {share.n:,} replies)."
    return "The questions are too hard for it, or their right answers are not right."


def _reach(n: int) -> float:
    """Return half the width of the interval of a rate of 1/2 with n trials."""
    half = Rate(n // 2, n)
    return (half.hi - half.lo) / 2
