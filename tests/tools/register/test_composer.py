"""Composing documents from the files of genres; each mechanism is tried in a small genre of its own."""

from typing import Any

import pytest

from tools.register.composer import compose, draw
from tools.register.country import Country
from tools.register.prose import Genre
from tools.register.sheet import Sheet, items

LISTS = {"goods": [{"goods": "tin", "price": 3}, {"goods": "lead", "price": 4}, {"goods": "zinc", "price": 5}]}


def genre(**entries: Any) -> Genre:
    plain: dict[str, Any] = {
        "kind": "NOTICE",
        "count": 2,
        "subject": "Tin",
        "heads": (),
        "signature": ("Dated", "{signer}", "Clerk"),
        "names": (),
        "body": "",
        "dealt": {},
        "facts": {},
        "asks": (),
        "agency": "ROADS",
        "lists": LISTS,
    }
    entries["facts"] = {"signer": "{person()}", **entries.get("facts", {})}
    return Genre("tins", **{**plain, **entries})


def sheet(written: Genre) -> Sheet:
    country = Country(1, 1)
    return compose(written, draw(written, country)[0], country, 0)


def test_what_is_dealt_differs_from_document_to_document_and_a_record_gives_its_entries() -> None:
    written = genre(
        dealt={"good": "{deal(goods, count)}"}, facts={"double": "{price * 2}", "said": "{goods} at {double}"}
    )
    first, second = draw(written, Country(1, 1))
    assert first["goods"] != second["goods"]
    assert first["said"] == f"{first['goods']} at {first['price'] * 2}"
    assert first["office"] == "Road Carriers Bureau"


def test_an_agency_may_be_a_fact_of_the_document() -> None:
    written = genre(agency="", dealt={"bureau": "{deal(offices, count)}"}, lists={"offices": ["AIR", "RAIL"]})
    assert {facts["short"] for facts in draw(written, Country(1, 1))} == {"ASA", "RI"}


def test_the_same_seed_draws_the_same_and_another_draws_something_else() -> None:
    written = genre(facts={"n": "{number(1, 1000000)}", "town": "{town()}"})
    assert draw(written, Country(1, 1)) == draw(written, Country(1, 1))
    assert draw(written, Country(1, 1)) != draw(written, Country(2, 1))


def test_a_table_has_rows_given_one_by_one_or_drawn_from_a_list() -> None:
    table = {"title": "Prices", "heads": ["Good", "Price"], "rows": [["All", "{n}"]]}
    each = {**table, "each": "{goods}", "with": {"half": "{item.price / 2}"}, "row": ["{item.goods}", "{half}"]}
    body = sheet(genre(facts={"n": "{7}"}, words={"prices": each}, body="@prices")).body
    assert [line for line in body if "<ENT" in line] == [
        '<ENT I="01">All</ENT>',
        "<ENT>7</ENT>",
        '<ENT I="01">tin</ENT>',
        "<ENT>1.5</ENT>",
        '<ENT I="01">lead</ENT>',
        "<ENT>2.0</ENT>",
        '<ENT I="01">zinc</ENT>',
        "<ENT>2.5</ENT>",
    ]


def test_lists_and_amendments_are_where_the_body_names_them() -> None:
    words = {"two": "{lettered(['{signer} <x|x>', 'y'])}", "rule": "{amendment(49, 3, rule)}"}
    with pytest.raises(KeyError):
        sheet(genre(body="@three"))
    written = genre(words=words, body="@two\n\n@rule", lists={"rule": "1. Add:\n\n§ 3.1 Tin."})
    made = sheet(written)
    signer = made.signature[2].removeprefix("<NAME>").removesuffix(",</NAME>")
    assert list(made.body[:2]) == items([f"{signer} x", "y"], letters=True)
    assert made.body[2] == '<REGTEXT TITLE="49" PART="3">'


def test_a_head_without_a_text_is_left_out() -> None:
    heads = (("CFR", "{title} CVR Part 3"), ("DEPDOC", "{empty}"))
    assert sheet(genre(heads=heads, facts={"empty": "<|>"})).heads == [("CFR", "49 CVR Part 3")]
