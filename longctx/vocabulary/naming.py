"""Whether a text names an answer, as words of their own."""

from __future__ import annotations

import re

from longctx.vocabulary.reading import simplified, ungrouped

SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""The letters of scripts that write no space between words: Thai, Lao, Burmese, Khmer, Japanese and Chinese."""
BEFORE, AFTER = rf"(?<![.,-])(?<![^\W{SPACELESS}])", rf"(?![^\W{SPACELESS}]|-|[.,][^\W{SPACELESS}])"
"""The borders of a word in other scripts."""
_SPACELESS_AT_START, _SPACELESS_AT_END = re.compile(f"[{SPACELESS}]"), re.compile(f"[{SPACELESS}]$")
_BEFORE, _AFTER, _ANYWHERE = re.compile(BEFORE), re.compile(AFTER), re.compile("")


def folded(text: str) -> str:
    """Return a text as answers are compared: in one form of each letter, without capitals and thousands separators."""
    text = " ".join(simplified(text).split()).casefold()
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)


def names(text: str, answer: str) -> bool:
    """Return whether a folded text names an answer, as words of their own: `4` is not in `47` or `4.5`.

    Scripts without spaces have no such borders.
    """
    named = folded(answer)
    return any(_names(text, form) for form in {named, ungrouped(named)})


def _names(text: str, named: str) -> bool:
    place = text.find(named)
    if place < 0:
        return False
    before = _ANYWHERE if _SPACELESS_AT_START.match(named) else _BEFORE
    after = _ANYWHERE if _SPACELESS_AT_END.search(named) else _AFTER
    while place >= 0:
        if before.match(text, place) and after.match(text, place + len(named)):
            return True
        place = text.find(named, place + 1)
    return False
