"""The tables of the analysis of questions."""

from __future__ import annotations

import csv
import io

from longctx.authoring.items import as_csv, document
from longctx.report.document import as_terminal
from longctx.report.markdown_document import as_markdown
from tests.authoring.examples import found

ASKED = {"q1": "What?", "q2": "=1+1|`x`\x1b[31m\u202e", "q3": "Who?", "q4": "Where?"}


def test_a_terminal_shows_the_notebooks_table_and_the_worst() -> None:
    many = {f"q{number}": {"right": "+", "wrong": "-", "none": "?"} for number in range(12)}
    text = as_terminal(document("Questions", found(many), ["A note."], {}, short=True))
    lines = text.splitlines()
    assert lines[:2] == ["Questions", "A note."]
    [right] = [line.split() for line in lines if line.startswith("right section")]
    assert right[2:6] == ["12", "0", "1.00", "[0.76,"]
    assert "the worst 10 of 12" in text
    assert "Sections by what the right section is worth, worst first" in text
    [none] = [line for line in lines if line.startswith("no record")]
    assert "not measured" in none


def test_replies_that_cannot_be_read_are_distinguished_from_wrong_answers() -> None:
    answers = {"q1": {"right": "u", "wrong": "-"}, "q2": {"right": "+", "wrong": "-"}}
    text = as_terminal(document("Questions", found(answers), [], {}, short=True))
    [right] = [line.split() for line in text.splitlines() if line.startswith("right section")]
    assert "not readable" in text
    assert right[2:6] == ["1", "0", "1", "0.50"]


def test_all_questions_are_in_markdown_with_their_words_as_code() -> None:
    text = as_markdown(document("Questions", found(), [], ASKED, short=False))
    assert "q1" in text
    assert "``=1+1\\|`x`\\x1b[31m\\u202e``" in text
    assert "better with a wrong section" in text


def test_a_spreadsheet_gets_a_line_a_question_and_no_formula() -> None:
    first, *_, last = csv.DictReader(io.StringIO(as_csv(found(), ASKED)))
    assert first == {
        "question": "q2", "section": "s1", "fact": "price", "right_correct": "0", "right_n": "1",
        "right_unread": "0", "wrong_correct": "1", "wrong_n": "1", "wrong_unread": "0", "none_correct": "0",
        "none_n": "1", "none_unread": "0", "difficulty": "0.0000",
        "discrimination": "-1.00", "fault": "better with a wrong section", "text": "'=1+1|`x`\\x1b[31m\\u202e",
    }  # fmt: skip
    assert (last["question"], last["discrimination"], last["fault"]) == ("q1", "+1.00", "")
