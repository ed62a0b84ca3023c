"""A liking for a letter: how often each letter is right, how often it is chosen, and what is reported of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from longctx.results.row import Row
from longctx.stats.of_rows import rate_of
from longctx.stats.rates import Rate
from longctx.views.table import Table

BIAS = 0.1
"""The difference from which a liking for a letter is a finding."""


@dataclass(frozen=True, slots=True)
class LetterShare:
    """How often a letter is right, how often it is chosen, and how often it is chosen where it is right."""

    letter: str
    right: Rate
    chosen: Rate
    found: Rate

    @property
    def excess(self) -> float:
        """The share of answers with the letter, less the share of questions of which it is right."""
        return self.chosen.rate - self.right.rate

    @property
    def biased(self) -> bool:
        """Whether it is shown to be chosen more often than it is right, by a tenth or more as measured."""
        return self.excess >= BIAS and self.chosen.lo > self.right.rate


def letter_shares(rows: Iterable[Row]) -> tuple[LetterShare, ...]:
    """Return the shares of each letter over the trials that were answered by one of their letters.

    Rows without text have none.
    """
    read = [row for row in rows if row.outcome in ("correct", "wrong") and row.returned]
    letters = sorted({str(letter) for row in read for letter in (row.expected, row.returned)})
    return tuple(
        LetterShare(
            letter,
            rate_of(read, lambda row, letter=letter: row.expected == letter),  # type: ignore[misc]
            rate_of(read, lambda row, letter=letter: row.returned == letter),  # type: ignore[misc]
            rate_of((row for row in read if row.expected == letter), lambda row: row.returned == row.expected),
        )
        for letter in letters
    )


def letter_bias(shares: Sequence[LetterShare]) -> float:
    """Return the share of answers that would have to change for letters to be chosen as often as they are right."""
    return sum(max(share.excess, 0.0) for share in shares)


def letter_table(where: str, shares: Sequence[LetterShare]) -> Table:
    """Return how often each letter is right, and how often it is chosen."""
    columns = {
        "letter": [share.letter for share in shares],
        "right": [f"{share.right.correct:,} of {share.right.n:,}" for share in shares],
        "chosen": [f"{share.chosen.correct:,} of {share.chosen.n:,}" for share in shares],
        "share chosen less share right": [f"{share.excess:+.2f}" for share in shares],
        "chosen where right [95% interval]": [str(share.found) for share in shares],
    }
    return Table.from_columns(f"Letters, {where}: bias {letter_bias(shares):.2f}", columns)


def letter_biases(where: str, shares: Iterable[LetterShare]) -> Iterator[str]:
    """Yield the letters that are chosen more often than they are right. where: such as `in 3,000 tokens`."""
    for share in shares:
        if share.biased:
            yield (
                f"{share.letter} is chosen in {share.chosen.correct:,} of {share.chosen.n:,} answers and right in "
                f"{share.right.correct:,}, {where}: part of the rate is a liking for a letter"
            )


def letter_entries(shares: Sequence[LetterShare]) -> dict[str, dict[str, float]]:
    """Return the shares of letters for summary.json."""
    return {
        share.letter: {
            "right": share.right.correct,
            "chosen": share.chosen.correct,
            "found": share.found.correct,
            "of": share.chosen.n,
        }
        for share in shares
    }
