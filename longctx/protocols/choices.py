"""Multiple-choice questions: their letters, and the letter in an answer.

Source: the notebook "Experimentally Testing Claude's Long-Context QA Abilities" (docs/protocols.md).
"""

from __future__ import annotations

import functools
import re
import string
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from longctx import Answer, Bank, Mark, Outcome, unanswered
from longctx.vocabulary.bank import Item

LETTERS = "ABCD"
CHANCE = 1 / len(LETTERS)
OWN: Literal["own"] = "own"
"""The letters that collages draw for themselves. The control's are None, as in what was recorded before there were own
ones: a filter made from the control keeps the questions whose answer has the letter that a model gives in doubt."""
LETTERS_OF = Literal["own", "control"]
"""The entry `letters` of a profile's table."""


def letters_of(entry: LETTERS_OF) -> str | None:
    """Return the parameter `letters` of a cell."""
    return OWN if entry == OWN else None


def above_chance(rate: float) -> float:
    """Return an accuracy corrected for guessing: 0 at chance, 1 if all are correct, negative below chance."""
    return (rate - CHANCE) / (1 - CHANCE)


def earlier(params: Mapping[str, Any]) -> str:
    """Return what a short name of a collage of the earlier version ends with; else nothing."""
    return " (earlier version)" if version_of(params) else ""


def version_of(params: Mapping[str, Any]) -> str:
    """Name the earlier version of a collage in reports, to which it belongs if it has no own letters; else nothing."""
    return "" if params.get("letters") == OWN else "letters of the control (earlier version)"


@dataclass(frozen=True, slots=True)
class Choices:
    """A question's answers under their letters, and the letter of the right one."""

    question: str
    answers: tuple[str, ...]
    right: str

    def __str__(self) -> str:
        """Return one answer per line: `A. …`."""
        return "\n".join(f"{letter}. {answer}" for letter, answer in zip(self.letters, self.answers, strict=True))

    @property
    def letters(self) -> str:
        return string.ascii_uppercase[: len(self.answers)]

    def answer(self, letter: str) -> str:
        return self.answers[self.letters.index(letter)]

    def marks(self, text: str, returned: str | None) -> list[Mark]:
        """Return marks of the question, its answers, the right answer, and the one that was returned instead.

        The last occurrence is marked, since examples before it may have the same words.
        """
        marks = [
            Mark(name, start, start + len(part))
            for name, part in (("question", self.question), ("answers", str(self)))
            if (start := text.rfind(part)) >= 0
        ]
        end = marks[-1].start - 1
        for letter, answer in zip(self.letters, self.answers, strict=True):
            start, end = end + 1, end + 1 + len(f"{letter}. {answer}")
            if letter in (self.right, returned):
                marks.append(Mark("right answer" if letter == self.right else "answer given", start, end))
        return marks


def balanced_letters(count: int, rng: np.random.RandomState) -> list[str]:
    """Return a letter for each of `count` right answers, in random order; frequencies differ by at most one."""
    return [LETTERS[place % len(LETTERS)] for place in rng.permutation(count)]


def choices(item: Item, right: str, rng: np.random.RandomState) -> Choices:
    """Return the item's answers, the right one under the letter `right`, the wrong ones in random order."""
    answers = [item.wrong[place] for place in rng.permutation(len(item.wrong))]
    answers.insert(LETTERS.index(right), item.right)
    return Choices(item.question, tuple(answers), right)


@functools.lru_cache(maxsize=4096)
def choices_in(bank: Bank, index: int, seed: int, letters: str | None = None) -> Choices:
    """Return the choices of item `index`, the same in every cell with these letters: OWN, or None for the control's.

    With version 1 of a bank, right letters are balanced over it; with version 2, each is drawn by itself. No letter
    depends on a model's filter, so that models with different filters are asked the same.
    """
    item = bank.items[index]
    if letters == OWN:
        stream = bank.stream("answers of collages", seed, bank.item_name(index))
        drawn = (
            LETTERS[stream.randint(len(LETTERS), dtype=np.int64)]
            if bank.version > 1
            else _own_letters_in(bank, seed)[index]
        )
        return choices(item, drawn, stream)
    if bank.version > 1:
        stream = bank.stream("answers", seed, bank.item_name(index))
        return choices(item, LETTERS[stream.randint(len(LETTERS))], stream)
    return choices(item, _letters_in(bank, seed)[index], bank.stream("answers", seed, item.id))


@functools.lru_cache(maxsize=8)
def _letters_in(bank: Bank, seed: int) -> list[str]:
    return balanced_letters(len(bank.items), bank.stream("letters", seed))


@functools.lru_cache(maxsize=8)
def _own_letters_in(bank: Bank, seed: int) -> Mapping[int, str]:
    """Return the letter of each item: each of four that follow one another in the order of the bank has its own."""
    order, stream = bank.order(sys.maxsize), bank.stream("letters of collages", seed)
    fours = [order[start : start + len(LETTERS)] for start in range(0, len(order), len(LETTERS))]
    drawn = (zip(four, stream.permutation(len(LETTERS)), strict=False) for four in fours)
    return {index: LETTERS[place] for four in drawn for index, place in four}


def judge_answer(answer: Answer, choices: Choices) -> Outcome:
    """Judge the letter that begins the content of <Answer> tags; a missing closing tag is accepted."""
    letters = _letters(answer.text)
    if answer.stop_reason == "refusal" or not letters:
        return unanswered(answer, "no <Answer> tag in the reply")
    if len(letters) > 1:
        return Outcome("unparseable", "/".join(letters), f"different answers: {', '.join(letters)}")
    [letter] = letters
    if letter == choices.right:
        return Outcome("correct", letter, "the right answer")
    if letter not in choices.letters:
        return Outcome("unparseable", letter, f"{letter!r} is none of {', '.join(choices.letters)}")
    return Outcome("wrong", letter, f"{letter}, not {choices.right}")


def _letters(text: str) -> Sequence[str]:
    """Return the different first characters of the contents of all <Answer> tags, in order."""
    letters = re.findall(r"<answer\s*>\s*(\S)", text, re.IGNORECASE)
    return list(dict.fromkeys(letter.upper() for letter in letters if letter != "<"))
