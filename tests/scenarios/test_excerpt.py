"""The surroundings of a part of a prompt."""

from hypothesis import given
from hypothesis import strategies as st

from longctx.scenarios.base import Mark
from longctx.scenarios.excerpt import AROUND, LINES, WITHIN, excerpt


def test_a_line_with_its_neighbours() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 11))
    start = text.index("line 5")
    found = excerpt(text, Mark("needle", start, start + len("line 5\n")))
    assert (found.name, found.line) == ("needle", 5)
    assert found.before == "line 2\nline 3\nline 4\n"
    assert found.part == "line 5\n"
    assert found.after == "line 6\nline 7\nline 8\nline 9"


def test_a_long_part_loses_its_middle() -> None:
    found = excerpt("a" * 5000 + "b" * 5000, Mark("needle", 0, 10_000))
    assert found.part.startswith("aaa")
    assert found.part.endswith("bbb")
    assert " … " in found.part


@given(st.text(), st.text(), st.text())
def test_an_excerpt_is_short_and_stands_in_the_text(before: str, part: str, after: str) -> None:
    text = before * 50 + part + after * 50
    found = excerpt(text, Mark("needle", len(before) * 50, len(before) * 50 + len(part)))
    assert text[len(before) * 50 :].startswith(found.part)
    assert found.before + found.part + found.after in text
    assert len(found.before) <= AROUND
    assert len(found.after) <= AROUND
    assert len(found.part) <= WITHIN + 3
    assert max(found.before.count("\n"), found.after.count("\n")) <= LINES
