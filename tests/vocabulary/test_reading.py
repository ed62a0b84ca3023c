"""One form of each letter and digit."""

from __future__ import annotations

import pytest

from longctx.vocabulary.naming import folded, names
from longctx.vocabulary.reading import simplified


def test_marks_of_footnotes_and_spaces_between_thousands() -> None:
    assert simplified("$120³ in m²") == "$120^3 in m2"
    assert simplified("12\u202f345 or 12\u00a0345, not 12\u00a034") == "12345 or 12345, not 12 34"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Le total est de 12 345 €.", "Le total est de 12345 €."),
        ("Ищи 1 234 567", "Ищи 1234567"),
        ("Det kostar 12 345 kr", "Det kostar 12345 kr"),
        ("Réponse : 12 345", "Réponse : 12345"),
        ("Total : 12 345 €", "Total : 12345 €"),
        ("Total 12 345,50", "Total 12345,50"),
        ("Die Antwort ist 12 345.", "Die Antwort ist 12345."),
        ("les lignes 12 345 678 90", "les lignes 12 345 678 90"),
        ("les pages 12 34 et 2024 500", "les pages 12 34 et 2024 500"),
        ("Lines 12 345 are missing", "Lines 12 345 are missing"),
        ("Lines 12 345,678 and 3", "Lines 12 345,678 and 3"),
    ],
)
def test_plain_spaces_group_thousands_in_languages_that_write_them(text: str, read: str) -> None:
    assert simplified(text) == read


@pytest.mark.parametrize("answer", ["12345", "12 345", "12\u202f345", "12,345"])
def test_a_number_is_named_however_its_thousands_are_grouped(answer: str) -> None:
    assert names(folded("Le total est de 12 345 €."), answer)
    assert not names(folded("Le total est de 12 3456 €."), answer)
