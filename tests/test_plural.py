"""Numbers of things as text."""

from longctx.text import count


def test_numbers_of_things() -> None:
    assert [count(number, "trial") for number in (0, 1, 2_000)] == ["0 trials", "1 trial", "2,000 trials"]
    assert [count(number, "test was", "tests were") for number in (1, 2)] == ["1 test was", "2 tests were"]
