"""One form of each letter and digit."""

from __future__ import annotations

from longctx.vocabulary.reading import simplified


def test_marks_of_footnotes_and_spaces_between_thousands() -> None:
    assert simplified("$120³ in m²") == "$120^3 in m2"
    assert simplified("12\u202f345 or 12\u00a0345, not 12\u00a034") == "12345 or 12345, not 12 34"
