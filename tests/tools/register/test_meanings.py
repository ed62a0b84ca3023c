"""The bank `register-meaning`: matching words does not answer it; who knows what a paraphrase stands for does."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from longctx.authoring.check import check
from longctx.corpus.bank import load_bank
from longctx.corpus.documents import load_corpus
from longctx.corpus.questions import BankQuestion, load_questions
from longctx.corpus.settings import bank_files, read_settings
from longctx.families.long_context_qa.collage import Collage
from longctx.vocabulary.occurrence import content
from tests.here import HERE
from tools.register.meanings import meanings
from tools.register.prose import TEXTS

NAME = "register-meaning"
DIGEST = "a348ac774b3fe01722c72b47e949c90bb687ca92cb210be0011d7b1b6bce8dd5"


@cache
def asked() -> tuple[BankQuestion, ...]:
    return load_questions(bank_files(HERE, NAME)[1]).questions


@cache
def texts() -> Mapping[str, str]:
    """Return the text of each section, read plainly."""
    return {each.id: flat(each.text) for each in load_corpus(HERE.find("register-gate")).sections}


def flat(text: str) -> str:
    return " ".join(text.replace("’", "'").split()).lower()


@cache
def originals() -> Mapping[str, Mapping[str, str]]:
    """Return, by kind, what the register says where a paraphrase says something else; read without the generator."""
    found: dict[str, dict[str, str]] = {}
    for kind, table in tomllib.loads((TEXTS / "meanings.toml").read_text(encoding="utf-8")).items():
        [file] = TEXTS.glob(f"*/{kind}.toml")
        lists: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))["lists"]
        pairs = [
            (means.lower(), flat(item if isinstance(item, str) else item[name]))
            for name, fact in table.items()
            if isinstance(fact, dict)
            for means, item in zip(fact["means"], lists[fact["list"]], strict=True)
        ]
        found[kind] = dict(pairs)
        assert len(found[kind]) == len(pairs), "a paraphrase stands for one item"
    return found


@cache
def holding(item: str) -> frozenset[str]:
    return frozenset(name for name, text in texts().items() if item in text)


def test_the_bank_is_frozen_and_has_many_sections() -> None:
    assert load_bank(HERE, None, None, "nobody", NAME).digest == DIGEST
    assert (len(asked()), len({question.section for question in asked()})) == (428, 428)


def test_an_independent_reading_finds_the_section_and_the_answer() -> None:
    """Read each question as text, and look its clues up in the sections: one has both, with the right answer alone."""
    for question in asked():
        said = originals()[question.fact.partition(".")[0]]
        clues = re.findall(r": ([^:.]+)\.", question.question)
        assert len(clues) == 2, question.id
        first, second = (holding(said[clue.lower()]) for clue in clues)
        assert first & second == {question.section}, question.id
        assert question.section in holding(said[question.right.lower()]), question.id
        assert not any(question.section in holding(said[wrong.lower()]) for wrong in question.wrong), question.id


def test_matching_words_does_no_better_than_guessing() -> None:
    bank = load_bank(HERE, None, None, "nobody", NAME)
    collage = Collage(30_000, 5000, 50, "none", bank=lambda: bank)
    answered = [collage.lexically_right(index) for index in collage.indices(200)]
    assert 0.18 < sum(answered) / len(answered) < 0.32


def test_the_checker_finds_no_fault_and_no_near_duplicate() -> None:
    assert not read_settings(HERE.find(NAME)).literal
    assert check(load_corpus(HERE.find(NAME)), asked(), literal=False) == []


@pytest.mark.parametrize("kind", sorted(meanings()))
def test_a_paraphrase_shares_few_words_with_what_it_is_for(kind: str) -> None:
    for meaning in meanings()[kind]:
        for item, means in zip(meaning.items, meaning.means, strict=True):
            assert len(content(item) & content(means)) <= 1, (item, means)
