"""The sentence on how many chunks to retrieve, and the table of their numbers."""

from __future__ import annotations

import json

from longctx.report.files import as_json
from longctx.report.tests import chunks_sentences, chunks_tables
from longctx.results.row import Row
from longctx.summary.summary import summarize
from longctx.summary.tests import retrievals
from tests.rows import run


def asked(number: int, right: int, retrieved: int, n: int = 60, usd: float = 0.001) -> list[Row]:
    rows = []
    for place, row in enumerate(run(*["correct"] * right, *["wrong"] * (n - right), test="test_it")):
        there = place < retrieved
        trace = {"retrieved": int(there), "missed": int(there and place >= right)}
        rows.append(
            Row.of(
                json.loads(row.to_json())
                | {
                    "params": {"chunks": number},
                    "scenario": f"chunks-{number}",
                    "trace": trace,
                    "cost_usd": usd * number,
                }
            )
        )
    return rows


def test_the_cheapest_that_is_not_significantly_worse() -> None:
    rows = [*asked(1, 30, 36), *asked(4, 52, 56), *asked(16, 54, 60), *asked(64, 50, 60)]
    [sentence] = chunks_sentences(retrievals(rows))
    assert sentence == (
        "4 chunks are the cheapest not significantly worse than the best: 0.87 (0.76 to 0.93) for $4.00 per 1,000 "
        "questions; the best are 16, with 0.90 (0.80 to 0.95). The answer was retrieved for 56 of 60 questions; 4 of "
        "these were missed."
    )
    [table] = chunks_tables("test_it", retrievals(rows))
    assert [row[table.columns.index("answer retrieved")] for row in table.rows] == ["60%", "93%", "100%", "100%"]
    assert [row[table.columns.index("significantly worse than the best")] for row in table.rows] == [
        "yes",
        "-",
        "-",
        "-",
    ]
    [data] = json.loads(as_json(summarize(rows), "run"))["chunks"]
    assert (data["best"], data["cheapest"]) == (16, 4)


def test_one_number_alone_is_no_comparison() -> None:
    assert retrievals(asked(4, 50, 60)) == ()


def test_without_a_right_answer_no_number_is_enough() -> None:
    [sentence] = chunks_sentences(retrievals([*asked(1, 0, 36), *asked(4, 0, 56)]))
    assert (
        sentence
        == "No answer is right with up to 4 chunks, though with 4 the answer was retrieved for 56 of 60 questions."
    )
