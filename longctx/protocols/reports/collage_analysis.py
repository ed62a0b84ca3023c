"""The analysis of long-context QA: the effect of a scratchpad and of examples on the same questions, and their cost.

Source of the questions asked here: the notebook's conclusion, "including a scratchpad always helps; random examples do
not particularly help; contextual examples do, and 5 are better than 2".
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longctx import Answers, Rate, Row
from longctx.compare.pairs import by_item, paired
from longctx.protocols.choices import LETTERS, version_of
from longctx.results.grouping import grouped
from longctx.results.row import Subject
from longctx.stats.averaged import Averaged
from longctx.stats.paired import Paired
from longctx.text import count
from longctx.views.chart import LetterShare, letter_shares

LETTERS_GIVEN, ONE_LETTER = 20, 0.9
"""If a model gives at least so many letters, and such a share of them are the same, its answer is called fixed."""

SCRATCHPAD = "_scratchpad"
CHANGES = (
    ("a scratchpad", tuple((name, f"{name}{SCRATCHPAD}") for name in ("none", "unrelated", "two", "five"))),
    ("2 unrelated examples", tuple((f"none{pad}", f"unrelated{pad}") for pad in ("", SCRATCHPAD))),
    ("2 examples", tuple((f"none{pad}", f"two{pad}") for pad in ("", SCRATCHPAD))),
    ("5 examples", tuple((f"none{pad}", f"five{pad}") for pad in ("", SCRATCHPAD))),
)
"""Each change, with the pairs of variants that show its effect."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of `change` on variant `before` at one depth (percent), on the same questions."""

    change: str
    before: str
    depth: int
    paired: Paired | Averaged
    extra_tokens: float
    """The mean of additional input and output tokens per trial."""

    @property
    def tokens_per_point(self) -> float | None:
        """The extra tokens for each percentage point gained; None without a gain."""
        points = 100 * self.paired.difference
        return self.extra_tokens / points if points > 0 else None


@dataclass(frozen=True, slots=True)
class Quotes:
    """The shares of the quotes in scratchpads that occur in the record, and in the right section."""

    in_record: Rate
    in_needle: Rate


@dataclass(frozen=True, slots=True)
class Favourite:
    """The letter that was answered most often, and its share of all single letters answered."""

    letter: str
    share: Rate

    @property
    def fixed(self) -> bool:
        """Whether the letter is given whatever is asked: an accuracy then measures how often it happens to be right."""
        return self.share.n >= LETTERS_GIVEN and self.share.rate >= ONE_LETTER


@dataclass(frozen=True, slots=True)
class QaSummary:
    """The analysis of one subject at one budget (tokens).

    filter_asked, filter_kept: how many questions the filter was made from, and how many it kept; both are 0 without a
    filter.
    """

    subject: Subject
    budget: int
    filter_asked: int
    filter_kept: int
    effects: tuple[Effect, ...]
    quotes: dict[tuple[str, int], Quotes]
    """The quotes of each variant and depth (percent)."""
    favourites: dict[str, Favourite] = field(default_factory=dict)
    """The favourite letter of each variant."""
    beside: str = ""
    """What else its collages have in common, as text."""
    letters: tuple[LetterShare, ...] = ()
    """How often each letter is right and chosen."""


def held(params: Mapping[str, Any]) -> str:
    """Return what a collage holds besides its budget, such as `4 distractors`."""
    distractors, questions = params.get("distractors"), params.get("questions")
    named = [
        count(int(distractors), "distractor") if distractors is not None else "",
        f"{questions} questions a collage" if questions else "",
    ]
    return ", ".join(filter(None, named))


def beside(params: Mapping[str, Any]) -> str:
    """Return what a collage has besides its budget, depth and variant: what it holds, and an earlier version."""
    return ", ".join(filter(None, [held(params), version_of(params)]))


def summary_of(answers: Answers) -> QaSummary:
    """Summarize the collages of one subject and budget."""
    rows, params = answers.rows, answers.params
    pads = {cell: quotes(members) for cell, members in _cells(rows).items() if cell[0].endswith(SCRATCHPAD)}
    asked, kept = (int(params.get(f"filter_{name}") or 0) for name in ("asked", "kept"))
    budget, letters = int(params["budget"] or 0), letter_shares(rows)
    changed = tuple(effects(rows))
    return QaSummary(answers.subject, budget, asked, kept, changed, pads, favourites(rows), beside(params), letters)


def effects(rows: Sequence[Row]) -> list[Effect]:
    """Return the effect of every change at every depth. rows: those of one subject and budget."""
    cells = _cells(rows)
    depths = sorted({depth for _, depth in cells})
    return [
        _effect(change, before, depth, cells[before, depth], cells[after, depth])
        for change, pairs in CHANGES
        for before, after in pairs
        for depth in depths
        if (before, depth) in cells and (after, depth) in cells
    ]


def quotes(rows: Sequence[Row]) -> Quotes:
    """Count the quotes. rows: measured trials of a variant with a scratchpad."""
    total, in_record, in_needle = (
        sum(row.trace.get(name, 0) for row in rows) for name in ("quotes", "in_record", "in_needle")
    )
    return Quotes(Rate(in_record, total), Rate(in_needle, total))


def favourites(rows: Sequence[Row]) -> dict[str, Favourite]:
    """Return the favourite letter of each variant that was answered with letters. rows: measured trials."""
    variants = grouped(rows, lambda row: str(row.params["variant"]))
    letters = {variant: favourite(row.returned for row in group) for variant, group in variants.items()}
    return {variant: letter for variant, letter in letters.items() if letter is not None}


def favourite(returned: Iterable[str | None]) -> Favourite | None:
    """Return the most frequent letter; None if no letter was given."""
    letters = Counter(letter for letter in returned if letter in tuple(LETTERS))
    return next((Favourite(str(top), Rate(count, letters.total())) for top, count in letters.most_common(1)), None)


def _cells(rows: Sequence[Row]) -> dict[tuple[str, int], list[Row]]:
    """Group rows by variant and depth."""
    return grouped(rows, lambda row: (str(row.params["variant"]), int(row.params["depth"] or 0)))


def _question(row: Row) -> tuple[int, Any, str | None]:
    """Return what names a question in a run of several random seeds and longest sections."""
    return row.seed, row.params.get("longest"), row.item


def _effect(change: str, before: str, depth: int, first: Sequence[Row], second: Sequence[Row]) -> Effect:
    items = by_item(first, second, _question)
    extra = [
        statistics.fmean(map(_tokens, treated)) - statistics.fmean(map(_tokens, plain)) for plain, treated in items
    ]
    return Effect(change, before, depth, paired(items), statistics.fmean(extra) if extra else 0.0)


def effect_of(rows: Sequence[Row], variants: Iterable[tuple[str, str]]) -> tuple[Paired | Averaged, list[Row]]:
    """Return the difference over all these pairs of variants, on the same questions and records, and its replies.

    rows: measured ones of one subject. A question counts once, by the mean of its answers in all records and variants.
    """
    before, after = list[Row](), list[Row]()
    asked = grouped(rows, lambda row: str(row.params["variant"]))
    for first, second in variants:
        both = by_item(asked.get(first, ()), asked.get(second, ()), lambda row: (_question(row), _record(row)))
        before += [row for items in both for row in items.before]
        after += [row for items in both for row in items.after]
    return paired(by_item(before, after, _question)), [*before, *after]


def _record(row: Row) -> tuple[object, ...]:
    return tuple(row.params.get(name) for name in ("budget", "depth", "distractors", "questions", "letters"))


def _tokens(row: Row) -> int:
    return (row.input_tokens or 0) + (row.output_tokens or 0)
