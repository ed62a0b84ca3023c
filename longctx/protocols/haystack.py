"""Prompts of RULER's tasks: a haystack of repeated filler with lines in between, and the beginning of the answer.

Source: C.-P. Hsieh et al., "RULER: What's the Real Context Size of Your Long-Context Language Models?", 2024,
https://arxiv.org/abs/2404.06654, and its program, https://github.com/NVIDIA/RULER. Its noise sentences are passkey's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from longctx import Context, ProtocolCell, fill
from longctx.protocols.passkey import one_piece
from longctx.vocabulary.counts import checked_counts
from longctx.vocabulary.point import Templates
from longctx.vocabulary.stream import distinct

FEW, MANY = 10, 40
"""The repetitions of the filler in two probes whose difference gives its tokens."""
SAMPLE = 100
"""The random names or numbers by which two probes differ; their tokens are averaged."""
DEVIATION = 2.5
"""Four standard deviations of the tokens of a random name or word: hardly any exceeds the mean by more."""


@dataclass(frozen=True, slots=True)
class AnswerBegun:
    """A prompt whose answer has a beginning. before, after: the user's text around the context."""

    before: str
    context: str
    after: str
    prefill: str
    without_prefill: str
    """The instruction that replaces the beginning for a model that accepts no prefill."""

    @classmethod
    def filled(cls, words: Templates, values: Mapping[str, str], context: str) -> AnswerBegun:
        before, _, after = words["prompt"].partition("{context}")
        prefill = fill(words["prefill"], values)
        without = fill(words["without_prefill"], {"prefill": prefill})
        return cls(fill(before, values), context, fill(after, values), prefill, without)

    @property
    def text(self) -> str:
        return self.before + self.context + self.after

    @property
    def probe(self) -> str:
        """The text of a probe: a whole prompt, with the longer form of the beginning of the answer."""
        return f"{self.text}\n{self.without_prefill}"

    def pieces(self) -> Context:
        return one_piece(self.before + self.context, self.after)


def places(stream: np.random.RandomState, fillers: int, count: int) -> list[int]:
    """Draw `count` different places between `fillers` repetitions, ascending, as the number of repetitions before them.

    They are drawn as shares of the text, so that a trial's places are about the same for every tokenizer.
    """
    return sorted(distinct(lambda more: (stream.random_sample(more) * (fillers + 1)).astype(int).tolist(), count))


def haystack(filler: str, fillers: int, statements: Sequence[tuple[int, str]]) -> tuple[str, list[int]]:
    """Return the repetitions of the filler and the statements, one per line; and where each statement begins.

    statements: (repetitions before it, its text), ascending.
    """
    lines: list[str] = []
    starts = []
    at = before = 0
    for place, statement in statements:
        lines += [filler] * (place - before)
        at += (len(filler) + 1) * (place - before)
        starts.append(at)
        lines.append(statement)
        at += len(statement) + 1
        before = place
    lines += [filler] * (fillers - before)
    return "\n".join(lines), starts


def shared_prefix(cell: ProtocolCell, fillers: int, context: int) -> str:
    """Return the prefix of a trial. fillers: the repetitions of the filler before anything else in its text."""
    prefix = f"{cell.test}/{cell.window}/{fillers:09d}"
    return f"{prefix}/{context:06d}" if cell.questions_per_context > 1 else prefix


def spare(times: Iterable[int]) -> int:
    """Return the tokens kept free since the tokens of random names vary. times: how often each occurs in the prompt."""
    return math.ceil(DEVIATION * math.sqrt(sum(count * count for count in times)))


def fillers_in(window: int, taken: float, filler: float, least: int) -> int:
    """Return how often the filler fits in a window (tokens) of which so many are taken.

    least: the repetitions that are needed. Raises ValueError if there is no room for them.
    """
    fillers = math.floor((window - taken) / filler)
    if fillers < least:
        raise ValueError(
            f"a window of {window} tokens is too small: the prompt and its answer take {math.ceil(taken)}, and {least} "
            f"repetitions of the filler separate its lines: use at least {math.ceil(taken + least * filler)}."
        )
    return fillers


def per_unit(counts: Mapping[str, int], units: Mapping[str, tuple[str, str, int]]) -> dict[str, float]:
    """Return the tokens of each unit. units: two probes, and by how many units the second is longer, by name."""
    return {name: (counts[more] - counts[less]) / count for name, (less, more, count) in units.items()}


def checked(values: Mapping[str, float]) -> dict[str, float]:
    """Round token counts as a model's profile stores them. Raises ValueError if a count is impossible."""
    return {name: round(value, 4) for name, value in checked_counts(values).items()}
