"""Frequent words: name the three most frequent coded words of a text, besides its dots.

Source: C.-P. Hsieh et al., RULER, 2024, section 3.3 and Table 8, frequent words extraction,
https://arxiv.org/abs/2404.06654; its program, scripts/data/synthetic/freq_words_extraction.py of
https://github.com/NVIDIA/RULER. What differs: docs/protocols.md.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from longctx import Answer, Count, Counts, Outcome, ProtocolAsk, ProtocolCell, ProtocolDraw, protocol
from longctx.protocols.haystack import FEW, SAMPLE, AnswerBegun, checked, per_unit, spare
from longctx.protocols.named_sets import NamedAnswers, Needle, by_number, judged_names, report_of_sets, shown, text_of
from longctx.vocabulary.grid import WindowAxes
from longctx.vocabulary.point import Templates
from longctx.vocabulary.stream import distinct, frozen_stream, letters

LETTERS = 6
ASKED = 3
LISTED = 8
"""The ranks after the dots whose words come from the template `frequent`. They take more than half of a prompt's
tokens, so the tokens of each are counted; those of all other words are averaged."""
FREQUENCIES = {1: "most frequent", 2: "second", 3: "third"}
LESS_FREQUENT = "less_frequent"
EXACT = 50
"""The terms of the zeta function that are summed before the rest is integrated."""
NEEDS = "dots", "word", "fixed"


class FrequentWordsAxes(WindowAxes):
    """Every alpha in every window. RULER has 2.0; a smaller one is harder."""

    alphas: tuple[Annotated[float, Field(gt=1)], ...] = (2.0,)
    """How fast the words' frequencies fall: a smaller one is harder."""
    max_tokens: Count = 128
    """The most tokens of a reply."""

    def cells(self) -> Iterator[dict[str, object]]:
        for window, alpha in product(self.windows, self.alphas):
            yield {"window": window, "alpha_percent": round(100 * alpha)}


def _frequent(words: Templates) -> list[str]:
    """Return the words of the template `frequent`. Raises ValueError if there are too few."""
    listed = words["frequent"].split()
    if len(listed) < LISTED:
        raise ValueError(f"the template frequent.txt lists {len(listed)} words, and {LISTED} are needed.")
    return listed


def _unlisted(listed: Sequence[str], drawn: Sequence[str]) -> list[str]:
    return [word for word in drawn if word not in listed]


def _probes(words: Templates) -> dict[str, str]:
    def text(*coded: str) -> str:
        dots = [words["noise"]] * FEW
        # Dots at both ends, so that all probes begin and end alike.
        return AnswerBegun.filled(words, {}, " ".join([*dots, *coded, *dots])).probe

    return {
        "dots": text(),
        "more dots": text(*[words["noise"]] * SAMPLE),
        "other words": text(*letters(frozen_stream("frequent_words", "probe"), "a", LETTERS, SAMPLE)),
        **{word: text(*[word] * FEW) for word in _frequent(words)},
    }


def _values(counts: Mapping[str, int]) -> dict[str, float]:
    names = [name for name in counts if name not in ("dots", "more dots", "other words")]
    probed = {"dots": ("dots", "more dots", SAMPLE), "word": ("dots", "other words", SAMPLE)}
    units = per_unit(counts, probed | {name: ("dots", name, FEW) for name in names})
    return checked({"fixed": counts["dots"] - 2 * FEW * units["dots"], **units})


def _fits(cell: ProtocolCell) -> None:
    """Raise ValueError if the window is too small even when words take the most tokens."""
    most = max((tokens for name, tokens in cell.counted.items() if name not in NEEDS), default=0)
    word_counts(cell, [max(most, cell.counted["word"])] * LISTED)


def word_counts(cell: ProtocolCell, frequent: Sequence[float]) -> NDArray[np.int64]:
    """Return how often the word of each rank occurs. frequent: the tokens of the words of the first ranks.

    Raises ValueError if the window is too small for three words to be more frequent than the others.
    """
    tokens = cell.counted
    room = cell.window - cell.max_tokens - tokens["fixed"]
    shares = _shares(cell.alpha_percent / 100, max(int(room / tokens["dots"]), 1))
    costs = np.full(len(shares), tokens["word"])
    costs[0] = tokens["dots"]
    costs[1 : 1 + LISTED] = frequent[: len(costs) - 1]

    def size(words: int) -> float:
        counts = _counted(shares, words)
        return float(counts @ costs[: len(counts)]) + spare(counts[1 + LISTED :].tolist())

    fitting = bisect.bisect_right(range(max(int(room / tokens["dots"] / shares[0]), 1)), room, key=size) - 1
    if fitting * (shares[ASKED] - shares[ASKED + 1]) < 1:  # else both are rounded down to different numbers
        raise ValueError(
            f"a window of {cell.window} tokens is too small for {ASKED} words to be more frequent than all others: use "
            "a larger one."
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


def _validate(cell: ProtocolCell) -> None:
    if cell.alpha_percent <= 100:
        raise ValueError(f"alpha is {cell.alpha_percent / 100:g}, and must be more than 1.")


@protocol(
    axes=FrequentWordsAxes,
    title="Frequent words",
    templates={
        "system": (),
        "prompt": ("context",),
        "noise": (),
        "frequent": (),
        "prefill": (),
        "without_prefill": ("prefill",),
    },
    size=lambda cell, tokens: cell.window - cell.max_tokens,
    fills_window=True,
    length="window",
    context=None,
    counts=Counts(_probes, _values, NEEDS, fits=_fits),
    pieces=lambda cell: 1,
    validate=_validate,
    report=report_of_sets(
        lambda params: f"alpha {params['alpha_percent'] / 100:g}",
        (LESS_FREQUENT,),
        by_number("frequency", lambda number: FREQUENCIES.get(number, str(number))),
    ),
)
def frequent_words(
    ask: ProtocolAsk, draw: ProtocolDraw, words: Templates, cell: ProtocolCell, window: int, alpha_percent: int
) -> Outcome:
    """A text of N words in which the word of rank k occurs about N / (zeta(alpha) k^alpha) times; rank 1 is the dots'.

    alpha_percent: alpha in hundredths. The smaller it is, the less the frequencies differ.
    """
    stream, listed = draw.stream(), _frequent(words)
    frequent = [listed[place] for place in stream.permutation(len(listed))[:LISTED]]
    counts = word_counts(cell, [cell.counted[word] for word in frequent])
    rest = max(len(counts) - 1 - LISTED, 0)
    others = distinct(lambda more: _unlisted(listed, letters(stream, "a", LETTERS, more)), rest)
    vocabulary = [words["noise"], *frequent, *others][: len(counts)]
    ranks = np.repeat(np.arange(len(counts)), counts)
    stream.shuffle(ranks)
    context = " ".join(np.array(vocabulary, dtype=object)[ranks].tolist())
    prompt = AnswerBegun.filled(words, {}, context)
    items = []
    for word, count in zip(vocabulary[1 : 1 + ASKED], counts[1:].tolist(), strict=False):
        begin = len(prompt.before) + f" {context} ".index(f" {word} ")
        items.append(Needle(word, count, begin, begin + len(word)))
    asked = NamedAnswers(tuple(items), dict.fromkeys(vocabulary[1 + ASKED :], LESS_FREQUENT))

    answer = ask(
        prompt.text,
        expected=" ".join(asked.names),
        depth=0,  # a whole number in rows, from the first version on
        params={"words": len(ranks)},
        prefill=prompt.prefill,
        without_prefill=prompt.without_prefill,
        pieces=prompt.pieces,
    )

    return shown(judge_answer(answer, asked, prompt.prefill, prompt.without_prefill), asked, prompt)


def judge_answer(answer: Answer, asked: NamedAnswers, prefill: str, without_prefill: str) -> Outcome:
    """Judge the words that an answer names: those of the text, and others that are entries of a list.

    An entry is a line, or a part of one between commas; if all its words have the length of coded words, each is an
    entry. "Answer", with which the prompt begins the answer, is not one.
    """
    text = text_of(answer, prefill)
    known, wording, named = asked.known, set(_words(without_prefill)), []
    for entry in re.split(r"[\n,;]|\band\b", text.lower()):
        said = [word for word in _words(entry) if word not in wording]
        listed = all(len(word) == LETTERS for word in said)
        named += [word for word in said if word in known or listed]
    return judged_names(answer, text, asked, named, "word")


def _words(text: str) -> list[str]:
    return re.findall("[a-z]+", text.lower())
