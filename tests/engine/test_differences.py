"""The difference between two texts, as people see it."""

from __future__ import annotations

import pytest

from longctx.engine.differences import LONGEST_LINE, LONGEST_RUN, difference, first_changed_line
from longctx.vocabulary.both import Both


def of(before: str, after: str) -> tuple[str, ...]:
    return difference(Both(before, after))


def test_lines_around_a_change_and_dots_between_the_parts() -> None:
    before = "\n".join(map(str, range(20)))
    after = before.replace("3\n", "three\n", 1).replace("15", "fifteen")
    assert of(before, after) == (" 2", "-3", "+three", " 4", " …", " 14", "-15", "+fifteen", " 16")
    assert first_changed_line(Both(before, after)) == 4


@pytest.mark.parametrize(("before", "after", "line"), [("a\nb", "a", 2), ("", "a", 1), ("a", "a\nb", 2)])
def test_lines_that_came_or_went(before: str, after: str, line: int) -> None:
    assert first_changed_line(Both(before, after)) == line
    assert of(before, after)


def test_a_text_of_which_only_a_key_changed_has_none() -> None:
    assert of(f"key sk-ant-{'a' * 20}", f"key sk-ant-{'b' * 20}") == ()


def test_long_runs_are_folded_so_that_both_sides_are_seen() -> None:
    lines = of("\n".join(f"a{line}" for line in range(30)), "\n".join(f"b{line}" for line in range(30)))
    assert [line[0] for line in lines] == [*"-" * LONGEST_RUN, " ", *"+" * LONGEST_RUN, " "]
    assert lines[-1] == f" … {30 - LONGEST_RUN} more lines"


def test_a_change_in_the_middle_of_a_long_line_is_seen() -> None:
    words = " ".join(map(str, range(1000)))
    went, came = of(f"x\n{words}", f"x\n{words.replace(' 500 ', ' five hundred ')}")[1:]
    assert " 500 " in went
    assert " five hundred " in came
    assert max(map(len, (went, came))) <= LONGEST_LINE


@pytest.mark.parametrize("line", ["a\n", "a\nb\n", "".join(f"{index}\n" for index in range(300))])
def test_texts_of_any_number_of_lines_are_compared_in_part(line: str) -> None:
    before = line * (60_000 // len(line))
    lines = of(before, f"new\n{before}end\n")
    assert "+new" in lines
    assert lines[-1].endswith("not compared")
