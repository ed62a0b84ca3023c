"""The prefixes that the prompts of a run share, and which of them the prompt cache is asked to keep.

The text of a request is cut into blocks at the end of each prefix that is worth keeping, and the longest of these are
marked with `cache_control`. A server finds a prefix only if an earlier request had the same blocks. So whether a prefix
becomes a block depends on the prefix and on shorter ones within it, never on the single prompt.

Source: "Prompt caching", platform.claude.com/docs.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from longctx.cases.case import Question, Shared
from longctx.config.models import Caching, ModelProfile, TokenPrices
from longctx.live.cost.money import read_price, write_price
from longctx.recording.request import user_text
from longctx.vocabulary.shapes import TEXT

CHARACTERS_A_TOKEN = 4
"""More than most texts have, so that a prefix of enough characters has enough tokens."""
LEAST = 256
"""The least characters by which a prefix must exceed a shorter one to be worth a block of its own."""


Worth = Callable[[Sequence[Question], Sequence[float]], bool]
"""Tells whether to keep a prefix, from the questions that share it and the share that it has of each prompt."""


@dataclass(slots=True)
class Prefix:
    """A prefix of `length` characters that the prompts from index `first` to index `last` share."""

    length: int
    first: int
    last: int
    writer: int | None = None
    """The index of the first prompt that marks it, once that is known."""


def shared(questions: Sequence[Question], worth: Worth | None = None) -> list[Question]:
    """Return the same questions with the prefixes that they share if they are asked in this order.

    worth: decides which prefixes are kept, if the questions are not asked directly. Prompts of models with caching are
    built once, and two of them are held at a time.
    """
    result: list[Question] = []
    for _, group in groupby(questions, lambda question: question.case.model.model):
        of_model = list(group)
        result += _shared(of_model[0].case.model, of_model, worth)
    return result


def _shared(model: ModelProfile, questions: Sequence[Question], worth: Worth | None) -> Sequence[Question]:
    if model.caching is None:
        return questions
    lengths, common = _compared(model, model.caching, questions)
    rates = [model.prices and model.prices.at(question.case.size_tokens) for question in questions]

    def kept(prefix: Prefix) -> bool:
        sharing = slice(prefix.first, prefix.last + 1)
        assert worth is not None
        return worth(questions[sharing], [prefix.length / length for length in lengths[sharing]])

    plans = plan(shared_prefixes(common), rates, model.caching, kept if worth else None)
    return [
        dataclasses.replace(
            question, shared=Shared(length, cuts, read, None if after is None else questions[after].key)
        )
        for question, length, (cuts, read, after) in zip(questions, lengths, plans, strict=True)
    ]


def _compared(model: ModelProfile, caching: Caching, questions: Sequence[Question]) -> tuple[list[int], list[int]]:
    """Return the length of each prompt, and of the prefix that it shares with the one before; zeros if it shares none.

    Lengths are characters.
    """
    lengths: list[int] = []
    common: list[int] = []
    system_before, text_before = "", ""
    for question in questions:
        if _alone(question, caching):
            lengths.append(0)
            common.append(0)
            system_before, text_before = "", ""
            continue
        trial = question.build()
        text = user_text(trial, model)
        lengths.append(len(text))
        common.append(common_length(text_before, text) if trial.system == system_before else 0)
        system_before, text_before = trial.system, text
    return lengths, common


def _alone(question: Question, caching: Caching) -> bool:
    """Return whether a prompt shares nothing that the cache is asked to keep.

    All that it can share, the words of its templates, may be too short; and other shapes than the text mark nothing.
    """
    if question.case.shape != TEXT:
        return True
    if question.case.repeats > 1 or question.prefix is not None:
        return False
    templates = sum(map(len, question.case.wording.words.values()))
    return templates + LEAST < caching.min_tokens * CHARACTERS_A_TOKEN


def common_length(first: str, second: str) -> int:
    """Return the length of the common prefix of two texts, by bisection: comparing slices is faster than a loop."""
    alike, most = 0, min(len(first), len(second))
    while alike < most:
        middle = (alike + most + 1) // 2
        if first[alike:middle] == second[alike:middle]:
            alike = middle
        else:
            most = middle - 1
    return alike


def shared_prefixes(common: Sequence[int]) -> list[Prefix]:
    """Return the prefixes that two or more neighbours share.

    common: the length of the prefix that each prompt shares with the one before; 0 for the first. The prefixes are the
    intervals of an array of longest common prefixes: M. Abouelhoda, S. Kurtz and E. Ohlebusch, "Replacing suffix trees
    with enhanced suffix arrays", 2004, section 4.1.
    """
    prefixes: list[Prefix] = []
    still_open: list[Prefix] = []
    for index, length in enumerate([*common, 0]):
        first = index - 1
        while still_open and still_open[-1].length > length:
            prefix = still_open.pop()
            prefixes.append(dataclasses.replace(prefix, last=index - 1))
            first = prefix.first
        if length > (still_open[-1].length if still_open else 0):
            still_open.append(Prefix(length, first, first))
    return prefixes


def plan(
    prefixes: Sequence[Prefix],
    rates: Sequence[TokenPrices | None],
    caching: Caching,
    kept: Callable[[Prefix], bool] | None = None,
) -> Iterator[tuple[tuple[int, ...], int, int | None]]:
    """Yield the cuts of each prompt, the length that it reads from the cache, and the index of its writer.

    rates: the rates of each prompt; None if prices are not known. kept: tells whether a prefix is kept; by default, if
    it `pays`.
    """
    starting: dict[int, list[Prefix]] = defaultdict(list)
    for prefix in sorted(prefixes, key=lambda prefix: prefix.length):
        starting[prefix.first].append(prefix)
    path: list[Prefix] = []
    for index in range(len(rates)):
        while path and path[-1].last < index:
            path.pop()
        for prefix in starting[index]:
            longer = prefix.length - (path[-1].length if path else 0)
            enough = prefix.length >= caching.min_tokens * CHARACTERS_A_TOKEN
            if enough and longer >= LEAST and (kept(prefix) if kept else pays(rates[prefix.first : prefix.last + 1])):
                path.append(prefix)
        source = next((prefix for prefix in reversed(path) if prefix.writer is not None), None)
        read, after = (source.length, source.writer) if source else (0, None)
        for prefix in path[-caching.breakpoints :]:
            if prefix.length > read:
                prefix.writer = index
        yield tuple(prefix.length for prefix in path), read, after


def pays(rates: Sequence[TokenPrices | None]) -> bool:
    """Return whether a prefix is cheaper if the first prompt writes it and the others read it than if all send it.

    rates: those of the prompts that share it. True if prices are not known.
    """
    known = [rate for rate in rates if rate is not None]
    if not known:
        return True
    cached_price = math.fsum([write_price(known[0]), *map(read_price, known[1:])])
    return cached_price < math.fsum(prices.input for prices in known)
