"""Drawing the facts of a genre's documents and writing the documents, as the genre's file describes them."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import Any

from tools.register.country import Country
from tools.register.formula import Verbs
from tools.register.pen import Pen, listed
from tools.register.prose import Facts, Genre, read
from tools.register.sheet import Sheet, amendment, items, plain_text, signed, table, write


def draw(genre: Genre, country: Country) -> list[Facts]:
    """Draw the facts of each document of a genre."""
    pen = country.pen(genre.name, "facts")
    dealt: Facts = {"count": genre.count}
    Composer(genre, country, pen, dealt).fill(genre.dealt)
    drawn = []
    for place in range(genre.count):
        facts: Facts = {}
        for name in genre.dealt:
            facts |= _entries(name, dealt[name][place])
        facts = country.common(genre.agency or facts["bureau"]) | facts
        Composer(genre, country, pen, facts).fill(genre.facts)
        drawn.append(facts)
    return drawn


def compose(genre: Genre, facts: Facts, country: Country, place: int) -> Sheet:
    """Write one document. place: its index within its genre, from 0."""
    pen = country.pen(genre.name, "words", place)
    facts = dict(facts)
    composer = Composer(genre, country, pen, facts)
    composer.fill(genre.words)
    say = composer.say
    subject, heads = say(genre.subject), [(tag, text) for tag, head in genre.heads if (text := say(head))]
    preamble = [(tag, write(pen, text, facts)) for tag, text in genre.preamble.items()]
    composer.fill(genre.late)
    return Sheet(
        kind=say(genre.kind),
        agency=country.agency(facts["bureau"]),
        subject=subject,
        heads=heads,
        preamble=preamble,
        body=write(pen, genre.body, facts, facts),
        signature=signed(*map(say, genre.signature)),
    )


def _entries(name: str, value: Any) -> Facts:
    """Return a value as facts: itself by its name and, if it is a record, each of its entries."""
    return {name: value, **value} if isinstance(value, dict) else {name: value}


class Composer:
    """Evaluates the templates of a genre's file, with one pen. Each fact can use those before it."""

    def __init__(self, genre: Genre, country: Country, pen: Pen, facts: Facts) -> None:
        self._country, self._pen = country, pen
        self._scope = ChainMap(facts, dict(genre.lists))
        self._verbs = self._all_verbs()

    def fill(self, entries: Mapping[str, Any]) -> None:
        """Add a fact for each entry: a template's value, or a table for the document's body."""
        for name, entry in entries.items():
            value = self._table(entry) if isinstance(entry, dict) else self._value(entry, self._scope)
            self._scope.update(_entries(name, value))

    def say(self, template: str) -> str:
        return self._said(template, self._scope)

    def _value(self, template: str, scope: Mapping[str, Any]) -> Any:
        return self._pen.value(template, scope, self._verbs)

    def _said(self, template: str, scope: Mapping[str, Any]) -> str:
        return self._pen.say(template, scope, self._verbs)

    def _table(self, entry: Mapping[str, Any]) -> list[str]:
        """Write a table. `rows` lists rows; `each` gives a row for each item of a list, with the facts in `with`."""
        rows = [[self.say(cell) for cell in row] for row in entry.get("rows", ())]
        for item in self._value(entry["each"], self._scope) if "each" in entry else ():
            scope = self._scope.new_child({"item": item})
            for name, template in entry.get("with", {}).items():
                scope[name] = self._value(template, scope)
            rows.append([self._said(cell, scope) for cell in entry["row"]])
        return table(self.say(entry["title"]), entry["heads"], rows)

    def _papers(self, docket: str) -> list[str]:
        """Write a table of seven papers in the docket, the oldest first."""
        pen, names, file = self._pen, self._country.names, read("shared")["papers"]
        days = sorted(pen.spread(14, 420, 1, 7), reverse=True)
        titles = [pen.say(title, {"who": names.family()}) for title in pen.deal(file["titles"], 7)]
        numbers = sorted(pen.spread(2, 140, 1, 7))
        rows = [
            (title, self._country.on(-day), f"{docket}–{number:03d}")
            for title, day, number in zip(titles, days, numbers, strict=True)
        ]
        return table(pen.say(file["title"]), file["heads"], rows)

    def _chronology(self, since: int) -> list[str]:
        """Write a list of five events of the last `since` days, the oldest first."""
        pen, names, file = self._pen, self._country.names, read("shared")["chronology"]
        days = sorted(pen.spread(20, since, 1, 5), reverse=True)
        steps = [pen.say(step, {"who": names.person(), "town": names.town()}) for step in pen.deal(file["steps"], 5)]
        lines = [{"day": self._country.on(-day), "step": step} for day, step in zip(days, steps, strict=True)]
        return items([pen.say(file["line"], line) for line in lines])

    def _contact(self, post: str, brief: bool = False) -> str:
        country = self._country
        return country.contact(country.names.person(), post, country.agency(self._scope["bureau"]), brief)

    def _items(self, texts: Sequence[str], letters: bool = False) -> list[str]:
        return items([self.say(text) for text in texts], letters)

    def _notation(self, notation: str) -> list[str]:
        return plain_text(self._pen, notation, self._scope)

    def _all_verbs(self) -> Verbs:
        country, names, pen = self._country, self._country.names, self._pen
        return {
            "number": pen.integer,
            "pick": pen.pick,
            "deal": pen.deal,
            "spread": pen.spread,
            "say": self.say,
            "said": self._notation,
            "on": country.on,
            "weekday": country.weekday,
            "cite": country.cite,
            "province": country.province,
            "place": country.place,
            "phone": country.phone,
            "contact": self._contact,
            "brief_contact": lambda post: self._contact(post, brief=True),
            "town": names.town,
            "river": names.river,
            "water": names.water,
            "person": names.person,
            "family": names.family,
            "firm": names.firm,
            "coined": names.coined,
            "commenter": lambda: self.say(pen.pick(self._scope["commenters"])),
            "papers": self._papers,
            "chronology": self._chronology,
            "items": self._items,
            "lettered": lambda texts: self._items(texts, letters=True),
            "amendment": lambda title, part, text: amendment(title, part, self._notation(text)),
            "without": lambda texts, *others: [text for text in texts if text not in others],
            "descending": lambda numbers: sorted(numbers, reverse=True),
            "zip": zip,
            "min": min,
            "max": max,
            "round": round,
            "listed": listed,
            "split": str.split,
            "trimmed": str.removesuffix,
            "upper": str.upper,
        }
