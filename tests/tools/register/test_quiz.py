"""Questions of any seed pass the checker that the shipped ones pass."""

from hashlib import sha256
from pathlib import Path

import pytest

from longctx.authoring.check import check
from longctx.corpus.documents import load_corpus
from longctx.corpus.questions import load_questions
from longctx.corpus.settings import read_settings
from tests.refusals import refused
from tests.tools.register.examples import OTHERS, issue
from tools.register.issue import generate
from tools.register.ship import ship

GOLDEN = {
    1: (
        "6b33c7e7f6233e64d9ff292cc486da2a3fba1d57c12f3f950b535f21f15e68ca",
        "c9eff3b1cc50638567d2122b44da00231d34344d6ab5b4e4f9da92118cc22ae0",
    ),
    7: (
        "fc3aec6361bfb3a986880455b3d276e3ca363e82b3d8b151856618ae699667d3",
        "0d6c7092ebf65490fc486a720aff75e97d6154042fbf7edfc05b0e54d64ee091",
    ),
}
"""SHA-256 of the issue and of its questions. A seed gives them for as long as the generator's VERSION is the same."""


@pytest.mark.parametrize("seed", OTHERS)
def test_another_seed_gives_the_same_bytes_for_ever_and_questions_without_faults(seed: int, tmp_path: Path) -> None:
    written = ship([issue(seed)], tmp_path, tmp_path / "questions.jsonl")
    digests = {path.name: sha256(path.read_bytes()).hexdigest() for path in written}
    assert (digests["register.xml"], digests["questions.jsonl"]) == GOLDEN[seed]
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
    assert read_settings(tmp_path).rounds, "sections first, as gates want"


def test_a_seed_that_gives_too_few_questions_is_a_sentence(tmp_path: Path) -> None:
    with refused("too-few-facts", "fees, document 1"):
        ship([generate(17)], tmp_path, tmp_path / "questions.jsonl")
