"""What orders of lines are called."""

from longctx.families.line_retrieval.names import order, order_and_name


def test_a_shuffled_file_is_also_called_what_its_scenario_is() -> None:
    names = [order_and_name(size) for size in (None, 1, 10)]
    assert names == ["ordered", "shuffled (block_size-1)", "blocks of 10"]


def test_orders() -> None:
    assert [order(size) for size in (None, 1, 10)] == ["ordered", "shuffled", "blocks of 10"]
