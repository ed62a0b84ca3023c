"""A text report on a corpus, to read before questions are written about it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from tabulate import tabulate

from longctx import Bank
from longctx.corpus.documents import Corpus, CorpusSection, CorpusSettings
from longctx.protocols.choices import CHANCE
from longctx.protocols.collage import answered_by_words, collage
from longctx.protocols.collages import SEPARATOR_TOKENS
from longctx.vocabulary.protocol import cells_of

SAMPLE = 400
"""The most questions that the lexical baseline is asked."""
NAMED = 5
"""The most names shown of the sections that are left out."""


def stats_text(corpus: Corpus, settings: CorpusSettings, budgets: Sequence[int], bank: Bank | None = None) -> str:
    """Report sections, tokens, what was left out and why; a bank's lexical baseline; the collages of each budget."""
    sizes = [section.tokens for section in corpus.sections]
    short = [section for section in corpus.left_out if section.tokens <= settings.min_tokens]
    long = [section for section in corpus.left_out if section.tokens > settings.max_tokens]
    facts = [
        ("sections", f"{len(sizes):,}"),
        ("tokens", f"{corpus.tokens:,} of {corpus.vocabulary}"),
        ("a section", f"{min(sizes):,} to {max(sizes):,}, {statistics.median(sizes):,.0f} in the median"),
        (f"left out: {settings.min_tokens:,} tokens or fewer", _named(short)),
        (f"left out: more than {settings.max_tokens:,} tokens", _named(long)),
        ("left out: examples for writing questions", _named(corpus.examples)),
    ]
    if bank is not None:
        facts.append(("lexical baseline in a collage", _matching(bank, budgets)))
    rows = [
        (
            f"{counts.budget:,}",
            f"{counts.least:,} to {counts.most:,}",
            f"{counts.tokens:,}",
            _number(counts, len(sizes)),
        )
        for counts in (collages(sizes, budget) for budget in budgets)
    ]
    headers = ["budget, tokens", "sections in a collage", "tokens at most", "different collages"]
    return f"{tabulate(facts, tablefmt='plain')}\n\n{tabulate(rows, headers, disable_numparse=True)}"


def lexical_rates(bank: Bank, budgets: Sequence[int]) -> list[float | None]:
    """Return the share of a bank's first questions that matching words alone answers in collages of each budget.

    None for a budget that has no questions.
    """
    largest, rates = max(section.tokens for section in bank.sections.values()), list[float | None]()
    for budget in budgets:
        cell = cells_of(collage)(budget, min(budget, largest), 50, "none", bank=lambda: bank)
        answered = [answered_by_words(cell, index) for index in cell.indices(SAMPLE)]
        rates.append(sum(answered) / len(answered) if answered else None)
    return rates


def _matching(bank: Bank, budgets: Sequence[int]) -> str:
    rates = zip(budgets, lexical_rates(bank, budgets), strict=True)
    each = (f"{budget:,} tokens {'-' if rate is None else f'{rate:.2f}'}" for budget, rate in rates)
    return f"{', '.join(each)} of the questions; guessing {CHANCE:.2f}"


def _named(sections: Sequence[CorpusSection]) -> str:
    """Return the number of sections, and the ids of the first of them."""
    if not sections:
        return "none"
    names = ", ".join(section.id for section in sections[:NAMED])
    return f"{len(sections):,} ({names}{', …' if len(sections) > NAMED else ''})"


def _number(counts: Collages, sections: int) -> str:
    if counts.at_least is None:
        return "none: no section fits"
    exactly = "" if counts.least == sections else "at least "
    if counts.at_least < 6:
        return f"{exactly}{round(10**counts.at_least):,}"
    return f"{exactly}10^{int(counts.at_least)}"


@dataclass(frozen=True, slots=True)
class Collages:
    """The collages of one budget (tokens). least, most: the sections in a collage."""

    budget: int
    least: int
    most: int
    tokens: int
    """The most that a collage has."""
    at_least: float | None
    """A lower bound of the number of different collages, as log10; None if no section fits."""


def collages(tokens: Sequence[int], budget: int) -> Collages:
    """Count the collages of sections with these numbers of tokens.

    A collage is a needle, and other sections in random order until the next would exceed the budget (collages.py).
    Different ordered choices of k sections that fit, the needle first, begin different collages. Let m(k) be the
    largest number of shortest sections of which any k fit. Then there are at least m(k)!/(m(k)-k)! collages for each k,
    and the largest of these bounds is returned; if all n sections fit, it is n!, and exact.
    """
    sizes = sorted(size for size in tokens if size <= budget)
    if not sizes:
        return Collages(budget, 0, 0, 0, None)
    least, most = _fitting(sizes[::-1], budget), _fitting(sizes, budget)
    total = sum(sizes) + SEPARATOR_TOKENS * (len(sizes) - 1)
    return Collages(budget, least, most, min(total, budget), _log10_at_least(sizes, budget, most))


def _log10_at_least(sizes: Sequence[int], budget: int, most: int) -> float:
    """Return the bound. sizes: ascending; the first `most` of them fit together."""
    up_to = list(accumulate(sizes, initial=0))
    best, m = 0.0, len(sizes)
    for k in range(1, most + 1):
        while up_to[m] - up_to[m - k] + SEPARATOR_TOKENS * (k - 1) > budget:
            m -= 1
        best = max(best, math.lgamma(m + 1) - math.lgamma(m - k + 1))
    return best / math.log(10)


def _fitting(sizes: Sequence[int], budget: int) -> int:
    """Return how many of the sections, from the first on, fit into the budget together."""
    totals = accumulate(sizes, lambda total, size: total + SEPARATOR_TOKENS + size)
    return sum(total <= budget for total in totals)
