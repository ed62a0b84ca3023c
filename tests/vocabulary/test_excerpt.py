"""The surroundings of parts of a prompt."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from longctx.vocabulary.excerpt import AROUND, LINES, WITHIN, excerpts
from longctx.vocabulary.point import Mark


def at(text: str, **parts: str) -> list[Mark]:
    """Marks of parts of a text, by their names."""
    return [
        Mark(name.replace("_", " "), text.index(part), text.index(part) + len(part)) for name, part in parts.items()
    ]


def test_a_line_with_its_neighbours() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 11))
    [excerpt] = excerpts(text, at(text, needle="line 5\n"))
    assert (excerpt.names, excerpt.line) == (("needle",), 5)
    assert excerpt.pieces == (
        ("", "line 2\nline 3\nline 4\n"),
        ("needle", "line 5\n"),
        ("", "line 6\nline 7\nline 8\nline 9"),
    )


def test_what_is_close_is_together_once() -> None:
    text = "<Question>\nWhat?\n</Question>\nSelect the answer.\n<Answers>\nA. x\nB. y\n</Answers>\n"
    [excerpt] = excerpts(text, at(text, question="What?", answers="A. x\nB. y", right_answer="B. y"))
    assert (excerpt.names, excerpt.line) == (("question", "answers"), 2)
    assert excerpt.pieces == (
        ("", "<Question>\n"),
        ("question", "What?"),
        ("", "\n</Question>\nSelect the answer.\n<Answers>\n"),
        ("answers", "A. x\n"),
        ("right answer", "B. y"),
        ("", "\n</Answers>\n"),
    )


def test_what_lies_apart_stands_apart_in_the_order_of_the_marks() -> None:
    text = "needle\n" + "filler\n" * 20 + "question\n"
    shown = excerpts(text, at(text, question="question", needle="needle"))
    assert [(excerpt.names, excerpt.line) for excerpt in shown] == [(("question",), 22), (("needle",), 1)]


def test_of_blank_lines_one_is_kept() -> None:
    text = "above\n\n\n\nDATES:\nJuly\n \n\n\nSUMMARY:\nA zone.\n\n\n\n\nbelow\nend\n"
    [excerpt] = excerpts(text, at(text, needle="DATES:\nJuly\n \n\n\nSUMMARY:\nA zone."))
    assert excerpt.pieces == (
        ("", "above\n\n"),
        ("needle", "DATES:\nJuly\n\nSUMMARY:\nA zone."),
        ("", "\n\nbelow\nend"),
    )


def test_a_long_part_loses_its_middle() -> None:
    [excerpt] = excerpts("a" * 5000 + "b" * 5000, [Mark("needle", 0, 10_000)])
    [(name, part)] = excerpt.pieces
    assert name == "needle"
    assert part.startswith("aaa")
    assert part.endswith("bbb")
    assert " … " in part


def test_nothing_marked_is_no_excerpt() -> None:
    assert excerpts("text", []) == []


@given(st.text(), st.text(min_size=1), st.text())
def test_an_excerpt_is_short_and_is_in_the_text(before: str, part: str, after: str) -> None:
    text = before * 50 + part + after * 50
    start = len(before) * 50
    [excerpt] = excerpts(text, [Mark("needle", start, start + len(part))])
    shown = "".join(piece for _, piece in excerpt.pieces)
    assert re.sub(r"\s+", "", shown) in re.sub(r"\s+", "", text)
    around = [piece for name, piece in excerpt.pieces if not name]
    assert all(len(piece) <= AROUND and piece.count("\n") <= LINES for piece in around)
    assert len(shown) <= 2 * AROUND + WITHIN + 3


MARKED = st.lists(st.tuples(st.integers(0, 300), st.integers(1, 300), st.sampled_from("abc")), min_size=1, max_size=5)


@given(st.text(st.sampled_from("xy \n"), min_size=600, max_size=600), MARKED)
def test_every_mark_is_shown_once(text: str, places: list[tuple[int, int, str]]) -> None:
    marks = [Mark(name, start, start + size) for start, size, name in places]
    cut = excerpts(text, marks)
    covered = set().union(*(range(mark.start, mark.end) for mark in marks))
    shown = "".join(piece for excerpt in cut for name, piece in excerpt.pieces if name)
    assert len(shown.replace("\n", "")) <= len(covered)
    assert {name for excerpt in cut for name, _ in excerpt.pieces} - {""} <= {mark.name for mark in marks}
