"""Collages: the section that a question is about, in a text of other sections of the bank, in random order.

The cells that these functions take have the parameters `budget`, `longest` and `depth`, and may have `distractors` and
`questions`. A question has the same collage at every depth, except that the needle moves.

Quotes in a scratchpad: are they in the record, and in the right section?

A quote is compared with a text by the share of its n-grams of WORDS words that occur in the text, ignoring case,
punctuation and white space: 1 for a verbatim quote, 0 for an invented one. From FOUND on, it counts as found.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import chain
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, Field

from longctx import Bank, BankAxes, Context, Count, Piece, ProtocolCell, fill
from longctx.protocols.choices import choices_in
from longctx.vocabulary.bank import Section, rank
from longctx.vocabulary.grid import Size
from longctx.vocabulary.lexical import most_alike
from longctx.vocabulary.point import POSITIONS, Quote
from longctx.vocabulary.questions import BankItems
from longctx.vocabulary.shapes import unwrapped

SEPARATOR = "\n\n\n\n"
SEPARATOR_TOKENS = 4  # at most, in any vocabulary
MOST_DISTRACTORS = 16
"""The most sections of a collage that resemble its needle."""
OTHER_TOKENS = 600
"""About the tokens of the prompt without its record."""
LOT = 6
"""About how many collages the items of a lot make, where several items share each."""
PERCENTS: Mapping[Any, Any] = {name: percent for percent, name in POSITIONS.items()}


def _depth(value: Any) -> str | int:
    if value in PERCENTS or (type(value) is int and 0 <= value <= 100):
        return value  # type: ignore[no-any-return]
    raise ValueError(f"a depth is {', '.join(PERCENTS)}, or a percentage of 0 to 100")


def _several(value: Any) -> Any:
    return (value,) if type(value) is int else value


Depth = Annotated[Any, BeforeValidator(_depth)]
DistractorCount = Annotated[int, Field(ge=0, le=MOST_DISTRACTORS, strict=True)]
Distractors = Annotated[tuple[DistractorCount | None, ...], BeforeValidator(_several), Field(min_length=1)]


class CollagesAxes(BankAxes):
    """The entries of a protocol whose questions are about collages."""

    sizes: ClassVar[str] = "budgets"
    budgets: tuple[Size, ...] = Field(min_length=1)
    """Tokens of the record, by the reference vocabulary; or shares of the model's window."""
    depths: tuple[Depth, ...] = ("middle",)
    """Where the needle's section is: `"beginning"`, `"middle"`, `"end"`, or a percentage."""
    max_tokens: Count = 300
    """The most tokens of a reply."""

    def size_in(self, room: int, tokens: Mapping[str, float]) -> float:
        return (room - self.max_tokens - OTHER_TOKENS) / tokens["reference"]

    @property
    def percents(self) -> list[int]:
        return [PERCENTS.get(depth, depth) for depth in self.depths]


def validate_collage(cell: ProtocolCell) -> None:
    """Raise ValueError if there is no such collage."""
    distractors = getattr(cell, "distractors", None)
    if not 1 <= cell.longest <= cell.budget:
        raise ValueError(
            f"sections of up to {cell.longest} tokens (the entry `longest`) do not fit a collage of {cell.budget} "
            f"(the entry `budgets`): set `longest` to a number from 1 to {cell.budget}."
        )
    if distractors is not None and not 0 <= distractors <= MOST_DISTRACTORS:
        raise ValueError(f"`distractors`: use 0 to {MOST_DISTRACTORS}, not {distractors}.")
    if distractors is not None and getattr(cell, "questions", None) is not None:
        raise ValueError("`distractors` resemble the section of one question: remove `questions`.")
    if not 0 <= cell.depth <= 100:
        raise ValueError(f"`depths`: {cell.depth} is not a percentage: use 0 (beginning) to 100 (end).")


def collage_tokens(cell: ProtocolCell, tokens: Mapping[str, float]) -> int:
    """Return the tokens of a prompt with a collage."""
    return int(cell.budget * tokens["reference"]) + OTHER_TOKENS


def section_count(cell: ProtocolCell) -> int:
    """Return about how many sections a collage has, if sections are half as long as the longest on average."""
    return max(2 * int(cell.budget) // int(cell.longest), 1)


class CollageItems(BankItems):
    """The questions that collages can be about, and which of them are about one collage."""

    @property
    def distractors(self) -> int | None:
        return getattr(self.cell, "distractors", None)

    @property
    def questions(self) -> int | None:
        return getattr(self.cell, "questions", None)

    def asked(self) -> Iterable[int]:
        if self.distractors is not None:
            return filter(self._holds_distractors, super().asked())
        return super().asked() if self.questions is None else chain.from_iterable(self._contexts())

    def together(self, index: int) -> tuple[int, ...]:
        """Return the questions about one collage. Raises ValueError if the cell does not ask question `index`."""
        if self.questions is None:
            return (index,)
        for context in self._contexts():
            if index in context:
                return context
        raise ValueError(f"question {index} is not among those that {self.cell.slug} asks.")

    def cluster(self, index: int) -> str:
        return super().cluster(self.together(index)[0])

    @property
    def why_empty(self) -> str:
        if self.distractors and any(True for _ in super().asked()):
            return (
                f"no collage of {self.cell.budget:,} tokens contains {self.distractors} distractors of at most "
                f"{self.longest:,} tokens each"
            )
        return super().why_empty

    def _contexts(self) -> tuple[tuple[int, ...], ...]:
        return contexts(self.bank, tuple(super().asked()), self.questions or 1)

    def _holds_distractors(self, index: int) -> bool:
        chosen = distractors_of(self.bank, index, self.longest)[: self.distractors]
        sizes = sum(section.tokens + SEPARATOR_TOKENS for section in chosen)
        return len(chosen) == self.distractors and self.bank.needle(index).tokens + sizes <= self.cell.budget


@functools.lru_cache(maxsize=256)
def contexts(bank: Bank, kept: tuple[int, ...], size: int) -> tuple[tuple[int, ...], ...]:
    """Group items by the collage that is asked about them, each about another section.

    With version 2, items are dealt by a hash to lots of about LOT collages and grouped there, so that another question
    in the bank changes the collages of its lot alone.
    """
    rounds: dict[int, list[int]] = defaultdict(list)
    seen: Counter[str] = Counter()
    for index in kept:
        section = bank.items[index].section
        rounds[seen[section]].append(index)
        seen[section] += 1
    found: list[tuple[int, ...]] = []
    for items in rounds.values():
        lots = 1 if bank.version == 1 else 1 << (max(1, len(items) // (LOT * size)).bit_length() - 1)
        by_lot: dict[int, list[int]] = defaultdict(list)
        for index in items:
            by_lot[int.from_bytes(rank("context", bank.item_name(index))) % lots].append(index)
        for _, in_lot in sorted(by_lot.items()):
            found += (tuple(in_lot[start : start + size]) for start in range(0, len(in_lot), size))
    return tuple(sorted(found, key=len, reverse=True))  # what a lot has left over comes last


@dataclass(frozen=True, slots=True)
class Record:
    """A collage, and where in it the needle of a question is."""

    sections: tuple[Section, ...]
    place: int
    """The place of the needle among them, or of what is in its place."""
    needle: Section | None
    """The section that answers; None if the record contains none."""

    @property
    def text(self) -> str:
        return _joined(self.sections)

    @property
    def start(self) -> int:
        """The characters before the needle."""
        return sum(len(section.text) + len(SEPARATOR) for section in self.sections[: self.place])

    def in_pieces(self, before: str, after: str, right: str) -> Context:
        """Return the context in pieces. before, after: the text around the record. right: the right answer."""
        opening, question = unwrapped(before, after)
        return Context(
            pieces=tuple(Piece(section.text) for section in self.sections),
            question=question,
            opening=opening,
            needle=self.place if self.needle else None,
            evidence=evidence(right, self.needle.text) if self.needle else "",
        )


@functools.lru_cache(maxsize=1)
def _joined(sections: tuple[Section, ...]) -> str:
    """Return the text of a record. The last is cached, as the variants of a question are neighbours."""
    return SEPARATOR.join(section.text for section in sections)


def record_of(cell: ProtocolCell, index: int, seed: int) -> Record:
    """Return the collage of the needles of all questions about it, one after another, and other sections."""
    needles, others = needles_of(cell, index), others_of(cell, index, seed)
    place = round(cell.depth / 100 * len(others))
    needle = cell.bank().needle(index)
    return Record((*others[:place], *needles, *others[place:]), place + needles.index(needle), needle)


def needles_of(cell: ProtocolCell, index: int) -> tuple[Section, ...]:
    """Return the sections that all questions about the collage of question `index` are about."""
    return tuple(dict.fromkeys(map(cell.bank().needle, cell.items.together(index))))


def others_of(cell: ProtocolCell, index: int, seed: int) -> tuple[Section, ...]:
    """Return sections in random order that fit in the budget besides the needles. They are the same at every depth."""
    together, distractors = cell.items.together(index), getattr(cell, "distractors", None)
    return _others(cell.bank(), together, seed, cell.budget, cell.longest, distractors)


@functools.lru_cache(maxsize=2048)
def _others(
    bank: Bank, together: tuple[int, ...], seed: int, budget: int, longest: int, distractors: int | None
) -> tuple[Section, ...]:
    """together: the items whose sections are the needles; the first decides which others are drawn.

    With version 1 of a bank, the first section that does not fit is the last; with version 2, it is left out.
    """
    if distractors is not None:
        return _with_distractors(bank, together[0], seed, budget, longest, distractors)
    item, needles = bank.items[together[0]], {needle.id: needle for needle in map(bank.needle, together)}
    room = budget - sum(needle.tokens for needle in needles.values()) - SEPARATOR_TOKENS * (len(needles) - 1)
    if bank.version > 1:
        drawn = (section for section in bank.others(together[0], seed, longest) if section.id not in needles)
        return tuple(fitting(drawn, room))
    pool = [section for section in bank.sections.values() if section.tokens <= longest and section.id not in needles]
    order = bank.stream("record", seed, item.id, budget, longest).permutation(len(pool))
    others: list[Section] = []
    for section in (pool[place] for place in order):
        room -= section.tokens + SEPARATOR_TOKENS
        if room < 0:
            break
        others.append(section)
    return tuple(others)


def _with_distractors(bank: Bank, index: int, seed: int, budget: int, longest: int, number: int) -> tuple[Section, ...]:
    """Return so many sections that resemble the needle, and others that do not, in an order that is the same for any
    number: a distractor more takes the place of a section that resembles nothing."""
    item, alike = bank.items[index], distractors_of(bank, index, longest)
    room = budget - bank.needle(index).tokens - sum(each.tokens + SEPARATOR_TOKENS for each in alike[:number])
    others = (section for section in bank.others(index, seed, longest) if section not in alike)
    drawn = [*alike[:number], *fitting(others, room)]
    return tuple(sorted(drawn, key=lambda section: rank("distractors", seed, item.id, section.id)))


@functools.lru_cache(maxsize=2048)
def distractors_of(bank: Bank, index: int, longest: int) -> tuple[Section, ...]:
    """Return the sections that share most words with an item's question and do not answer it, the most alike first."""
    item = bank.items[index]
    others = [each for each in bank.sections.values() if each.tokens <= longest and each.id != item.section]
    places = most_alike([section.text for section in others], item.question, [item.right], MOST_DISTRACTORS)
    return tuple(others[place] for place in places)


def fitting(sections: Iterable[Section], room: int) -> Iterator[Section]:
    """Yield the sections that fit, in their order. One that does not fit changes nothing for the others."""
    for section in sections:
        if section.tokens + SEPARATOR_TOKENS <= room:
            room -= section.tokens + SEPARATOR_TOKENS
            yield section


def examples(cell: ProtocolCell, template: str, index: int, seed: int, count: int) -> str:
    """Return answered questions about other sections of the collage. Raises ValueError if there are too few."""
    bank = cell.bank()
    places = _example_places(bank, cell.items.together(index)[0], seed, others_of(cell, index, seed))
    if len(places) < count:
        raise ValueError(
            f"the collage of {bank.items[index].id} has questions for {len(places)} examples, not {count}."
        )
    asked = [choices_in(bank, place, seed, cell.letters) for place in places[:count]]
    return "\n".join(
        fill(template, {"question": each.question, "answers": str(each), "correct_answer": each.right})
        for each in asked
    )


@functools.lru_cache(maxsize=2048)
def _example_places(bank: Bank, first: int, seed: int, others: tuple[Section, ...]) -> tuple[int, ...]:
    """Return the indices of the items about these sections, in random order."""
    item = bank.items[first]
    places = sorted(place for section in others for place in bank.places.get(section.id, ()))
    if bank.version > 1:
        return tuple(sorted(places, key=lambda place: rank("example", seed, item.id, bank.item_name(place))))
    return tuple(places[position] for position in bank.stream("examples", seed, item.id).permutation(len(places)))


def around(template: str, filled: Mapping[str, str]) -> tuple[str, str]:
    """Return the text before the record and the text after it."""
    before, _, after = template.partition("{record}")
    return fill(before, filled), fill(after, filled)


def evidence(right: str, section: str) -> str:
    """Return the right answer if its section contains it, in upper or lower case; else nothing."""
    return right if right.casefold() in " ".join(section.split()).casefold() else ""


WORDS = 4
BLANK = "\n\n"
FOUND = 0.8


@dataclass(frozen=True, slots=True)
class QuoteCount:
    """How many quotes a scratchpad has, and how many of them are in the record and in the needle's section."""

    quotes: int
    in_record: int
    in_needle: int


def scratchpad(text: str) -> str:
    """Return the content of <scratchpad>, up to its end, the answer, or the end of the reply; empty without one."""
    match = re.search(r"<scratchpad\s*>(.*?)(?:</scratchpad\s*>|<answer\s*>|\Z)", text, re.IGNORECASE | re.DOTALL)
    return match[1] if match else ""


def quotes(pad: str) -> list[str]:
    """Return the texts in quotation marks, or else the lines, of a scratchpad, if they have at least WORDS words."""
    marked = re.findall(r"[\"“]([^\"“”]+)[\"”]", pad)
    candidates = marked or [re.sub(r"^\s*(?:[-*•]|\d+[.)])\s*", "", line) for line in pad.splitlines()]
    return [quote.strip() for quote in candidates if len(_words(quote)) >= WORDS]


def look_up(reply: str, record: str, needle: str) -> list[Quote]:
    """Look up the quotes in a reply's scratchpad in the record and in the needle's section."""
    if not (texts := quotes(scratchpad(reply))):
        return []
    everywhere, right_place = _plain(record), _plain(needle)
    return [Quote(text, _share(text, everywhere) >= FOUND, _share(text, right_place) >= FOUND) for text in texts]


def count(quotes: Sequence[Quote]) -> QuoteCount:
    return QuoteCount(len(quotes), sum(quote.in_record for quote in quotes), sum(quote.in_needle for quote in quotes))


def _share(quote: str, text: str) -> float:
    """Return the share of a quote's n-grams that occur in a text. text: as _plain returns it."""
    words = _words(quote)
    if f" {' '.join(words)} " in text:
        return 1.0
    own = set(zip(*(words[start:] for start in range(WORDS)), strict=False))
    return sum(f" {' '.join(run)} " in text for run in own) / len(own)


@functools.lru_cache(maxsize=2)
def _plain(text: str) -> str:
    """Return the words of a text, each surrounded by spaces. Sections are cached, as records share them."""
    return f" {' '.join(filter(None, map(_section, text.split(BLANK))))} "


@functools.lru_cache(maxsize=1024)
def _section(text: str) -> str:
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


MONTHS = "January February March April May June July August September October November December".split()


@dataclass(frozen=True, slots=True)
class Agency:
    """An agency."""

    name: str
    remit: str
    """What it is responsible for."""
    acts: tuple[str, ...]
    """The first sentences of its notices."""


@dataclass(frozen=True, slots=True)
class Date:
    """A date."""

    months: int
    """The full months since the year 0."""
    day: int

    @classmethod
    def drawn(cls, stream: np.random.RandomState, months: int) -> Date:
        """Draw a day of a month that every month has."""
        return cls(months, 1 + int(stream.randint(28, dtype=np.int64)))

    def __str__(self) -> str:
        return f"{MONTHS[self.months % 12]} {self.day}, {self.months // 12}"

    @property
    def month_name(self) -> str:
        return f"{MONTHS[self.months % 12]} {self.months // 12}"


def drawn_text(agency: Agency, stream: np.random.RandomState) -> str:
    """Draw the text of a notice: an act of the agency, and an ending that any notice may have."""
    return f"{_filled(agency.acts, stream)} {_filled(ENDINGS, stream)}"


def _filled(texts: Sequence[str], stream: np.random.RandomState) -> str:
    text, place, number = (int(stream.randint(most, dtype=np.int64)) for most in (len(texts), len(PLACES), 38))
    return fill(texts[text], {"place": PLACES[place], "number": str(number + 2)})


_TEXTS = tomllib.loads(resources.files(__package__).joinpath("notices.toml").read_text(encoding="utf-8"))
PLACES: tuple[str, ...] = tuple(_TEXTS["places"])
ENDINGS: tuple[str, ...] = tuple(_TEXTS["endings"])
AGENCIES = tuple(Agency(each["name"], each["remit"], tuple(each["acts"])) for each in _TEXTS["agencies"])
