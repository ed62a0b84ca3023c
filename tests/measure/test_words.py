"""What parameters are called."""

import pytest

from longctx.families.long_context_qa.collage import VARIANTS
from longctx.families.long_context_qa.control import RECORDS
from longctx.measure.words import (
    FAMILIES,
    SECTIONS,
    by_protocol,
    family,
    order,
    order_and_name,
    position,
    section,
    variant,
)
from longctx.registry import families
from tests.here import HERE


def test_every_family_of_the_suite_has_a_name() -> None:
    assert set(FAMILIES) == set(families(HERE))
    assert family("line_retrieval") == "Line retrieval"
    assert family("mine") == "mine"


@pytest.mark.parametrize("rows", [["control", "mine", "passkey", "line_retrieval", "mine", "alone", "passkey"], []])
def test_families_stand_in_the_protocols_order_and_a_user_s_own_after_them(rows: list[str]) -> None:
    assert [(rows[place], place) for place in by_protocol(rows)] == (
        [
            ("line_retrieval", 3),
            ("passkey", 2),
            ("passkey", 6),
            ("control", 0),
            ("mine", 1),
            ("mine", 4),
            ("alone", 5),
        ]
        if rows
        else []
    )


def test_a_shuffled_file_is_also_called_what_its_scenario_is() -> None:
    names = [order_and_name(size) for size in (None, 1, 10)]
    assert names == ["ordered", "shuffled (block_size-1)", "blocks of 10"]


def test_every_variant_and_record_has_words() -> None:
    assert variant("five_scratchpad") == "5 examples + scratchpad"
    assert len({variant(name) for name in VARIANTS}) == len(VARIANTS)
    assert not any("_" in variant(name) for name in VARIANTS)
    assert set(SECTIONS) == set(RECORDS)
    assert section("none") == "no section"


def test_orders() -> None:
    assert [order(size) for size in (None, 1, 10)] == ["ordered", "shuffled", "blocks of 10"]


def test_a_depth_that_has_no_name_is_a_percentage() -> None:
    assert [position(depth) for depth in (0, 50, 100, 7)] == ["beginning", "middle", "end", "7%"]
