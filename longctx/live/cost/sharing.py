"""Which beginnings the prompts of a run share, and where a model's prompt cache is asked to keep them.

A request's text is cut into blocks where a beginning ends that pays to be kept, and the longest of these are marked
with `cache_control`. A server finds what it kept only where an earlier request had the same blocks: so whether a
beginning is cut off depends on it and on those it begins with, never on the one prompt that is being asked.

Source: "Prompt caching", platform.claude.com/docs.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from longctx.config.models import Caching, ModelProfile, Rates
from longctx.live.cost.money import read_price, write_price
from longctx.recording.case import Question, Shared
from longctx.recording.request import user_text

CHARACTERS_A_TOKEN = 4
"""More than most texts have here, so that a beginning which is taken for long enough is so."""
LEAST = 256
"""Characters. A beginning that is longer than another by less is not worth a block of its own."""


Worth = Callable[[Sequence[Question], Sequence[float]], bool]
"""Whether it pays to keep a beginning of these questions, which takes such a share of the prompt of each."""


@dataclass(slots=True)
class Beginning:
    """The same `length` characters, with which the prompts at the places `first` to `last` begin.

    writer: the place of the first prompt that marks it, once known.
    """

    length: int
    first: int
    last: int
    writer: int | None = None


def shared(questions: Sequence[Question], worth: Worth | None = None) -> list[Question]:
    """The same questions, each knowing what it shares with those around it, if they are asked in this order.

    worth: tells which beginnings are kept, where they are not asked one by one. One pass over the prompts of models
    that have caching, two of them held at a time.
    """
    found: list[Question] = []
    for _, group in groupby(questions, lambda question: question.case.model.model):
        some = list(group)
        found += _shared(some[0].case.model, some, worth)
    return found


def _shared(model: ModelProfile, questions: Sequence[Question], worth: Worth | None) -> Sequence[Question]:
    if model.caching is None:
        return questions
    lengths, common = _compared(model, model.caching, questions)
    rates = [model.prices and model.prices.at(question.case.size_tokens) for question in questions]

    def kept(prefix: Beginning) -> bool:
        these = slice(prefix.first, prefix.last + 1)
        assert worth is not None
        return worth(questions[these], [prefix.length / length for length in lengths[these]])

    plans = plan(beginnings(common), rates, model.caching, kept if worth else None)
    return [
        dataclasses.replace(
            question, shared=Shared(length, cuts, read, None if after is None else questions[after].key)
        )
        for question, length, (cuts, read, after) in zip(questions, lengths, plans, strict=True)
    ]


def _compared(model: ModelProfile, caching: Caching, questions: Sequence[Question]) -> tuple[list[int], list[int]]:
    """How long each prompt is, and how much of it is the beginning of the one before; zeros for one that has no
    beginning to share."""
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
    """Whether all that a prompt may share, the words of its templates, is too short to be kept."""
    if question.case.repeats > 1 or question.prefix is not None:
        return False
    templates = sum(map(len, question.case.wording.words.values()))
    return templates + LEAST < caching.min_tokens * CHARACTERS_A_TOKEN


def common_length(first: str, second: str) -> int:
    """How many characters two texts begin with alike. By halves, for 400 KB compare faster than they are read."""
    alike, most = 0, min(len(first), len(second))
    while alike < most:
        middle = (alike + most + 1) // 2
        if first[alike:middle] == second[alike:middle]:
            alike = middle
        else:
            most = middle - 1
    return alike


def beginnings(common: Sequence[int]) -> list[Beginning]:
    """What two or more neighbours begin with. common: of each prompt, with the one before; 0 of the first.

    The intervals of an array of longest common prefixes: M. Abouelhoda, S. Kurtz and E. Ohlebusch, "Replacing suffix
    trees with enhanced suffix arrays", 2004, section 4.1.
    """
    prefixes: list[Beginning] = []
    still: list[Beginning] = []
    for place, length in enumerate([*common, 0]):
        first = place - 1
        while still and still[-1].length > length:
            prefix = still.pop()
            prefixes.append(dataclasses.replace(prefix, last=place - 1))
            first = prefix.first
        if length > (still[-1].length if still else 0):
            still.append(Beginning(length, first, first))
    return prefixes


def plan(
    prefixes: Sequence[Beginning],
    rates: Sequence[Rates | None],
    caching: Caching,
    kept: Callable[[Beginning], bool] | None = None,
) -> Iterator[tuple[tuple[int, ...], int, int | None]]:
    """For each prompt: its cuts, how much of it is read from the cache, and the place of the prompt that wrote that.

    rates: of each prompt; None where prices are not known. kept: whether it pays to keep a beginning; by default as
    `pays` has it.
    """
    starting: dict[int, list[Beginning]] = defaultdict(list)
    for prefix in sorted(prefixes, key=lambda prefix: prefix.length):
        starting[prefix.first].append(prefix)
    path: list[Beginning] = []
    for place in range(len(rates)):
        while path and path[-1].last < place:
            path.pop()
        for prefix in starting[place]:
            longer = prefix.length - (path[-1].length if path else 0)
            enough = prefix.length >= caching.min_tokens * CHARACTERS_A_TOKEN
            if enough and longer >= LEAST and (kept(prefix) if kept else pays(rates[prefix.first : prefix.last + 1])):
                path.append(prefix)
        source = next((prefix for prefix in reversed(path) if prefix.writer is not None), None)
        read, after = (source.length, source.writer) if source else (0, None)
        for prefix in path[-caching.breakpoints :]:
            if prefix.length > read:
                prefix.writer = place
        yield tuple(prefix.length for prefix in path), read, after


def pays(rates: Sequence[Rates | None]) -> bool:
    """Whether a beginning of these prompts is cheaper written by the first and read by the others than sent each time;
    yes where prices are not known."""
    known = [rate for rate in rates if rate is not None]
    if not known:
        return True
    cached_price = math.fsum([write_price(known[0]), *map(read_price, known[1:])])
    return cached_price < math.fsum(prices.input for prices in known)
