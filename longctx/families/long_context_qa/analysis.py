"""Long-context QA: what a scratchpad and examples do to the same questions, and what they cost.

Source of the questions asked here: the notebook's conclusion, "including a scratchpad always helps; random examples do
not particularly help; contextual examples do, and 5 are better than 2".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate
from longctx.summary.summary import ScenarioSummary

LETTERS = "ABCD"
CHANCE = 1 / len(LETTERS)
"""The rate of a guess among four answers."""

LETTERS_GIVEN, ONE_LETTER = 20, 0.9
"""So many letters, and such a share of them one and the same, say that the model gives it whatever it is asked."""

SCRATCHPAD = "_scratchpad"
CHANGES = (
    ("a scratchpad", tuple((name, f"{name}{SCRATCHPAD}") for name in ("none", "unrelated", "two", "five"))),
    ("2 unrelated examples", tuple((f"none{pad}", f"unrelated{pad}") for pad in ("", SCRATCHPAD))),
    ("2 examples", tuple((f"none{pad}", f"two{pad}") for pad in ("", SCRATCHPAD))),
    ("5 examples", tuple((f"none{pad}", f"five{pad}") for pad in ("", SCRATCHPAD))),
)
"""What is changed -> the pairs of variants that show it."""


def above_chance(rate: Rate) -> float:
    """The share of questions known rather than guessed: 0 at chance, 1 at all correct; below 0 under chance."""
    return (rate.rate - CHANCE) / (1 - CHANCE)


@dataclass(frozen=True, slots=True)
class Effect:
    """What `change` does to variant `before`, at one depth (percent), on the same questions.

    extra_tokens: input and output tokens a trial, mean. tokens_per_point: extra tokens for each percentage point
    gained; None where nothing is gained.
    """

    change: str
    before: str
    depth: int
    paired: Paired
    extra_tokens: float

    @property
    def tokens_per_point(self) -> float | None:
        points = 100 * self.paired.difference
        return self.extra_tokens / points if points > 0 else None


@dataclass(frozen=True, slots=True)
class Quotes:
    """All quotes in the scratchpads of a variant at a depth: those in the record, and in the right section."""

    in_record: Rate
    in_needle: Rate


@dataclass(frozen=True, slots=True)
class Favourite:
    """The letter that was answered most often, and its share of all single letters given."""

    letter: str
    share: Rate

    @property
    def fixed(self) -> bool:
        """Whether it is given whatever is asked: a rate then says how often it is right, not what was read."""
        return self.share.n >= LETTERS_GIVEN and self.share.rate >= ONE_LETTER


@dataclass(frozen=True, slots=True)
class QaSummary:
    """One subject at one budget (tokens): effects, the quotes of each variant and depth (percent), and the favourite
    letter of each variant.

    filter_asked, filter_kept: how many questions the filter was made from, and how many it kept; 0 asked: no filter.
    """

    subject: Subject
    budget: int
    filter_asked: int
    filter_kept: int
    effects: tuple[Effect, ...]
    quotes: dict[tuple[str, int], Quotes]
    favourites: dict[str, Favourite] = field(default_factory=dict)


def summarize_qa(scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> Iterator[QaSummary]:
    """Those of the collage family. rows: the measured trials."""
    of_budget = {(one.subject, int(one.params["budget"] or 0)): one.params for one in scenarios}
    for (subject, budget), group in grouped(rows, lambda row: (row.subject, int(row.params["budget"] or 0))).items():
        pads = {cell: quotes(of_cell) for cell, of_cell in _cells(group).items() if cell[0].endswith(SCRATCHPAD)}
        asked, kept = (int(of_budget[subject, budget].get(f"filter_{name}") or 0) for name in ("asked", "kept"))
        yield QaSummary(subject, budget, asked, kept, tuple(effects(group)), pads, favourites(group))


def effects(rows: Sequence[Row]) -> list[Effect]:
    """The effect of every change at every depth. rows: of one subject, budget and longest section."""
    cells = {cell: {(row.item, row.repeat): row for row in group} for cell, group in _cells(rows).items()}
    depths = sorted({depth for _, depth in cells})
    return [
        _effect(change, before, depth, cells[before, depth], cells[after, depth])
        for change, pairs in CHANGES
        for before, after in pairs
        for depth in depths
        if (before, depth) in cells and (after, depth) in cells
    ]


def quotes(rows: Sequence[Row]) -> Quotes:
    """rows: measured trials of a variant with a scratchpad."""
    total, in_record, in_needle = (
        sum(row.trace.get(name, 0) for row in rows) for name in ("quotes", "in_record", "in_needle")
    )
    return Quotes(Rate(in_record, total), Rate(in_needle, total))


def favourites(rows: Sequence[Row]) -> dict[str, Favourite]:
    """By variant, where letters were given. rows: measured trials."""
    variants = grouped(rows, lambda row: str(row.params["variant"]))
    each = {variant: favourite(row.returned for row in group) for variant, group in variants.items()}
    return {variant: one for variant, one in each.items() if one is not None}


def favourite(returned: Iterable[str | None]) -> Favourite | None:
    """None where no letter was given."""
    letters = Counter(one for one in returned if one in tuple(LETTERS))
    return next((Favourite(str(one), Rate(count, letters.total())) for one, count in letters.most_common(1)), None)


def _cells(rows: Sequence[Row]) -> dict[tuple[str, int], list[Row]]:
    """The rows of each variant and depth."""
    return grouped(rows, lambda row: (str(row.params["variant"]), int(row.params["depth"] or 0)))


Answers = Mapping[tuple[str | None, int], Row]
"""The rows of one cell by question and repeat."""


def _effect(change: str, before: str, depth: int, first: Answers, second: Answers) -> Effect:
    both = [(first[question], second[question]) for question in first if question in second]
    gained = sum(two.correct and not one.correct for one, two in both)
    lost = sum(one.correct and not two.correct for one, two in both)
    extra = [_tokens(two) - _tokens(one) for one, two in both]
    return Effect(change, before, depth, Paired(gained, lost, len(both)), sum(extra) / len(extra) if extra else 0.0)


def _tokens(row: Row) -> int:
    return (row.input_tokens or 0) + (row.output_tokens or 0)
