"""The issue that is shipped and those of other seeds: the same for ever, well formed, varied, of the right sizes."""

import lzma
import re
import zlib
from collections import Counter
from pathlib import Path

import pytest

from longctx.corpus.documents import load_corpus
from longctx.corpus.federal_register import read_issue
from longctx.corpus.questions import load_questions
from longctx.corpus.tokens import count_tokens
from longctx.vocabulary.occurrence import occurs_verbatim, plain
from tests.here import HERE
from tests.tools.register.examples import OTHERS, issue
from tools.register.prose import genres
from tools.register.ship import ship

SHIPPED = 20  # the seed of fixtures/register
LEFTOVERS = re.compile(r"[{}<>|*]|^[@?^] ?| ,|\.\.\s|\ba [aeio][a-z]{3,} |,,|\( ", re.MULTILINE)
"""Marks of the notation, gaps that an empty choice leaves, and articles that do not go with their word."""


def texts(seed: int) -> list[str]:
    return [chunk.text for chunk in read_issue(issue(seed).xml.encode(), "issue", "notebook")]


def test_the_shipped_files_are_made_from_their_seed_byte_for_byte(tmp_path: Path) -> None:
    written = ship([issue(SHIPPED)], tmp_path / "register", tmp_path / "questions.jsonl")
    shipped = [
        *(HERE.own("register", name) for name in ("register.xml", "corpus.toml")),
        HERE.own("questions", "register.jsonl"),
        HERE.own("register", "sections.toml"),
    ]
    assert [path.read_bytes() for path in written] == [path.read_bytes() for path in shipped]


def test_the_frozen_counts_are_the_counts() -> None:
    corpus = load_corpus(HERE.find("register"))
    assert all(section.tokens == count_tokens(section.text) for section in corpus.sections)


def test_the_shipped_corpus_has_the_sizes_that_collages_need() -> None:
    corpus = load_corpus(HERE.find("register"))
    assert len(corpus.sections) == 86
    assert len(corpus.examples) == 2
    assert corpus.left_out[0].tokens < 200  # what follows the last billing code
    assert len(corpus.left_out) == 1
    assert corpus.tokens > 110_000
    assert sum(section.tokens <= 600 for section in corpus.sections) >= 30


def test_another_seed_gives_another_issue() -> None:
    first, second = ({*re.findall(r"\b[A-Z][a-z]{5,} [A-Z][a-z]{4,}\b", issue(seed).xml)} for seed in OTHERS)
    assert issue(OTHERS[0]).xml != issue(OTHERS[1]).xml
    assert len(first & second) < 0.5 * len(first)


@pytest.mark.parametrize("seed", [SHIPPED, *OTHERS])
def test_prose_is_as_varied_as_a_gazette(seed: int) -> None:
    """Real notices of the Federal Register: 0.26 and 0.19 over their first 400 KB."""
    text = "".join(texts(seed)).encode()[:400_000]
    assert len(text) == 400_000
    assert len(zlib.compress(text, 9)) >= 0.2 * len(text)
    assert len(lzma.compress(text)) >= 0.12 * len(text)


@pytest.mark.parametrize("seed", [SHIPPED, *OTHERS])
def test_every_document_is_a_section_within_the_bounds(seed: int) -> None:
    documents, (*sections, rest) = issue(seed).documents, texts(seed)
    assert len(documents) == len(sections) == 88
    for document, text in zip(documents, sections, strict=True):
        assert document.sheet.agency.department.upper() in text
        assert " ".join(document.sheet.subject.split()) in " ".join(text.split())
    sizes = [count_tokens(text) for text in sections]
    assert min(sizes) > 200
    assert max(sizes) <= 5000
    assert sum(size <= 600 for size in sizes) >= 30
    assert count_tokens(rest) < 200


@pytest.mark.parametrize("seed", [SHIPPED, *OTHERS])
def test_no_notation_is_left_in_the_text(seed: int) -> None:
    for text in texts(seed):
        leftover = LEFTOVERS.search(text)
        assert leftover is None, text[max(0, leftover.start() - 60) : leftover.end() + 40]


def test_there_are_several_documents_of_each_of_many_kinds() -> None:
    kinds = Counter(document.genre.name for document in issue(SHIPPED).documents)
    assert len(kinds) == len(genres()) == 16
    assert min(kinds.values()) >= 5


def test_rules_come_before_proposed_rules_and_notices_and_pages_go_up() -> None:
    kinds = [document.sheet.kind for document in issue(SHIPPED).documents]
    assert kinds == sorted(kinds, key=["RULE", "PRORULE", "NOTICE"].index)
    pages = [int(page) for page in re.findall(r'<PRTPAGE P="(\d+)"/>', issue(SHIPPED).xml)]
    assert pages == sorted(pages)
    assert len(pages) > 88


@pytest.mark.parametrize("seed", [SHIPPED, *OTHERS])
def test_persons_and_towns_have_names_of_their_own(seed: int) -> None:
    """A name that stands for two things would let two sections answer one question."""
    numbers = re.findall(r"\[VR Doc\. ([\d–]+) Filed", issue(seed).xml)
    assert len(set(numbers)) == 88
    mails = Counter(re.findall(r"email (\S+@\S+?)[;.]?(?=[ <])", issue(seed).xml))
    assert not [mail for mail, count in mails.items() if count > 2]


def test_five_questions_for_each_section_four_of_them_not_numerical() -> None:
    corpus = load_corpus(HERE.find("register"))
    questions = load_questions(HERE.find("questions", "register.jsonl"), corpus).questions
    assert len(questions) == 430
    numerical = Counter((question.section, question.numerical) for question in questions)
    for section in corpus.sections:
        assert numerical[section.id, False] == 4
        assert numerical[section.id, True] == 1
    assert len({question.fact for question in questions}) > 80


def test_wrong_answers_come_from_sibling_sections() -> None:
    corpus = load_corpus(HERE.find("register"))
    texts = [plain(section.text) for section in (*corpus.sections, *corpus.examples)]
    others = {
        question.fact
        for question in load_questions(HERE.find("questions", "register.jsonl")).questions
        for answer in question.wrong
        if not any(occurs_verbatim(answer, text) for text in texts)
    }
    assert others == {
        "corrections.new",  # the question gives away the topic, so wrong answers are made for it
        "duties.high",  # the rates of siblings stand in tables, which say “percent” in their heads
    }
