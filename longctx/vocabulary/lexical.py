"""The lexical baseline: what matching words answers without a model.

The rarest words that a question shares with the sections pick a section; of the options, the one that is verbatim in
it is the answer. A benchmark that this answers measures how well a model matches words, and not what it understands.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from longctx.vocabulary.occurrence import FUNCTION_WORDS, content, core, occurs, plain


@dataclass(frozen=True, slots=True)
class LexicalBaseline:
    """The lexical baseline's answer to a question."""

    section: int
    """The index of the section that it picks."""
    option: int | None
    """The index of the option that it chooses; None without options."""


def lexical_baseline(sections: Sequence[str], question: str, options: Sequence[str] = ()) -> LexicalBaseline:
    """Return the answer of the lexical baseline: word matching, without a model.

    A word that both the question and a section hold weighs the logarithm of the number of sections by that of the
    sections with the word; function words do not count. The section with the greatest weight is picked. The answer is
    the option that is verbatim in it, the longest if there are several; if there is none, the option most of whose
    words are in it. Of equals, the first counts.

    Args:
        sections: The texts of the context: the documents, or the paragraphs of a text.
        question: The question about one of them.
        options: The answers to choose from; none for a free answer.

    Raises:
        ValueError: There are no sections.
    """
    if not sections:
        raise ValueError("the lexical baseline needs at least one section")
    weights = _weights(sections, content(question))
    section = max(range(len(sections)), key=weights.__getitem__)
    if not options:
        return LexicalBaseline(section, None)
    held, words = _plain(sections[section]), _words(sections[section])
    return LexicalBaseline(section, max(range(len(options)), key=lambda place: _found(options[place], held, words)))


def lexically_right(sections: Sequence[str], question: str, answer: str, options: Sequence[str] = ()) -> bool:
    """Return whether the lexical baseline, which matches words without a model, answers a question correctly.

    It picks the section that shares the rarest words with the question. Of the options, it chooses the one that is
    verbatim in it; without options, it is right if the section contains the answer.

    Args:
        sections: The texts of the context: the documents, or the paragraphs of a text.
        question: The question about one of them.
        answer: The right answer; one of the options, if there are any.
        options: The answers to choose from; none for a free answer.

    Example:
        >>> lexically_right(["The gate opens at 6.", "The shop opens at 9."], "When does the shop open?", "at 9")
        True
    """
    found = lexical_baseline(sections, question, options)
    if found.option is None:
        return f" {core(answer)} " in f" {_plain(sections[found.section])} "
    return options[found.option] == answer


def most_alike(sections: Sequence[str], like: str, answers: Sequence[str] = (), most: int | None = None) -> list[int]:
    """Return the places of the sections that share the most weight of words with a text, those first that share most.

    Sections that may answer are left out.

    Args:
        sections: The texts to choose from.
        like: A question, or a text that the sections resemble.
        answers: The right answers: a section that contains one of them, or three quarters of its words, is left out.
        most: How many places are returned at most; None for all.
    """
    weights = _weights(sections, content(like))
    ranked = sorted(range(len(sections)), key=lambda place: (-weights[place], place))
    silent = (place for place in ranked if not any(occurs(answer, _plain(sections[place])) for answer in answers))
    return list(itertools.islice(silent, most))


def _weights(sections: Sequence[str], asked: set[str]) -> list[float]:
    """Return the weight of the words that each section shares with the question."""
    shared = [asked & _words(section) for section in sections]
    holding = Counter(word for words in shared for word in words)
    weight = {word: math.log(len(sections) / number) for word, number in holding.items()}
    return [math.fsum(weight[word] for word in words) for words in shared]


def _found(option: str, held: str, words: frozenset[str]) -> tuple[bool, float]:
    """Return whether a section has an option verbatim; and the option's length, else the share of its words there."""
    if f" {core(option)} " in f" {held} ":
        return True, len(core(option))
    own = content(option)
    return False, len(own & words) / len(own) if own else 0.0


@functools.lru_cache(maxsize=8192)
def _plain(text: str) -> str:
    return plain(text)


@functools.lru_cache(maxsize=8192)
def _words(text: str) -> frozenset[str]:
    return frozenset(_plain(text).split()) - FUNCTION_WORDS
