"""Multiple needles: name all numbers that a text gives to one or several keys, among those of other keys.

Source: C.-P. Hsieh et al., RULER, 2024, section 3.1 and Tables 7 and 8, its multi-value and multi-query needles,
https://arxiv.org/abs/2404.06654; its program, scripts/data/synthetic/niah.py of https://github.com/NVIDIA/RULER.
What differs: docs/protocols.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict

from longctx import Answer, Count, Counts, Outcome, ProtocolAsk, ProtocolCell, ProtocolDraw, TrialNumber, fill, protocol
from longctx.protocols.haystack import (
    FEW,
    MANY,
    SAMPLE,
    AnswerBegun,
    checked,
    fillers_in,
    haystack,
    per_unit,
    places,
    shared_prefix,
    spare,
)
from longctx.protocols.named_sets import BY_DEPTH, NamedAnswers, Needle, judged_names, report_of_sets, shown, text_of
from longctx.text import count
from longctx.vocabulary.grid import QUESTIONS, WindowAxes, questions_of
from longctx.vocabulary.point import Templates
from longctx.vocabulary.protocol_cell import ASKED
from longctx.vocabulary.stream import distinct, frozen_stream, numbers

DIGITS = 7
QUERIES = 3
"""The keys in the question of most probes: enough for its commas and its "and"."""
OTHER_KEY = "of_another_key"
NUMBER = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?!\d)|\d+", re.ASCII)
SHORTEST = 5
"""The fewest digits of a number in an answer that is read as a value; a shorter one counts or numbers something."""
PROBED = {
    "filler": (f"{FEW} fillers", f"{MANY} fillers", MANY - FEW),
    "needle": ("1 needle", f"{SAMPLE} needles", SAMPLE - 1),
    "query": ("1 needle", f"{SAMPLE} queries", SAMPLE - QUERIES),
}


class Needles(BaseModel):
    """How many keys there are, with how many values each, and how many keys are asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    keys: Count = 1
    """How many keys are in the text."""
    values: Count = 1
    """How many values each key has."""
    queries: Count = 1
    """How many keys are asked for."""


class MultipleNeedlesAxes(WindowAxes):
    """All needles in every window. Those of RULER are four values of one key, and four keys with one value each."""

    needles: tuple[Needles, ...] = (Needles(values=4), Needles(keys=4, queries=4))
    """Tables of `keys`, `values` of each, and `queries`: the keys that are asked for."""
    questions: int = QUESTIONS
    """How many trials ask about one text, each for other keys."""
    max_tokens: Count = 128
    """The most tokens of a reply."""
    difficulty: ClassVar[str] = "needles"

    def cells(self) -> Iterator[dict[str, object]]:
        for window, needles in product(self.windows, self.needles):
            yield {"window": window, **needles.model_dump(), "questions": questions_of(self.questions)}


def _keys(words: Templates, stream: np.random.RandomState, count: int) -> list[str]:
    """Draw different pairs of an adjective and a noun. Raises ValueError if the lists of words have too few."""
    adjectives, nouns = words["adjectives"].split(), words["nouns"].split()
    pairs = len(adjectives) * len(nouns)
    if count > pairs // 2:
        raise ValueError(f"{count} keys are more than half of the {pairs} that adjectives and nouns make: add words.")
    drawn = distinct(lambda more: stream.randint(0, pairs, more, dtype=np.int64).tolist(), count)
    return [f"{adjectives[pair // len(nouns)]}-{nouns[pair % len(nouns)]}" for pair in drawn]


def _question(keys: Sequence[str]) -> dict[str, str]:
    """Return the values for the question's templates: `a, b, and c`, as the source's program joins them."""
    *others, last = keys
    return {"keys": f"{', '.join(others)}, and {last}" if others else last}


def _probes(words: Templates) -> dict[str, str]:
    stream = frozen_stream("multiple_needles", "probe")
    keys, values = _keys(words, stream, SAMPLE), numbers(stream, DIGITS, SAMPLE)
    lines = [(0, fill(words["needle"], {"key": k, "value": v})) for k, v in zip(keys, values, strict=True)]

    def text(needles: int, queries: int, fillers: int = 0) -> str:
        context, _ = haystack(words["filler"], fillers, lines[:needles])
        return AnswerBegun.filled(words, _question(keys[:queries]), context).probe

    return {
        "1 needle": text(1, QUERIES),
        f"{SAMPLE} needles": text(SAMPLE, QUERIES),
        f"{SAMPLE} queries": text(1, SAMPLE),
        f"{FEW} fillers": text(1, QUERIES, FEW),
        f"{MANY} fillers": text(1, QUERIES, MANY),
    }


def _token_values(counts: Mapping[str, int]) -> dict[str, float]:
    units = per_unit(counts, PROBED)
    alone = max(counts["1 needle"], counts[f"{FEW} fillers"] - FEW * units["filler"])
    return checked({**units, "fixed": alone - units["needle"] - QUERIES * units["query"]})


def filler_count(cell: ProtocolCell) -> int:
    """Return how often the prompt repeats the filler. Raises ValueError if the window is too small."""
    tokens, needles = cell.counted, cell.keys * cell.values
    taken = tokens["fixed"] + needles * tokens["needle"] + cell.queries * tokens["query"]
    taken += spare([2] * (needles + cell.queries)) + cell.max_tokens
    return fillers_in(cell.window, taken, tokens["filler"], least=needles - 1)


def _validate(cell: ProtocolCell) -> None:
    if cell.questions and cell.questions * cell.queries > cell.keys:
        raise ValueError(
            f"{cell.questions} questions about {cell.queries} keys each take {cell.questions * cell.queries} keys, "
            f"and the text has {cell.keys}: give fewer `questions`, or more keys."
        )
    if min(cell.keys, cell.values, cell.queries) < 1 or cell.queries > cell.keys:
        raise ValueError(
            f"{cell.queries} of {cell.keys} keys with {cell.values} values each are not possible: "
            "use at least 1 of each, and no more queries than keys."
        )
    if cell.queries * cell.values < 2:
        raise ValueError("one value of one key is a single needle: use at least 2 values, or 2 queries.")


def _asked_for(params: Mapping[str, Any]) -> str:
    keys = count(params["keys"], "key")
    some = keys if params["queries"] == params["keys"] else f"{params['queries']} of {keys}"
    return f"{some}, {count(params['values'], 'value')}{' each' if params['keys'] > 1 else ''}"


@protocol(
    axes=MultipleNeedlesAxes,
    title="Multiple needles",
    templates={
        "system": (),
        "prompt": ("context", "keys"),
        "filler": (),
        "needle": ("key", "value"),
        "adjectives": (),
        "nouns": (),
        "prefill": ("keys",),
        "without_prefill": ("prefill",),
    },
    size=lambda cell, tokens: cell.window - cell.max_tokens,
    fills_window=True,
    length="window",
    context="window",
    counts=Counts(_probes, _token_values, ("filler", "needle", "query", "fixed"), fits=filler_count),
    prefix=ASKED,
    pieces=lambda cell: 1,
    validate=_validate,
    report=report_of_sets(_asked_for, (OTHER_KEY,), BY_DEPTH),
)
def multiple_needles(
    ask: ProtocolAsk,
    draw: ProtocolDraw,
    words: Templates,
    cell: ProtocolCell,
    trial: TrialNumber,
    window: int,
    keys: int,
    values: int,
    queries: int,
    questions: int | None = None,
) -> Outcome:
    """A text with `keys` keys that have `values` numbers each.

    queries: how many of the keys are asked for. One key with four values, and four keys with one value that are all
    asked for, are RULER's multi-value and multi-query task. questions: how many trials ask about one text, each about
    other keys; None for one.
    """
    stream, fillers = draw.shared().stream(), filler_count(cell)
    drawn = _keys(words, stream, keys)
    given = distinct(lambda more: numbers(stream, DIGITS, more), keys * values)
    order = stream.permutation(len(given)).tolist()
    needles = [fill(words["needle"], {"key": drawn[number // values], "value": given[number]}) for number in order]
    where = places(stream, fillers, len(needles))
    context, starts = haystack(words["filler"], fillers, list(zip(where, needles, strict=True)))
    first = trial.question * queries  # keys are drawn and placed at random
    prompt = AnswerBegun.filled(words, _question(drawn[first : first + queries]), context)
    text, begin = prompt.text, len(prompt.before)
    items = {
        number: Needle.at(begin + line, needle, given[number], text)
        for number, needle, line in zip(order, needles, starts, strict=True)
    }
    in_order = tuple(items[number] for number in range(len(items)))
    start, end = first * values, (first + queries) * values
    others = in_order[:start] + in_order[end:]
    asked = NamedAnswers(in_order[start:end], {item.name: OTHER_KEY for item in others}, others)

    answer = ask(
        text,
        expected=" ".join(asked.names),
        depth=min(item.start for item in asked.items) / len(text),
        prefix=shared_prefix(cell, where[0], trial.context),
        params={"fillers": fillers},
        prefill=prompt.prefill,
        without_prefill=prompt.without_prefill,
        pieces=prompt.pieces,
    )

    return shown(judge_answer(answer, asked, prompt.prefill), asked, prompt)


def judge_answer(answer: Answer, asked: NamedAnswers, prefill: str) -> Outcome:
    """Judge the values that an answer names, with or without commas between thousands."""
    text = text_of(answer, prefill)
    said = (number.replace(",", "") for number in NUMBER.findall(text))
    return judged_names(answer, text, asked, [number for number in said if len(number) >= SHORTEST], "number")
