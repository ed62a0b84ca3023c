"""The names of line orders."""

from longctx.families.line_retrieval.names import order


def test_orders() -> None:
    assert [order(size) for size in (None, 1, 10)] == ["ordered", "shuffled", "blocks of 10"]
