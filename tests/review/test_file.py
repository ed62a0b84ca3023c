"""A question file under review, on disk: whole at any time, and never written over somebody else's work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longctx.corpus.documents import Corpus
from longctx.corpus.questions import load_questions
from longctx.review.file import QuestionFile
from tests.corpus.examples import corpus
from tests.refusals import refused
from tests.review.examples import ANN, BEN, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path)


def opened(path: Path, documents: Corpus | None = None) -> QuestionFile:
    return QuestionFile(path, documents or corpus())


def test_decisions_are_read_again(path: Path) -> None:
    file = opened(path)
    after = file.read().keep("q1", ANN).drop("q2", BEN)
    file.write(after)
    assert opened(path).read() == after
    assert [question.id for question in load_questions(path).questions] == ["q1", "q3"]


def test_what_is_dropped_says_why_by_whom_and_when(path: Path) -> None:
    file = opened(path)
    file.write(file.read().drop("q2", BEN))
    [line] = file.dropped.read_text().splitlines()
    assert file.dropped.name == "questions.dropped.jsonl"
    dropped = json.loads(line)
    assert {name: dropped[name] for name in ("section", "reason", "by", "on")} == {
        "section": "harbor",
        "reason": "reviewer",
        "by": "Ben",
        "on": "2026-11-22",
    }
    assert dropped["question"]["right"] == "Ellery Dredging"


def test_what_is_taken_back_leaves_the_file_as_it_was(path: Path) -> None:
    before = path.read_bytes()
    file = opened(path)
    file.write(file.read().drop("q2", ANN).drop("q1", ANN))
    again = opened(path)
    again.write(again.read().undo("q1").undo("q2"))
    assert path.read_bytes() == before
    assert not file.dropped.exists()


def test_a_changed_file_is_not_written_over(path: Path) -> None:
    file, other = opened(path), opened(path)
    session = file.read()
    other.write(other.read().keep("q3", BEN))
    kept = path.read_bytes()
    with refused("questions-changed-meanwhile", "/questions.jsonl"):
        file.write(session.drop("q1", ANN))
    assert path.read_bytes() == kept
    assert not file.dropped.exists()
    file.write(file.read().drop("q1", ANN))
    assert opened(path).read().entry("q3").decided == BEN


def test_a_changed_file_of_dropped_questions_is_not_written_over(path: Path) -> None:
    file = opened(path)
    session = file.read()
    file.dropped.write_text("{}\n")
    with refused("questions-changed-meanwhile", "/questions.dropped.jsonl"):
        file.write(session.drop("q1", ANN))


def test_what_others_dropped_stays(path: Path) -> None:
    file = opened(path)
    lines = ['{"section": "harbor", "reason": "no right answer", "text": "x"}', "[1]"]
    file.dropped.write_text("".join(f"{line}\n" for line in lines))
    file.write(file.read().drop("q1", ANN))
    file.write(file.read().undo("q1"))
    assert file.dropped.read_text().splitlines() == lines


def test_a_question_that_a_crash_left_in_both_files_is_in_the_file(path: Path) -> None:
    before = path.read_bytes()
    file = opened(path)
    file.write(file.read().drop("q2", ANN))
    path.write_bytes(before)
    again = opened(path)
    assert again.read().counts["dropped"] == 0
    again.write(again.read().keep("q2", BEN))
    assert not again.dropped.exists()


def test_what_was_dropped_of_another_section_stays(path: Path) -> None:
    file = opened(path)
    file.write(file.read().drop("q3", ANN))
    harbor = Corpus("one", "words", corpus().sections[:1])
    alone = opened(path, harbor)
    assert [entry.question.id for entry in alone.read().entries] == ["q1", "q2"]
    alone.write(alone.read().keep("q1", ANN))
    assert opened(path).read().entry("q3").state == "dropped"


@pytest.mark.parametrize(
    ("line", "code", "name"),
    [
        ("{", "line-not-json", "dropped.jsonl, line 1"),
        ('{"reason": "reviewer", "section": "harbor"}', "bad-dropped-line", "line 1: question: "),
    ],
)
def test_a_broken_line_of_what_was_dropped_is_a_sentence(path: Path, line: str, code: str, name: str) -> None:
    file = opened(path)
    file.dropped.write_text(f"{line}\n")
    with refused(code, name):
        file.read()


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    file = opened(link)
    file.write(file.read().keep("q1", ANN))
    assert link.is_symlink()
    assert opened(path).read().entry("q1").state == "kept"


def test_hostile_words_are_read_again(path: Path) -> None:
    words = {
        "question": "</script><b>\x1b[31m\u202e\u0000?",
        "right": "x" * 100_000,
        "wrong": ["日本", "a\u2028\x85b", "{{7}}"],
    }
    file = opened(path)
    session = file.read().edit("q1", words, ANN)
    file.write(session)
    assert opened(path).read() == session
