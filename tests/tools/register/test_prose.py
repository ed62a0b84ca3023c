"""The files of prose: whatever a template may come to say names a fact that its document has."""

import re
import string
from collections.abc import Iterator
from typing import Any

import pytest

from tools.register.composer import Composer, draw
from tools.register.country import Country
from tools.register.prose import Facts, Genre, genres, read


def slots(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field}


def texts(value: Any) -> Iterator[str]:
    """Yield all texts in a nested value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def facts_of(genre: Genre) -> Facts:
    """Return all facts that the first document of a genre can name."""
    country = Country(1, 1)
    facts = draw(genre, country)[0]
    composer = Composer(genre, country, country.pen("test"), facts)
    composer.fill(genre.words)
    composer.fill(genre.late)
    return facts


@pytest.mark.parametrize("genre", genres(), ids=lambda genre: genre.name)
def test_every_slot_names_a_fact(genre: Genre) -> None:
    asks = [[ask.right, ask.near, ask.forms] for ask in genre.asks]
    nested = [genre.body, genre.subject, genre.heads, dict(genre.preamble), genre.names, genre.full_names, asks]
    named = {slot for text in texts(nested) for slot in slots(text) if re.fullmatch(r"\w+", slot)}
    assert named - {"name"} <= facts_of(genre).keys()


@pytest.mark.parametrize("genre", genres(), ids=lambda genre: genre.name)
def test_lines_that_a_body_names_are_made(genre: Genre) -> None:
    facts = facts_of(genre)
    for name in re.findall(r"^@(\w+)$", genre.body, re.MULTILINE):
        assert facts[name][0].startswith("<"), f"@{name} is no markup"


@pytest.mark.parametrize("genre", genres(), ids=lambda genre: genre.name)
def test_every_list_is_drawn_from(genre: Genre) -> None:
    formulas = " ".join(texts([dict(genre.dealt), dict(genre.facts), dict(genre.words), dict(genre.late)]))
    shared = read("shared")["lists"]
    assert [name for name in genre.lists if name not in shared and not re.search(rf"\b{name}\b", formulas)] == []


def test_the_agencies_that_documents_name_are_in_their_file() -> None:
    named = {genre.agency for genre in genres()} | {
        record["bureau"]
        for genre in genres()
        for records in genre.lists.values()
        for record in records
        if isinstance(record, dict) and "bureau" in record
    }
    assert named - {""} <= read("agencies").keys()
