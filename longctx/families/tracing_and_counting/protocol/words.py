"""Frequent words: name the three most frequent coded words of a text, besides its dots.

Source: C.-P. Hsieh et al., RULER, 2024, section 3.3 and Table 8, frequent words extraction,
https://arxiv.org/abs/2404.06654; its program, scripts/data/synthetic/freq_words_extraction.py of
https://github.com/NVIDIA/RULER. What differs: docs/protocols/.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from longctx import Outcome, Reply, Trial, Words
from longctx.families.tracing_and_counting.protocol import answers
from longctx.families.tracing_and_counting.protocol.answers import NamedAnswers, Needle
from longctx.families.tracing_and_counting.protocol.haystack import (
    FEW,
    SAMPLE,
    beginning,
    checked,
    per_unit,
    probe_text,
    prompt,
    spare,
)
from longctx.families.tracing_and_counting.protocol.named_set import NamedSetScenario
from longctx.vocabulary.stream import distinct, frozen_stream, letters

LETTERS = 6
ASKED = 3
LISTED = 8
"""The ranks after the dots whose words come from the template `frequent`. They take more than half of a prompt's
tokens, so the tokens of each are counted; those of all other words are averaged."""
LESS_FREQUENT = "less_frequent"
EXACT = 50
"""The terms of the zeta function that are summed before the rest is integrated."""


@dataclass(frozen=True, slots=True)
class FrequentWords(NamedSetScenario):
    """A text of N words in which the word of rank k occurs about N / (zeta(alpha) k^alpha) times; rank 1 is the dots'.

    alpha_percent: alpha in hundredths. The smaller it is, the less the frequencies differ.
    """

    family: ClassVar[str] = "frequent_words"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("window", "alpha_percent")
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "prompt": ("context",),
        "noise": (),
        "frequent": (),
        "prefill": (),
        "without_prefill": ("prefill",),
    }
    needs: ClassVar[tuple[str, ...]] = ("dots", "word", "fixed")

    alpha_percent: int

    def __post_init__(self) -> None:
        if self.alpha_percent <= 100:
            raise ValueError(f"alpha is {self.alpha_percent / 100:g}, and must be more than 1.")

    @classmethod
    def probes(cls, words: Words) -> dict[str, str]:
        def text(*coded: str) -> str:
            dots = [words["noise"]] * FEW
            # Dots at both ends, so that all probes begin and end alike.
            return probe_text(words, {}, " ".join([*dots, *coded, *dots]))

        return {
            "dots": text(),
            "more dots": text(*[words["noise"]] * SAMPLE),
            "other words": text(*letters(frozen_stream(cls.family, "probe"), "a", LETTERS, SAMPLE)),
            **{word: text(*[word] * FEW) for word in _frequent(words)},
        }

    @classmethod
    def token_values(cls, counts: Mapping[str, int]) -> dict[str, float]:
        names = [name for name in counts if name not in ("dots", "more dots", "other words")]
        probed = {"dots": ("dots", "more dots", SAMPLE), "word": ("dots", "other words", SAMPLE)}
        units = per_unit(counts, probed | {name: ("dots", name, FEW) for name in names})
        return checked({"fixed": counts["dots"] - 2 * FEW * units["dots"], **units})

    def check_room(self) -> None:
        """Raise ValueError if the window is too small even when words take the most tokens."""
        most = max((tokens for name, tokens in self.counted.items() if name not in self.needs), default=0)
        self._counts([max(most, self.counted["word"])] * LISTED)

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        stream = self.stream(seed, index)
        listed = _frequent(words)
        frequent = [listed[place] for place in stream.permutation(len(listed))[:LISTED]]
        counts = self._counts([self.counted[word] for word in frequent])
        rest = max(len(counts) - 1 - LISTED, 0)
        others = distinct(lambda more: _unlisted(listed, letters(stream, "a", LETTERS, more)), rest)
        vocabulary = [words["noise"], *frequent, *others][: len(counts)]
        text = np.repeat(np.arange(len(counts)), counts)
        stream.shuffle(text)
        context = " ".join(np.array(vocabulary, dtype=object)[text].tolist())
        user, begin = prompt(words, {}, context)
        asked = vocabulary[1 : 1 + ASKED]
        places = [f" {context} ".index(f" {word} ") + begin for word in asked]
        prefill, without_prefill = beginning(words, {})
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=" ".join(asked),
            max_tokens=self.max_tokens,
            depth=0,
            recorded={"words": len(text)},
            facts=NamedAnswers(
                tuple(
                    Needle(word, int(count), place, place + len(word))
                    for word, count, place in zip(asked, counts[1:], places, strict=False)
                ),
                dict.fromkeys(vocabulary[1 + ASKED :], LESS_FREQUENT),
                begin + len(context),
            ),
            prefill=prefill,
            without_prefill=without_prefill,
        )

    def prefix(self, words: Words, seed: int, index: int) -> None:
        """Return None: trials share no more than the beginning of their templates."""

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        return answers.judge(trial, reply, _named(trial, answers.answer_of(trial, reply)), "word")

    def _counts(self, frequent: Sequence[float]) -> NDArray[np.int64]:
        """Return how often the word of each rank occurs. frequent: the tokens of the words of the first ranks.

        Raises ValueError if the window is too small for three words to be more frequent than the others.
        """
        tokens = self.counted
        room = self.window - self.max_tokens - tokens["fixed"]
        shares = _shares(self.alpha_percent / 100, max(int(room / tokens["dots"]), 1))
        costs = np.full(len(shares), tokens["word"])
        costs[0] = tokens["dots"]
        costs[1 : 1 + LISTED] = frequent[: len(costs) - 1]

        def size(words: int) -> float:
            counts = _counted(shares, words)
            return float(counts @ costs[: len(counts)]) + spare(counts[1 + LISTED :].tolist())

        fitting = bisect.bisect_right(range(max(int(room / tokens["dots"] / shares[0]), 1)), room, key=size) - 1
        if fitting * (shares[ASKED] - shares[ASKED + 1]) < 1:  # else both are rounded down to different numbers
            raise ValueError(
                f"a window of {self.window} tokens is too small for {ASKED} words to be more frequent than all others: "
                "give a larger one."
            )
        return _counted(shares, fitting)


def _shares(alpha: float, words: int) -> NDArray[np.float64]:
    """Return the shares of all ranks that may occur among so many words. numpy's powers would differ by processor."""
    total = _zeta(alpha)
    ranks = max(int((words / total) ** (1 / alpha)), ASKED) + 2
    return np.array([rank**-alpha / total for rank in range(1, ranks + 1)])


def _counted(shares: NDArray[np.float64], words: int) -> NDArray[np.int64]:
    """Return how often each rank occurs among `words`, rounded down as in the source, without ranks that never do."""
    counts = (shares * words).astype(np.int64)
    return counts[counts > 0]


def _zeta(alpha: float) -> float:
    """Return Riemann's zeta function by the Euler-Maclaurin formula, with an error below 1e-9 for alpha > 1."""
    head: float = sum(rank**-alpha for rank in range(1, EXACT))
    tail: float = EXACT ** (1 - alpha) / (alpha - 1) + EXACT**-alpha / 2 + alpha * EXACT ** (-alpha - 1) / 12
    return head + tail


def _frequent(words: Words) -> list[str]:
    """Return the words of the template `frequent`. Raises ValueError if there are too few."""
    listed = words["frequent"].split()
    if len(listed) < LISTED:
        raise ValueError(f"the template frequent.txt lists {len(listed)} words, and {LISTED} are needed.")
    return listed


def _unlisted(listed: Sequence[str], drawn: Sequence[str]) -> list[str]:
    return [word for word in drawn if word not in listed]


def _named(trial: Trial, text: str) -> list[str]:
    """Return the words that a reply names: those of the text, and others that are entries of a list.

    An entry is a line, or a part of one between commas; if all its words have the length of coded words, each is an
    entry. "Answer", with which the prompt begins the answer, is not one.
    """
    known = trial.facts.known
    wording = set(_words(trial.without_prefill))
    named = []
    for entry in re.split(r"[\n,;]|\band\b", text.lower()):
        said = [word for word in _words(entry) if word not in wording]
        listed = all(len(word) == LETTERS for word in said)
        named += [word for word in said if word in known or listed]
    return named


def _words(text: str) -> list[str]:
    return re.findall("[a-z]+", text.lower())
