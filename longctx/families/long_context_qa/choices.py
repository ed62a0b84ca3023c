"""Multiple-choice questions: their letters, and the letter in a reply.

Source: the notebook "Experimentally Testing Claude's Long-Context QA Abilities", seeds of the collage family.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longctx.vocabulary.bank import Bank, Item
from longctx.vocabulary.judging import unanswered
from longctx.vocabulary.scenario import Mark, Outcome, Reply

LETTERS = "ABCD"
CHANCE = 1 / len(LETTERS)


@dataclass(frozen=True, slots=True)
class Choices:
    """A question's four answers under their letters, and the letter of the right one."""

    question: str
    answers: tuple[str, str, str, str]
    right: str

    def __str__(self) -> str:
        """One answer a line: `A. …`."""
        return "\n".join(f"{letter}. {answer}" for letter, answer in zip(LETTERS, self.answers, strict=True))

    def answer(self, letter: str) -> str:
        return self.answers[LETTERS.index(letter)]


def balanced_letters(count: int, rng: np.random.RandomState) -> list[str]:
    """A letter for each of `count` right answers, in random order, each letter equally often (within one)."""
    return [LETTERS[place % len(LETTERS)] for place in rng.permutation(count)]


def choices(item: Item, right: str, rng: np.random.RandomState) -> Choices:
    """The item's answers with the right one under `right`, the wrong ones in random order."""
    answers = [item.wrong[place] for place in rng.permutation(len(item.wrong))]
    answers.insert(LETTERS.index(right), item.right)
    first, second, third, fourth = answers
    return Choices(item.question, (first, second, third, fourth), right)


@functools.lru_cache(maxsize=4096)
def choices_in(bank: Bank, index: int, seed: int) -> Choices:
    """The choices of item `index`: the same in every scenario; the right letters are balanced over the whole bank."""
    item = bank.items[index]
    return choices(item, _letters_in(bank, seed)[index], bank.stream("answers", seed, item.id))


@functools.lru_cache(maxsize=8)
def _letters_in(bank: Bank, seed: int) -> list[str]:
    return balanced_letters(len(bank.items), bank.stream("letters", seed))


def judge(choices: Choices, reply: Reply) -> Outcome:
    """The letter that begins what stands in <Answer> tags; a missing closing tag is forgiven."""
    found = _letters(reply.text)
    if reply.stop_reason == "refusal" or not found:
        return unanswered(reply, "no <Answer> tag in the reply")
    if len(found) > 1:
        return Outcome("unparseable", "/".join(found), f"different answers: {', '.join(found)}")
    [letter] = found
    if letter == choices.right:
        return Outcome("correct", letter, "the right answer")
    if letter not in LETTERS:
        return Outcome("unparseable", letter, f"{letter!r} is none of {', '.join(LETTERS)}")
    return Outcome("wrong", letter, f"{letter}, not {choices.right}")


def marks(choices: Choices, user: str, returned: str | None) -> list[Mark]:
    """The question and its answers, which stand last in the text (examples before them may repeat their words); and
    among the answers the right one, and the one that was returned instead."""
    found = [
        Mark(name, start, start + len(part))
        for name, part in (("question", choices.question), ("answers", str(choices)))
        if (start := user.rfind(part)) >= 0
    ]
    end = found[-1].start - 1
    for letter, answer in zip(LETTERS, choices.answers, strict=True):
        start, end = end + 1, end + 1 + len(f"{letter}. {answer}")
        if letter in (choices.right, returned):
            found.append(Mark("right answer" if letter == choices.right else "answer given", start, end))
    return found


def _letters(text: str) -> Sequence[str]:
    """The different first characters of all <Answer> contents, in the order they come."""
    found = re.findall(r"<answer\s*>\s*(\S)", text, re.IGNORECASE)
    return list(dict.fromkeys(letter.upper() for letter in found if letter != "<"))
