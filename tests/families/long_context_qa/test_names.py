"""The names of variants, positions and records."""

from longctx.families.long_context_qa.collage import VARIANTS
from longctx.families.long_context_qa.control import RECORDS
from longctx.families.long_context_qa.names import SECTIONS, position, section, variant


def test_every_variant_and_record_has_words() -> None:
    assert variant("five_scratchpad") == "5 examples + scratchpad"
    assert len({variant(name) for name in VARIANTS}) == len(VARIANTS)
    assert not any("_" in variant(name) for name in VARIANTS)
    assert set(SECTIONS) == set(RECORDS)
    assert section("none") == "no section"


def test_a_depth_that_has_no_name_is_a_percentage() -> None:
    assert [position(depth) for depth in (0, 50, 100, 7)] == ["beginning", "middle", "end", "7%"]
