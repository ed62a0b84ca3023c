"""Whether an answer occurs in a text, by its words."""

from __future__ import annotations

import re
import unicodedata

from longctx.vocabulary.naming import SPACELESS

LEADING_WORDS = r"(?:because|that|if|it|the|an?|to|of|by|in)\s"
FUNCTION_WORDS = frozenset(
    """
    a an and any are as at be been but by did do does for from had has have he his if in into is it its no not of on or
    she so than that the their them there these they this those to up was were what when where which while who will with
    """.split()
)
ENOUGH = 0.75


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


SPACELESS_TEXT = re.compile(f"[{SPACELESS}].*[{SPACELESS}]|[{SPACELESS}]")
"""Matches a text that begins and ends with a script without spaces between words."""


def occurs_verbatim(answer: str, plain_text: str) -> bool:
    """Tell whether the answer's core occurs verbatim in a text that `plain` was applied to."""
    sought = core(answer)
    if sought and SPACELESS_TEXT.fullmatch(sought):  # scripts without spaces have no words to compare
        return sought in plain_text
    return f" {sought} " in f" {plain_text} "


def occurs(answer: str, plain_text: str) -> bool:
    """Tell whether an answer, or at least three quarters of its content words, occurs in a text."""
    if occurs_verbatim(answer, plain_text):
        return True
    words = content(answer)
    return bool(words) and len(words & set(plain_text.split())) >= ENOUGH * len(words)


def content(text: str) -> set[str]:
    """Return the normalized words of a text without function words."""
    return set(plain(text).split()) - FUNCTION_WORDS
