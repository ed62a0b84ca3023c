"""Questions of any seed pass the checker that the shipped ones pass."""

from pathlib import Path

import pytest

from longctx.authoring.check import check
from longctx.authoring.ship import ship
from longctx.corpus.documents import load_corpus
from longctx.corpus.questions import load_questions
from longctx.corpus.register.issue import generate
from longctx.errors import UserError
from tests.corpus.register.test_issue import OTHERS, issue


@pytest.mark.parametrize("seed", OTHERS)
def test_questions_of_another_seed_have_no_faults(seed: int, tmp_path: Path) -> None:
    ship([issue(seed)], tmp_path, tmp_path / "questions.jsonl")
    corpus = load_corpus(tmp_path)
    questions = load_questions(tmp_path / "questions.jsonl", corpus).questions
    assert len(questions) == 430
    assert check(corpus, questions) == []


def test_questions_of_several_issues_name_a_document_of_one(tmp_path: Path) -> None:
    """The same form, or the same file of records, is in the register of several years."""
    ship([issue(seed) for seed in OTHERS], tmp_path, tmp_path / "questions.jsonl", each=1)
    corpus = load_corpus(tmp_path)
    questions = load_questions(tmp_path / "questions.jsonl", corpus).questions
    assert {section.id.rpartition("-")[0] for section in corpus.sections} == {"register-1", "register-7"}
    assert len(questions) == len({question.section for question in questions}) == 172
    assert "seeds 1, 7" in (tmp_path / "corpus.toml").read_text()


def test_a_seed_that_gives_too_few_questions_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"too few facts .* \(fees, document 1\): give another seed\."):
        ship([generate(17)], tmp_path, tmp_path / "questions.jsonl")
