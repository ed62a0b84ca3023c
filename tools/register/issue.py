"""Generating an issue of the Verrany Register in GPO markup.

The same seed gives the same bytes on every machine; another seed gives an issue with other facts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from tools.register.composer import compose, draw
from tools.register.country import WEEKDAYS, Country, written
from tools.register.prose import Facts, Genre, genres
from tools.register.sheet import Sheet, inline, markup

PROGRAM = "longctx.corpus.register"
"""The program that made an issue, as the shipped banks name it: where it was when they were made."""
VERSION = 1
"""Increased whenever the same seed gives another text."""

UNITS = {"RULE": "Rules and Regulations", "PRORULE": "Proposed Rules", "NOTICE": "Notices"}
EXAMPLES = ("collections", "corrections")
"""The genres whose last document serves as an example for question writing, as one of each does in the protocol."""
XSI = "http://www.w3.org/2001/XMLSchema-instance"
PAGE = 5_600  # characters of markup


@dataclass(frozen=True, slots=True)
class Notice:
    """A document of an issue. place: its index within its genre, from 0."""

    genre: Genre
    place: int
    facts: Facts
    sheet: Sheet

    @property
    def is_example(self) -> bool:
        return self.genre.name in EXAMPLES and self.place == self.genre.count - 1


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue. documents: in the order of print, in which their sections are numbered from 1."""

    country: Country
    documents: tuple[Notice, ...]
    xml: str


def generate(seed: int) -> Issue:
    """Generate the issue of a seed."""
    country = Country(seed, VERSION)
    documents = []
    for genre in genres():
        for place, facts in enumerate(draw(genre, country)):
            sheet = compose(genre, facts, country, place)
            documents.append(Notice(genre, place, facts, sheet))
    ordered = in_order(country, documents)
    return Issue(country, ordered, "\n".join(_lines(country, ordered)) + "\n")


def in_order(country: Country, documents: list[Notice]) -> tuple[Notice, ...]:
    """Sort documents into rules, proposed rules and notices; within each, their order is random."""
    shuffled = country.pen("order").deal(documents, len(documents))
    return tuple(sorted(shuffled, key=lambda document: list(UNITS).index(document.sheet.kind)))


def _lines(country: Country, documents: tuple[Notice, ...]) -> Iterator[str]:
    pen = country.pen("numbers")
    day = country.date
    number, page = pen.integer(11_000, 19_000), country.page
    filed = country.workday(-1)
    stamp = f"{filed.month}–{filed.day}–{filed.year % 100}"
    body: list[str] = []
    contents: list[tuple[Notice, int, int]] = []
    for kind, group in groupby(documents, key=lambda document: document.sheet.kind):
        body += [f"<UNITNAME>{UNITS[kind]}</UNITNAME>", f"<{kind}S>"]
        for document in group:
            number += pen.integer(1, 9)
            lines, last = _paged(markup(document.sheet, page, f"{day.year}–{number}", stamp), page)
            body += lines
            contents.append((document, page, last))
            page = last + pen.below(2)
        body.append(f"</{kind}S>")
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<?xml-stylesheet type="text/xsl" href="fedregister.xsl"?>'
    yield f'<FEDREG xmlns:xsi="{XSI}" xsi:noNamespaceSchemaLocation="FRMergedXML.xsd">'
    yield from (f"<VOL>{country.volume}</VOL>", f"<NO>{day.timetuple().tm_yday * 5 // 7}</NO>")
    yield f"<DATE>{WEEKDAYS[day.weekday()]}, {written(day)}</DATE>"
    yield from _contents(contents)
    yield from body
    yield "</FEDREG>"


def _paged(lines: list[str], page: int) -> tuple[list[str], int]:
    """Insert a page break before the first paragraph after each full page; return the lines and the last page."""
    out: list[str] = []
    size = 0
    for line in lines:
        if size > PAGE and line.startswith(("<P>", '<HD SOURCE="HD1">')):
            page, size = page + 1, 0
            out.append(f'<PRTPAGE P="{page}"/>')
        out.append(line)
        size += len(line)
    return out, page


def _contents(entries: list[tuple[Notice, int, int]]) -> Iterator[str]:
    """Yield the lines of the table of contents, by agency."""
    yield from ("<UNITNAME>Contents</UNITNAME>", "<CNTNTS>")
    by_agency = sorted(entries, key=lambda entry: entry[0].sheet.agency.name)
    for agency, group in groupby(by_agency, key=lambda entry: entry[0].sheet.agency.name):
        yield from ("<AGCY>", f"<EAR>{inline(agency.split()[0])}</EAR>", f"<HD>{inline(agency)}</HD>")
        for document, first, last in group:
            pages = f"{first}–{last}" if last > first else str(first)
            yield "<DOCENT>"
            yield f"<DOC>{inline(document.sheet.subject)},</DOC><PGS>{pages}</PGS>"
            yield "</DOCENT>"
        yield "</AGCY>"
    yield "</CNTNTS>"
