"""What notices are made of: agencies, their acts (notices.toml), and dates."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np

from longctx import fill

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
