"""When an answer stands in a text, and when its length gives it away: measures that making and checking share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

LEADS = r"(?:because|that|if|it|the|an?|to|of|by|in)\s"
SMALL = frozenset(
    """
    a an and any are as at be been but by did do does for from had has have he his if in into is it its no not of on or
    she so than that the their them there these they this those to up was were what when where which while who will with
    """.split()
)
ENOUGH = 0.75
GIVEAWAY = 1.5
FEW = 4
"""Words beside a number in an answer that is numerical."""


def plain(text: str) -> str:
    """Lower case, typographic quotes and dashes made plain, all but words and numbers turned into single spaces."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("–", "-")
    text = re.sub(r"(?<=\d)[,.](?=\d{3}(?!\d))|'s\b", "", text)
    return " ".join(re.findall(r"[^\W_]+(?:(?:['-]|(?<=\d)[.,](?=\d))[^\W_]+)*", text))


def core(answer: str) -> str:
    """The answer without the words that only tie it to its question, such as a leading “because”."""
    words = plain(answer)
    while match := re.match(LEADS, words):
        words = words[match.end() :]
    return words


def stands_verbatim(answer: str, plain_text: str) -> bool:
    """Whether the answer's core stands in a text that `plain` was applied to, word for word."""
    return f" {core(answer)} " in f" {plain_text} "


def stands(answer: str, plain_text: str) -> bool:
    """Word for word, or at least three quarters of its content words anywhere in the text: an answer in other words."""
    if stands_verbatim(answer, plain_text):
        return True
    words = content(answer)
    return bool(words) and len(words & set(plain_text.split())) >= ENOUGH * len(words)


def gives_away(right: str, wrong: Sequence[str]) -> bool:
    """Whether the right answer is half as long again as the longest wrong one, or the shortest wrong one as it.

    Three characters more or less tell nothing: “8 days” beside “120 days”.
    """
    lengths = [len(answer) for answer in wrong]
    return len(right) > GIVEAWAY * max(lengths) + 3 or GIVEAWAY * len(right) + 3 < min(lengths)


def numerical(answer: str) -> bool:
    """Whether a number is what it says: “1,200 metric tons”, “May 4, 2031”, but not “Area 537C” or a long sentence."""
    words = answer.split()
    numbers = sum(bool(re.fullmatch(r"\W*\d[\d.,:/–-]*\W*", word)) for word in words)
    return numbers > 0 and len(words) - numbers <= FEW


def content(text: str) -> set[str]:
    """Its words without the small ones."""
    return set(plain(text).split()) - SMALL
