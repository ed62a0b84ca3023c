"""Shards: what is asked for, and how names are dealt to them."""

import pytest

from longctx.config.project import Shard, shard_argument, shards_of
from tests.refusals import refused

GRID = {f"lines-{lines}-{order}": 15 * lines + 100 for lines in range(500, 7000, 500) for order in range(5)}
"""A grid of 13 sizes in 5 orders, like the paper's."""
SHARDS = range(2, 9)


def test_a_shard_is_read() -> None:
    assert shard_argument("2/5") == Shard(2, 5)
    assert str(Shard(2, 5)) == "2/5"
    assert shard_argument("1/1") == Shard(1, 1)


@pytest.mark.parametrize("text", ["", "2", "0/5", "6/5", "2/0", "-1/5", "2/5/6", "a/b", "1/257", "1.0/2"])
def test_an_invalid_shard_is_refused(text: str) -> None:
    with refused("bad-shard"):
        shard_argument(text)


def test_the_same_names_always_go_to_the_same_shards() -> None:
    """Jobs of one matrix may run other versions of Python, and other orders of a dict."""
    names = {"a": 10, "b": 10, "c": 10, "d": 20}
    assert shards_of(names, 3) == {"d": 1, "a": 2, "b": 3, "c": 2}
    assert shards_of(dict(reversed(names.items())), 3) == shards_of(names, 3)


@pytest.mark.parametrize("of", SHARDS)
def test_every_shard_takes_about_the_same_number_of_tokens(of: int) -> None:
    dealt = shards_of(GRID, of)
    assert dealt.keys() == GRID.keys()
    taken = [sum(GRID[name] for name in GRID if dealt[name] == number) for number in range(1, of + 1)]
    assert max(taken) <= 1.05 * sum(taken) / of


def test_more_shards_than_names_leave_some_empty() -> None:
    assert len(set(shards_of({"a": 1, "b": 1}, 5).values())) == 2
    assert shards_of({}, 5) == {}
