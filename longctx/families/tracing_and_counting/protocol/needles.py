"""Multiple needles: name all numbers that a text gives to one or several keys, among those of other keys.

Source: C.-P. Hsieh et al., RULER, 2024, section 3.1 and Tables 7 and 8, its multi-value and multi-query needles,
https://arxiv.org/abs/2404.06654; its program, scripts/data/synthetic/niah.py of https://github.com/NVIDIA/RULER.
What differs: docs/protocols/.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from longctx import Outcome, Reply, Trial, Words, fill
from longctx.families.tracing_and_counting.protocol import answers
from longctx.families.tracing_and_counting.protocol.answers import NamedAnswers, Needle
from longctx.families.tracing_and_counting.protocol.haystack import (
    FEW,
    MANY,
    SAMPLE,
    beginning,
    checked,
    fillers_in,
    haystack,
    per_unit,
    places,
    probe_text,
    prompt,
    spare,
)
from longctx.families.tracing_and_counting.protocol.named_set import NamedSetScenario
from longctx.vocabulary.stream import distinct, frozen_stream, numbers

DIGITS = 7
QUERIES = 3
"""The keys in the question of most probes: enough for its commas and its "and"."""
OTHER_KEY = "of_another_key"
NUMBER = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?!\d)|\d+", re.ASCII)
SHORTEST = 5
"""The fewest digits of a number in a reply that is read as a value; a shorter one counts or numbers something."""


PROBED = {
    "filler": (f"{FEW} fillers", f"{MANY} fillers", MANY - FEW),
    "needle": ("1 needle", f"{SAMPLE} needles", SAMPLE - 1),
    "query": ("1 needle", f"{SAMPLE} queries", SAMPLE - QUERIES),
}


@dataclass(frozen=True, slots=True)
class MultipleNeedles(NamedSetScenario):
    """A text with `keys` keys that have `values` numbers each.

    queries: how many of the keys are asked for. One key with four values, and four keys with one value that are all
    asked for, are RULER's multi-value and multi-query task.
    """

    family: ClassVar[str] = "multiple_needles"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("window", "keys", "values", "queries", "questions")
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "prompt": ("context", "keys"),
        "filler": (),
        "needle": ("key", "value"),
        "adjectives": (),
        "nouns": (),
        "prefill": ("keys",),
        "without_prefill": ("prefill",),
    }
    needs: ClassVar[tuple[str, ...]] = ("filler", "needle", "query", "fixed")

    keys: int
    values: int
    queries: int
    questions: int | None = field(default=None, kw_only=True)
    """How many trials ask about one text, each about other keys; None for one."""

    @property
    def questions_per_context(self) -> int:
        return self.questions or 1

    def __post_init__(self) -> None:
        if self.questions and self.questions * self.queries > self.keys:
            raise ValueError(
                f"{self.questions} questions about {self.queries} keys each take {self.questions * self.queries} keys, "
                f"and the text has {self.keys}: give fewer `questions`, or more keys."
            )
        if min(self.keys, self.values, self.queries) < 1 or self.queries > self.keys:
            raise ValueError(
                f"{self.queries} of {self.keys} keys with {self.values} values each cannot be asked for: "
                "give at least 1 of each, and no more queries than keys."
            )
        if self.queries * self.values < 2:
            raise ValueError("one value of one key is a single needle: give at least 2 values, or 2 queries.")

    @classmethod
    def probes(cls, words: Words) -> dict[str, str]:
        stream = frozen_stream(cls.family, "probe")
        keys, values = _keys(words, stream, SAMPLE), numbers(stream, DIGITS, SAMPLE)
        lines = [(0, fill(words["needle"], {"key": k, "value": v})) for k, v in zip(keys, values, strict=True)]

        def text(needles: int, queries: int, fillers: int = 0) -> str:
            return probe_text(words, _question(keys[:queries]), haystack(words["filler"], fillers, lines[:needles])[0])

        return {
            "1 needle": text(1, QUERIES),
            f"{SAMPLE} needles": text(SAMPLE, QUERIES),
            f"{SAMPLE} queries": text(1, SAMPLE),
            f"{FEW} fillers": text(1, QUERIES, FEW),
            f"{MANY} fillers": text(1, QUERIES, MANY),
        }

    @classmethod
    def token_values(cls, counts: Mapping[str, int]) -> dict[str, float]:
        units = per_unit(counts, PROBED)
        alone = max(counts["1 needle"], counts[f"{FEW} fillers"] - FEW * units["filler"])
        return checked({**units, "fixed": alone - units["needle"] - QUERIES * units["query"]})

    def check_room(self) -> None:
        self.fillers()

    def fillers(self) -> int:
        """Return how often the prompt repeats the filler. Raises ValueError if the window is too small."""
        tokens, needles = self.counted, self.keys * self.values
        taken = tokens["fixed"] + needles * tokens["needle"] + self.queries * tokens["query"]
        taken += spare([2] * (needles + self.queries)) + self.max_tokens
        return fillers_in(self.window, taken, tokens["filler"], least=needles - 1)

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        fillers = self.fillers()
        context_number, place = self.context_of(index)
        stream = self.stream(seed, context_number)
        keys = _keys(words, stream, self.keys)
        values = distinct(lambda more: numbers(stream, DIGITS, more), self.keys * self.values)
        order = stream.permutation(len(values)).tolist()
        needles = [
            fill(words["needle"], {"key": keys[number // self.values], "value": values[number]}) for number in order
        ]
        where = places(stream, fillers, len(needles))
        context, starts = haystack(words["filler"], fillers, list(zip(where, needles, strict=True)))
        first = place * self.queries
        question = _question(keys[first : first + self.queries])  # keys are drawn and placed at random
        user, begin = prompt(words, question, context)
        items = {
            number: Needle.at(begin + line, needle, values[number], user)
            for number, needle, line in zip(order, needles, starts, strict=True)
        }
        in_order = tuple(items[number] for number in range(len(items)))
        start, end = first * self.values, (first + self.queries) * self.values
        asked, others = in_order[start:end], in_order[:start] + in_order[end:]
        prefill, without_prefill = beginning(words, question)
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=" ".join(item.name for item in asked),
            max_tokens=self.max_tokens,
            depth=min(item.start for item in asked) / len(user),
            prefix=self.shared_prefix(where[0], context_number),
            recorded={"fillers": fillers},
            facts=NamedAnswers(asked, {item.name: OTHER_KEY for item in others}, begin + len(context), others),
            prefill=prefill,
            without_prefill=without_prefill,
        )

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        return answers.judge(trial, reply, _named(answers.answer_of(trial, reply)), "number")


def _keys(words: Words, stream: np.random.RandomState, count: int) -> list[str]:
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


def _named(text: str) -> list[str]:
    """Return the values that a reply names, with or without commas between thousands."""
    said = (number.replace(",", "") for number in NUMBER.findall(text))
    return [number for number in said if len(number) >= SHORTEST]
