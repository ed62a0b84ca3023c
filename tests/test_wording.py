"""The only tests of the wording of errors. `python -m tests.test_wording` writes the present sentences to the file."""

from __future__ import annotations

import re
from pathlib import Path

from tools.site.reference.errors import mistakes

KEPT = Path(__file__).with_name("wording.txt")
SAID = {(mistake.code, mistake.sentence) for mistake in mistakes()}


def shown() -> list[str]:
    """Return a line for each sentence: its code, a colon and the sentence."""
    return [f"{code}: {' / '.join(sentence.splitlines())}" for code, sentence in sorted(SAID)]


def test_sentences_are_those_that_were_agreed_on() -> None:
    assert shown() == KEPT.read_text(encoding="utf-8").splitlines()


def test_codes_are_names_in_kebab_case() -> None:
    assert [code for code, _ in SAID if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)] == []


def test_sentences_begin_and_end_as_sentences_do() -> None:
    """A placeholder may begin or end a sentence, and an option begins with its dashes."""
    assert [said for _, said in SAID if not re.fullmatch(r"([A-Z{]|--).*[.?}]", said, re.DOTALL)] == []


if __name__ == "__main__":
    KEPT.write_text("".join(f"{line}\n" for line in shown()), encoding="utf-8")
