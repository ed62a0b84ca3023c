"""An example of what the analysis of questions returns."""

from __future__ import annotations

from longctx.authoring.items import Quality, quality
from longctx.results.row import Row
from tests.rows import control

FACTS = {"q1": "price", "q2": "price", "q3": "", "q4": "place"}
ANSWERS = {
    "q1": {"right": "+", "wrong": "-", "none": "-"},
    "q2": {"right": "-", "wrong": "+", "none": "-"},
    "q3": {"right": "+", "wrong": "+", "none": "+"},
    "q4": {"right": "-", "wrong": "-", "none": "-"},
}
KINDS = {"+": "correct", "-": "wrong", "?": "infra_error", "u": "unparseable"}


def rows(answers: dict[str, dict[str, str]]) -> list[Row]:
    """Return the rows of the controls. q1 and q2 ask about section s1, all other questions about s2.

    answers: by question and record, one sign of KINDS for each repeat.
    """
    return [
        control(record, name, KINDS[sign], repeat=repeat, cluster="s1" if name in ("q1", "q2") else "s2")
        for name, by_record in answers.items()
        for record, signs in by_record.items()
        for repeat, sign in reversed(list(enumerate(signs)))
    ]


def found(answers: dict[str, dict[str, str]] | None = None) -> Quality:
    return quality(rows(answers or ANSWERS), FACTS)
