"""A liking for a letter is measured, and a finding where it is shown."""

from __future__ import annotations

import pytest

from longctx.summary.summary import summarize
from longctx.views.chart import (
    letter_bias,
    letter_biases,
    letter_entries,
    letter_shares,
    letter_table,
)
from tests.rows import row

ANSWERED = [("A", "D"), ("B", "D"), ("C", "D"), ("D", "D"), ("A", "A"), ("B", None)]
ROWS = [
    row("wrong" if chosen else "unparseable", expected=right, returned=chosen or "4", trial=trial)
    for trial, (right, chosen) in enumerate(ANSWERED)
]
SHARES = {share.letter: share for share in letter_shares(ROWS)}


def test_how_often_each_letter_is_right_and_chosen() -> None:
    assert [(share.right.correct, share.chosen.correct, share.right.n) for share in SHARES.values()] == [
        (2, 1, 5),
        (1, 0, 5),
        (1, 0, 5),
        (1, 4, 5),
    ]
    assert str(SHARES["A"].found).startswith("0.50")
    assert letter_bias(list(SHARES.values())) == pytest.approx(0.6)


def test_what_is_reported_of_a_letter_that_is_liked() -> None:
    assert list(letter_biases("in 3,000 tokens", SHARES.values())) == [
        "D is chosen in 4 of 5 answers and right in 1, in 3,000 tokens: the bias inflates the accuracy"
    ]
    table = letter_table("m", list(SHARES.values()))
    assert table.title == "Letters, m: bias 0.60"
    assert list(table.frame["chosen"]) == ["1 of 5", "0 of 5", "0 of 5", "4 of 5"]
    assert letter_entries([SHARES["D"]]) == {"D": {"right": 1, "chosen": 4, "found": 1, "of": 5}}


def test_a_liking_for_a_letter_with_the_right_section_alone_is_a_finding_of_the_controls() -> None:
    asked = [
        row(
            "correct" if right == "D" else "wrong",
            test="control",
            cell=f"longest-600-record-{record}",
            params={"longest": 600, "record": record},
            model="m",
            trial=trial,
            expected=right,
            returned="D",
        )
        for record in ("right", "none")
        for trial, right in enumerate("ABCD" * 3)
    ]
    summary = summarize(asked)
    test = summary.tests["control"]
    findings = test.reporting.findings(summary.of("control"), test.analysis)
    said = [sentence for _, sentence in findings if "D is chosen" in sentence]
    assert said == [
        "Controls of the questions, m, prompts protocol: D is chosen in 12 of 12 answers and right in 3, with the "
        "right section alone: the bias inflates the accuracy."
    ]
