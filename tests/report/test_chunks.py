"""The sentence on how many chunks to retrieve, and the table of their numbers."""

from __future__ import annotations

import json

from longctx.report.function_reports import chunks_sentences, chunks_tables
from longctx.report.run_folder import as_json
from longctx.summary.retrievals import retrievals
from longctx.summary.summary import summarize
from tests.rows import retrieved


def test_the_cheapest_of_which_a_loss_is_ruled_out() -> None:
    rows = [
        *retrieved(1, 60, 90, 150),
        *retrieved(4, 131, 140, 150),
        *retrieved(16, 135, 150, 150),
        *retrieved(64, 134, 150, 150),
    ]
    [sentence] = chunks_sentences(retrievals(rows))
    assert sentence == (
        "4 chunks are at most 8 points worse than the best number, with 95% confidence: 0.87 [0.81, 0.92] for $4.00 "
        "per 1,000 questions. The best of 4 here is 16, with about 0.90, corrected for having been chosen. With 4 the "
        "answer was retrieved for 140 of 150 questions; 9 of these were missed."
    )
    [table] = chunks_tables("test_it", retrievals(rows))
    assert [row[table.columns.index("answer retrieved")] for row in table.rows] == ["60%", "93%", "100%", "100%"]
    assert [row[table.columns.index("another is at least as good")] for row in table.rows] == [
        "yes",
        "-",
        "-",
        "-",
    ]
    assert [row[table.columns.index("points worse than the best, at most")] for row in table.rows][1:3] == ["8", "3"]
    [data] = json.loads(as_json(summarize(rows), "run"))["chunks"]
    assert (data["best"], data["enough"]) == (16, 4)


def test_few_questions_cannot_tell_one_chunk_from_the_best() -> None:
    """Absence of evidence names no number."""
    [sentence] = chunks_sentences(
        retrievals([*retrieved(1, 12, 16, 16), *retrieved(4, 13, 16, 16), *retrieved(16, 14, 16, 16)])
    )
    assert sentence.startswith("16 questions are too few to compare 1 and 4 with 16; about ")
    assert "The best of 3 here is 16, with about 0.78, corrected" in sentence, "as observed, it is 0.88"
    assert (
        json.loads(as_json(summarize([*retrieved(1, 11, 16, 16), *retrieved(4, 11, 16, 16)]), "run"))["chunks"][0][
            "enough"
        ]
        is None
    )


def test_one_number_alone_is_no_comparison() -> None:
    assert retrievals(retrieved(4, 50, 60)) == ()


def test_without_a_right_answer_no_number_is_enough() -> None:
    [sentence] = chunks_sentences(retrievals([*retrieved(1, 0, 36), *retrieved(4, 0, 56)]))
    assert (
        sentence
        == "No answer is right with up to 4 chunks, though with 4 the answer was retrieved for 56 of 60 questions."
    )
