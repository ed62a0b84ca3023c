"""Names of places, people and firms in Verrany, joined from parts and never used twice in an issue."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tools.register.pen import Pen, capital
from tools.register.prose import read

CLASHES = re.compile(r"(.)\1\1|[^aeiouy]{5}|[aoe][aeou]|(..)\2", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Person:
    given: str
    family: str

    def __str__(self) -> str:
        return f"{self.given} {self.family}"


class Names:
    """Draws names that this issue has not used yet. No two begin alike, so that they are not confused."""

    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._parts: dict[str, list[str]] = read("names")
        self._used: set[str] = set()
        self._given = iter(self._endless(self._parts["given"]))

    def town(self) -> str:
        before = self._pen.pick(self._parts["town_starts"])
        return self._fresh(lambda: before + self._joined(self._parts["town_ends"]))

    def river(self) -> str:
        return self._fresh(lambda: self._joined(self._parts["river_ends"])) + " River"

    def water(self, *kinds: str) -> str:
        """Return a name with one of these kinds of water, such as `Kestmere Sound`."""
        name = self._fresh(lambda: self._joined([*self._parts["river_ends"], "mouth", "holm", "wick", "haven"]))
        return f"{name} {self._pen.pick(kinds)}"

    def person(self) -> Person:
        return Person(next(self._given), self.family())

    def family(self) -> str:
        return self._fresh(lambda: self._joined(self._parts["family_ends"]))

    def firm(self, *trades: str) -> str:
        """Return a company in one of these trades, such as `Harrowby Metals Limited`."""
        pen, trade = self._pen, self._pen.pick(trades)
        match pen.below(5):
            case 0:
                return f"{self.family()} & {self.family()} {trade} Limited"
            case 1:
                return f"{self.town()} {trade} {pen.pick(['Company', 'Cooperative', 'Partners'])}"
            case 2:
                return f"{self.family()} Brothers {trade}"
            case 3:
                return f"{self.town()} {trade} plc"
        return f"{self.family()} {trade} {pen.pick(['Limited', 'Group', 'Incorporated', 'Works'])}"

    def coined(self, starts: list[str], middles: list[str], ends: list[str]) -> str:
        """Return a made-up word from one part of each list, for substances, models and ships."""
        pick = self._pen.pick
        return self._fresh(lambda: capital(pick(starts) + pick(middles) + pick(ends)))

    def _joined(self, ends: list[str]) -> str:
        while True:
            stem, link = self._pen.pick(self._parts["stems"]), self._pen.pick(self._parts["links"])
            end = self._pen.pick(ends)
            if not CLASHES.search(stem + link + end) and not (stem + link).endswith(end[0]):
                return stem + link + end

    def _fresh(self, draw: Callable[[], str]) -> str:
        while True:
            name = draw()
            start = name.split()[-1][:6].lower()
            if start not in self._used:
                self._used.add(start)
                return name

    def _endless(self, names: list[str]) -> Iterator[str]:
        while True:
            yield from self._pen.deal(names, len(names))
