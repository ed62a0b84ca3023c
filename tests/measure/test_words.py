"""What parameters are called."""

from longctx.measure.words import FAMILIES, family, order, position
from longctx.scenarios import FAMILIES as ALL


def test_every_family_of_the_suite_has_a_name() -> None:
    assert set(FAMILIES) == set(ALL)
    assert family("line_retrieval") == "Line retrieval"
    assert family("mine") == "mine"


def test_orders() -> None:
    assert [order(size) for size in (None, 1, 10)] == ["ordered", "shuffled", "blocks of 10"]


def test_a_depth_that_has_no_name_is_a_percentage() -> None:
    assert [position(depth) for depth in (0, 50, 100, 7)] == ["beginning", "middle", "end", "7%"]
