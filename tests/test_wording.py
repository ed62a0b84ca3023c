"""The only tests of the wording of errors. `python -m tests.test_wording` writes the present sentences to the file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.site.reference.errors import mistakes

KEPT = Path(__file__).with_name("wording.txt")


@pytest.fixture(scope="module")
def sentences() -> list[tuple[str, str]]:
    """Return the code and the sentence of each mistake."""
    return all_sentences()


def all_sentences() -> list[tuple[str, str]]:
    return sorted({(mistake.code, mistake.sentence) for mistake in mistakes()})


def as_lines(sentences: list[tuple[str, str]]) -> list[str]:
    """Return a line for each sentence: its code, a colon and the sentence."""
    return [f"{code}: {' / '.join(sentence.splitlines())}" for code, sentence in sentences]


def test_sentences_are_those_that_were_agreed_on(sentences: list[tuple[str, str]]) -> None:
    assert as_lines(sentences) == KEPT.read_text(encoding="utf-8").splitlines()


def test_codes_are_names_in_kebab_case(sentences: list[tuple[str, str]]) -> None:
    assert [code for code, _ in sentences if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)] == []


def test_sentences_begin_and_end_as_sentences_do(sentences: list[tuple[str, str]]) -> None:
    """A placeholder may begin or end a sentence, and an option begins with its dashes."""
    assert [text for _, text in sentences if not re.fullmatch(r"([A-Z{]|--).*[.?}]", text, re.DOTALL)] == []


if __name__ == "__main__":
    KEPT.write_text("".join(f"{line}\n" for line in as_lines(all_sentences())), encoding="utf-8")
