"""A frozen random stream that draws facts and words: the same seed writes the same text for ever."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from longctx.vocabulary.stream import frozen_stream

Item = TypeVar("Item")

ONES = "zero one two three four five six seven eight nine ten eleven twelve".split()
CHOICE = re.compile(r"<([^<>]*)>")
VOWEL_SOUND = re.compile(r"(?!uni|eu|one|us[ei])[aeiou]|8|11\b|18\b|hour|honou?r|[FHLMNRSX][A-Z]{2,}\b|MF", re.ASCII)


class _Slots(string.Formatter):
    """str.format with conversions of our own: !c capital first, !n with a or an, !w (!W) small numbers in words."""

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        match conversion:
            case "c":
                return capital(str(value))
            case "n":
                return with_article(str(value))
            case "w" | "W":
                word = ONES[value] if value < len(ONES) else f"{value:,}"
                return word if conversion == "w" else capital(word)
        return super().convert_field(value, conversion)


class Pen:
    """Draws from one frozen stream, by `randint` alone."""

    def __init__(self, *name: object) -> None:
        self._state = frozen_stream(*name)

    def below(self, end: int) -> int:
        return int(self._state.randint(0, end, dtype=np.int64))

    def integer(self, low: int, high: int, step: int = 1) -> int:
        """One of low, low + step ... high."""
        return low + step * self.below((high - low) // step + 1)

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]

    def deal(self, items: Sequence[Item], count: int) -> list[Item]:
        """`count` different items in random order. Raises ValueError where there are not so many."""
        if count > len(items):
            raise ValueError(f"{count} wanted of {len(items)}")
        pack = list(items)
        return [pack.pop(self.below(len(pack))) for _ in range(count)]

    def spread(self, low: int, high: int, step: int, count: int) -> list[int]:
        """`count` different numbers of low, low + step ... high, in random order."""
        return self.deal(range(low, high + 1, step), count)

    def say(self, template: str, facts: Mapping[str, Any] | None = None, **more: Any) -> str:
        """A template's text: `<this|that>` is drawn (choices may nest), `{fact}` filled in."""
        while found := CHOICE.search(template):
            template = template[: found.start()] + self.pick(found[1].split("|")) + template[found.end() :]
        text = re.sub(r"\s+([.,;:])(?=\s|$)", r"\1", " ".join(template.split()))
        filled = _Slots().vformat(text, (), {**(facts or {}), **more})
        return re.sub(r"\.\.(?=\s|$)", ".", filled)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def with_article(text: str) -> str:
    return f"{'an' if VOWEL_SOUND.match(text) else 'a'} {text}"


def listed(items: Sequence[str], word: str = "and") -> str:
    """`a, b, and c`."""
    *head, last = items
    if len(head) > 1:
        return f"{', '.join(head)}, {word} {last}"
    return f"{head[0]} {word} {last}" if head else last
