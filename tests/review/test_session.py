"""The decisions on questions: each can be undone, and an edit is held to what a question must be."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.corpus.questions import QuestionSet, Reviewed
from longctx.review.session import Entry, Session, Who
from tests.refusals import refused
from tests.review.examples import ANN, BEN, DAY, questions

WORDS: dict[str, Any] = {"question": "Who works there?", "right": "Ellery", "wrong": ["a", "b", "c"]}


def session() -> Session:
    return Session(tuple(map(Entry, questions())))


def digest(session: Session) -> str:
    return QuestionSet("q", session.questions).digest


def test_nothing_is_decided_at_first() -> None:
    assert session().counts == {"undecided": 3, "kept": 0, "edited": 0, "dropped": 0}
    assert session().entry("q1").decided is None


def test_a_kept_question_says_who_kept_it_and_is_the_same() -> None:
    kept = session().keep("q2", ANN)
    assert kept.entry("q2").state == "kept"
    assert kept.entry("q2").decided == ANN
    assert kept.entry("q2").question.reviewed == Reviewed(decision="kept", by="Ann", on=DAY)
    assert digest(kept) == digest(session())


def test_an_edited_question_is_another() -> None:
    edited = session().edit("q2", WORDS, ANN)
    after = edited.entry("q2")
    assert (after.state, after.question.answers) == ("edited", ("Ellery", "a", "b", "c"))
    assert after.question.section == "harbor"
    assert digest(edited) != digest(session())
    assert edited.keep("q2", BEN).entry("q2").state == "edited"
    assert edited.keep("q2", BEN).entry("q2").decided == BEN


def test_an_edit_without_a_change_keeps() -> None:
    before = questions()[0]
    words = {"question": before.question, "right": before.right, "wrong": list(before.wrong)}
    assert session().edit("q1", words, ANN) == session().keep("q1", ANN)


def test_a_dropped_question_comes_back_as_it_was() -> None:
    edited = session().edit("q2", WORDS, ANN)
    dropped = edited.drop("q2", BEN)
    assert [question.id for question in dropped.questions] == ["q1", "q3"]
    assert (dropped.entry("q2").state, dropped.entry("q2").decided) == ("dropped", BEN)
    assert dropped.undo("q2") == edited
    assert edited.undo("q2").entry("q2").state == "undecided"
    assert session().drop("q1", ANN).keep("q1", ANN) == session().keep("q1", ANN)


def test_the_last_question_stays() -> None:
    two_dropped = session().drop("q1", ANN).drop("q2", ANN)
    with refused("last-question"):
        two_dropped.drop("q3", ANN)


@pytest.mark.parametrize(
    ("changed", "code", "name"),
    [
        ({"right": " "}, "bad-question", "right: "),
        ({"question": "two\nlines"}, "bad-question", "question: "),
        ({"wrong": ["a", "b"]}, "bad-question", "wrong: "),
        ({"wrong": None}, "bad-question", "wrong: "),
        ({"wrong": ["a", "b", "Ellery "]}, "duplicate-answers", ""),
    ],
)
def test_an_edit_that_is_no_question_is_a_sentence(changed: dict[str, object], code: str, name: str) -> None:
    with refused(code, name):
        session().edit("q1", WORDS | changed, ANN)


def test_an_unknown_question_is_a_sentence() -> None:
    with refused("question-gone", "q9"):
        session().keep("q9", ANN)


DECISIONS = st.tuples(st.sampled_from(["keep", "drop", "undo"]), st.sampled_from(["q1", "q2", "q3"]))


@given(st.lists(DECISIONS, max_size=12))
def test_no_question_is_ever_lost(decisions: list[tuple[str, str]]) -> None:
    now = session()
    for decision, name in decisions:
        if decision == "undo":
            now = now.undo(name)
        elif decision == "keep" or len(now.questions) > 1:
            now = getattr(now, decision)(name, Who("Cy", datetime.date(2026, 1, 1)))
    assert [entry.question.question for entry in now.entries] == [question.question for question in questions()]
    for name in ("q1", "q2", "q3"):
        now = now.undo(name).undo(name)
    assert now == session()
