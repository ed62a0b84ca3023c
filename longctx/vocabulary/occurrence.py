"""Whether an answer occurs in a text, and whether its length gives it away; for making and for checking questions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

LEADING_WORDS = r"(?:because|that|if|it|the|an?|to|of|by|in)\s"
FUNCTION_WORDS = frozenset(
    """
    a an and any are as at be been but by did do does for from had has have he his if in into is it its no not of on or
    she so than that the their them there these they this those to up was were what when where which while who will with
    """.split()
)
ENOUGH = 0.75
GIVEAWAY = 1.5
ALIKE = str.maketrans(
    dict.fromkeys("\u2018\u2019\u02bc\u2032", "'") | dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-")
)
"""Apostrophes and dashes, which look alike."""
FEW = 4
"""The most words beside numbers in a numerical answer."""


def simplified(text: str) -> str:
    """Return a text as judging reads it: one form of each letter, digit, apostrophe and dash, nothing of no width.

    What draws or builds prompts does not use it, since a change of it would make recordings stale.

    Example:
        >>> simplified("It\u2019s 12\u201113, cafe\u0301, \uff17\u200b")
        "It's 12-13, café, 7"
    """
    text = unicodedata.normalize("NFKC", text).translate(ALIKE)
    return "".join(letter for letter in text if unicodedata.category(letter) != "Cf")


def plain(text: str) -> str:
    """Normalize a text to lower-case words and numbers, with plain quotes and dashes, separated by single spaces."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("–", "-")
    text = re.sub(r"(?<=\d)[,.](?=\d{3}(?!\d))|'s\b", "", text)
    return " ".join(re.findall(r"[^\W_]+(?:(?:['-]|(?<=\d)[.,](?=\d))[^\W_]+)*", text))


def core(answer: str) -> str:
    """Return the normalized answer without leading words that only connect it to its question, such as “because”."""
    words = plain(answer)
    while match := re.match(LEADING_WORDS, words):
        words = words[match.end() :]
    return words


def occurs_verbatim(answer: str, plain_text: str) -> bool:
    """Tell whether the answer's core occurs verbatim in a text that `plain` was applied to."""
    return f" {core(answer)} " in f" {plain_text} "


def occurs(answer: str, plain_text: str) -> bool:
    """Tell whether an answer, or at least three quarters of its content words, occurs in a text."""
    if occurs_verbatim(answer, plain_text):
        return True
    words = content(answer)
    return bool(words) and len(words & set(plain_text.split())) >= ENOUGH * len(words)


def gives_away(right: str, wrong: Sequence[str]) -> bool:
    """Tell whether the right answer is over 1.5 times as long as all wrong ones, or all wrong ones as it.

    Three more characters are allowed, as in “120 days” beside “8 days”.
    """
    lengths = [len(answer) for answer in wrong]
    return len(right) > GIVEAWAY * max(lengths) + 3 or GIVEAWAY * len(right) + 3 < min(lengths)


def numerical(answer: str) -> bool:
    """Tell whether an answer is a number: “1,200 metric tons”, “May 4, 2031”, but not “Area 537C” or a sentence."""
    words = answer.split()
    numbers = sum(bool(re.fullmatch(r"\W*\d[\d.,:/–-]*\W*", word)) for word in words)
    return numbers > 0 and len(words) - numbers <= FEW


def content(text: str) -> set[str]:
    """Return the normalized words of a text without function words."""
    return set(plain(text).split()) - FUNCTION_WORDS
