"""The recorded answers that a scenario's rows rest on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pandas as pd

from longctx.results.answers import with_answers
from longctx.results.store import as_frame
from tests.cli.runs import rows


def answers(*parts: list[Any]) -> pd.Series[Any]:
    return with_answers(as_frame([asdict(row) for part in parts for row in part]))["answers"]


def test_the_same_answers_have_one_digest_in_any_order() -> None:
    first = rows("correct", "wrong")
    assert set(answers(first)) == set(answers(first[::-1]))
    assert answers(first).nunique() == 1


def test_another_answer_or_another_number_of_them_has_another() -> None:
    first = answers(rows("correct", "wrong"))[0]
    changed = (
        rows("correct", "wrong", prompt_sha256="cd"),
        rows("correct", "wrong", recorded_at="2026-11-22T00:00:00+00:00"),
        rows("correct", "wrong", latency_s=0.25),
        rows("correct"),
    )
    assert len({first, *(answers(one)[0] for one in changed)}) == 5


def test_scenarios_and_subjects_have_their_own_and_judging_does_not_matter() -> None:
    found = answers(rows("correct"), rows("correct", scenario="lines-9"), rows("correct", prompt_set="mine"))
    assert found.nunique() == 1  # of one trial each, with the same answer
    assert answers(rows("correct"), rows("correct", scenario="lines-9", prompt_sha256="cd")).nunique() == 2
    assert answers(rows("wrong"))[0] == answers(rows("correct"))[0]


def test_what_was_not_answered_has_none() -> None:
    assert answers(rows("correct", "wrong"), rows("not_asked", repeat=1, prompt_sha256=None)).tolist()[-1] is None
