"""A pen draws facts and words from a frozen random stream: the same seed always gives the same text."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from longctx.vocabulary.stream import frozen_stream
from tools.register.formula import Verbs, evaluate

Item = TypeVar("Item")

ONES = "zero one two three four five six seven eight nine ten eleven twelve".split()
NOTHING: Mapping[str, Any] = MappingProxyType({})
CHOICE = re.compile(r"<([^<>]*)>")
VOWEL_SOUND = re.compile(r"(?!uni|eu|one|us[ei])[aeiou]|8|11\b|18\b|hour|honou?r|[FHLMNRSX][A-Z]{2,}\b|MF", re.ASCII)


class _Slots(string.Formatter):
    """str.format with formulas, and with more conversions: !c capitalizes, !n adds a or an, !w (!W, capitalized) writes
    small numbers as words."""

    def __init__(self, verbs: Verbs) -> None:
        self._verbs = verbs

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, str]:
        known = field_name in kwargs
        return kwargs[field_name] if known else evaluate(field_name, kwargs, self._verbs), field_name

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
    """Draws from one frozen random stream, with `randint` only."""

    def __init__(self, *name: object) -> None:
        self._state = frozen_stream(*name)

    def below(self, end: int) -> int:
        return int(self._state.randint(0, end, dtype=np.int64))

    def integer(self, low: int, high: int, step: int = 1) -> int:
        """Draw one of low, low + step, … high."""
        return low + step * self.below((high - low) // step + 1)

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]

    def deal(self, items: Sequence[Item], count: int) -> list[Item]:
        """Draw `count` different items in random order. Raises ValueError if there are fewer."""
        if count > len(items):
            raise ValueError(f"{count} wanted of {len(items)}")
        pack = list(items)
        return [pack.pop(self.below(len(pack))) for _ in range(count)]

    def spread(self, low: int, high: int, step: int, count: int) -> list[int]:
        """Draw `count` different numbers of low, low + step, … high, in random order."""
        return self.deal(range(low, high + 1, step), count)

    def say(self, template: str, facts: Mapping[str, Any] = NOTHING, verbs: Verbs = NOTHING) -> str:
        """Return a template's text: `<this|that>` is drawn (choices nest), `{fact}` and `{formula}` are filled in."""
        while choice := CHOICE.search(template):
            template = template[: choice.start()] + self.pick(choice[1].split("|")) + template[choice.end() :]
        text = re.sub(r"\s+([.,;:])(?=\s|$)", r"\1", " ".join(template.split()))
        filled = _Slots(verbs).vformat(text, (), facts)
        return re.sub(r"\.\.(?=\s|$)", ".", filled)

    def value(self, template: str, facts: Mapping[str, Any], verbs: Verbs) -> Any:
        """Evaluate a template; a template of a single slot gives its value, which need not be a text."""
        match list(string.Formatter().parse(template)):
            case [("", str(formula), "", None)]:
                return evaluate(formula, facts, verbs)
        return self.say(template, facts, verbs)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def with_article(text: str) -> str:
    return f"{'an' if VOWEL_SOUND.match(text) else 'a'} {text}"


def listed(items: Sequence[str], word: str = "and") -> str:
    """Return `a, b, and c`."""
    *head, last = items
    if len(head) > 1:
        return f"{', '.join(head)}, {word} {last}"
    return f"{head[0]} {word} {last}" if head else last
