"""Questions of any seed pass the checker that the shipped ones pass."""

from pathlib import Path

import pytest

from longctx.corpus.check import check
from longctx.corpus.documents import load_corpus
from longctx.corpus.questions import load_questions
from longctx.corpus.register.ship import ship
from tests.corpus.register.test_issue import OTHERS, issue


@pytest.mark.parametrize("seed", OTHERS)
def test_questions_of_another_seed_have_no_faults(seed: int, tmp_path: Path) -> None:
    ship(issue(seed), tmp_path, tmp_path / "questions.jsonl")
    corpus = load_corpus(tmp_path)
    questions = load_questions(tmp_path / "questions.jsonl", corpus).questions
    assert len(questions) == 430
    assert check(corpus, questions) == []
