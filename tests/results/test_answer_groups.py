"""The recorded answers that a cell's rows rest on."""

from __future__ import annotations

from longctx.results.answer_groups import with_answers
from longctx.results.row import Row
from tests.cli.runs import rows
from tests.rows import joined


def answers(*parts: list[Row]) -> list[str | None]:
    return [row.answers for row in with_answers(joined(*parts))]


def test_the_same_answers_have_one_digest_in_any_order() -> None:
    first = rows("correct", "wrong")
    assert set(answers(first)) == set(answers(first[::-1]))
    assert len(set(answers(first))) == 1


def test_another_answer_or_another_number_of_them_has_another() -> None:
    first = answers(rows("correct", "wrong"))[0]
    changed = (
        rows("correct", "wrong", prompt_sha256="cd"),
        rows("correct", "wrong", recorded_at="2026-11-22T00:00:00+00:00"),
        rows("correct", "wrong", latency_s=0.25),
        rows("correct"),
    )
    assert len({first, *(answers(row)[0] for row in changed)}) == 5


def test_cells_and_subjects_have_their_own_and_judging_does_not_matter() -> None:
    digests = answers(rows("correct"), rows("correct", cell="lines-9"), rows("correct", prompt_set="mine"))
    assert len(set(digests)) == 1  # of one trial each, with the same answer
    assert len(set(answers(rows("correct"), rows("correct", cell="lines-9", prompt_sha256="cd")))) == 2
    assert answers(rows("wrong"))[0] == answers(rows("correct"))[0]


def test_what_was_not_answered_has_none() -> None:
    assert answers(rows("correct", "wrong"), rows("not_asked", repeat=1, prompt_sha256=None))[-1] is None


def test_answers_of_a_batch_tell_no_latency_and_are_put_in_an_order() -> None:
    mixed = [*rows("correct", latency_s=None), *rows("correct", latency_s=0.25)]
    assert answers(mixed) == answers(mixed[::-1])
    assert answers(mixed)[0] != answers(rows("correct", "correct", latency_s=0.25))[0]
