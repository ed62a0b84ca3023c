"""The bank for gates, `register-gate`: frozen, made from its seeds, its questions without faults."""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest

from longctx.authoring.check import CHANCE, at_least, check
from longctx.corpus.bank import load_bank
from longctx.corpus.documents import Corpus, load_corpus
from longctx.corpus.federal_register import read_issue
from longctx.corpus.questions import BankQuestion, load_questions
from longctx.corpus.settings import bank_files
from longctx.corpus.tokens import count_tokens
from longctx.vocabulary.occurrence import content, core
from tests.here import HERE
from tools.register.issue import generate
from tools.register.quiz import few, questions

SEED = 25  # of one of its issues
DIGESTS = {
    "register": "fbfefd9788660fd01ebe68cb0f095055a0e6cfec32b984f11e16ba540de8292b",
    "register-gate": "5da5639565dd27f3e05a7b778172435c08181a887d70b315a2edd8594e146252",
}

BANKS = "register-gate", "register-meaning"
"""Banks about the same documents."""


@cache
def corpus() -> Corpus:
    return load_corpus(bank_files(HERE, "register-gate")[0])


@cache
def asked(name: str = "register-gate") -> tuple[BankQuestion, ...]:
    return load_questions(bank_files(HERE, name)[1], corpus()).questions


@pytest.mark.parametrize("name", DIGESTS)
def test_what_is_recorded_of_a_bank_stays_valid(name: str) -> None:
    assert load_bank(HERE, None, None, "nobody", name).digest == DIGESTS[name]


def test_there_are_two_questions_about_each_of_many_sections() -> None:
    assert (len(corpus().sections), corpus().tokens, len(corpus().examples)) == (602, 806_574, 14)
    assert Counter(question.section for question in asked()) == {section.id: 2 for section in corpus().sections}
    assert len({question.fact.split(".")[0] for question in asked()}) == 16


def test_every_section_is_asked_about_before_any_is_asked_about_again() -> None:
    bank = load_bank(HERE, None, None, "nobody", "register-gate")
    order = bank.order(5000)
    assert sorted(order) == list(range(1204))
    assert len({bank.items[index].section for index in order[:602]}) == 602
    short = [bank.items[index].section for index in bank.order(600)]
    assert len(set(short)) == len(short) // 2 == len(set(short[: len(short) // 2]))


def test_an_issue_and_its_questions_are_made_from_their_seed() -> None:
    issue, name = generate(SEED), f"register-{SEED}"
    assert HERE.find("register-gate", f"{name}.xml").read_text(encoding="utf-8") == issue.xml
    chunks = read_issue(issue.xml.encode(), name, "notebook")[: len(issue.documents)]
    made = questions(issue, [(f"{name}-{chunk.number:03d}", chunk.text) for chunk in chunks], among_issues=True)
    here = [question for question in asked() if question.section.startswith(name)]
    assert len(here) == 172
    assert {question.id: question for question in here}.items() <= {question.id: question for question in made}.items()


def test_the_frozen_counts_are_the_counts() -> None:
    sections = [section for section in corpus().sections if section.id.startswith(f"register-{SEED}")]
    assert len(sections) == 86
    assert all(section.tokens == count_tokens(section.text) for section in sections)


def test_the_checker_finds_no_fault() -> None:
    """No two questions are alike, and none could be about the document of another issue."""
    assert check(corpus(), asked()) == []


def amount(answer: str) -> float:
    number = re.search(r"\d[\d,.]*\d|\d", answer)
    return float(number[0].replace(",", "")) if number else 0.0


BLIND: dict[str, Callable[[BankQuestion, str], float]] = {
    "the longest": lambda question, answer: len(answer),
    "the shortest": lambda question, answer: -len(answer),
    "the one with most words of the question": lambda question, answer: len(
        content(answer) & content(question.question)
    ),
    "the largest number": lambda question, answer: amount(answer),
    "the smallest number": lambda question, answer: -amount(answer),
}


def blind_hits(bank: str, score: Callable[[BankQuestion, str], float]) -> float:
    """Return how many questions the answer with the best score gets right; tied answers share the question."""
    hits = 0.0
    for question in asked(bank):
        scores = [score(question, answer) for answer in question.answers]
        hits += (scores[0] == max(scores)) / scores.count(max(scores))
    return hits


@pytest.mark.parametrize("bank", BANKS)
@pytest.mark.parametrize("way", BLIND)
def test_no_blind_way_to_choose_an_answer_is_better_than_chance(way: str, bank: str) -> None:
    assert at_least(round(blind_hits(bank, BLIND[way])), len(asked(bank)), 0.25) > CHANCE


@pytest.mark.parametrize("bank", BANKS)
def test_to_know_the_other_answers_does_not_help(bank: str) -> None:
    """An answer that is right for one document is as often a wrong answer about its siblings."""
    right = Counter(core(question.right) for question in asked(bank))
    wrong = Counter(core(answer) for question in asked(bank) for answer in question.wrong)

    def often_right(question: BankQuestion, answer: str) -> float:
        return right[core(answer)] - (answer == question.right)

    def seldom_wrong(question: BankQuestion, answer: str) -> float:
        return (answer != question.right) - wrong[core(answer)]

    for score in (often_right, seldom_wrong):
        assert at_least(round(blind_hits(bank, score)), len(asked(bank)), 0.25) > CHANCE


def test_a_few_of_the_questions_are_drawn_the_same_for_ever() -> None:
    sections = ["a"] * 5 + ["b"] * 2 + ["c"]
    many = [asked()[n].model_copy(update={"id": f"q{n}", "section": section}) for n, section in enumerate(sections)]
    chosen = [question.id for question in few(many, 2)]
    assert chosen == [question.id for question in few(many, 2)]
    assert len([name for name in chosen if name in ("q0", "q1", "q2", "q3", "q4")]) == 2
    assert chosen[2:] == ["q5", "q6", "q7"]
