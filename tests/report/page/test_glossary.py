"""The page explains its words as the glossary does."""

import re

from longctx.report.page.glossary import OF_A_GATE, OF_A_RUN, words
from tests.here import HERE

GLOSSARY = (HERE.root / "docs/glossary.md").read_text(encoding="utf-8")


def test_the_glossary_has_the_sections() -> None:
    assert {*OF_A_RUN, OF_A_GATE} <= set(re.findall(r"^## (.+)$", GLOSSARY, flags=re.MULTILINE))


def test_every_word_of_its_sections_is_told_without_marks() -> None:
    meanings = dict(words(gated=True))
    assert set(meanings) == set(re.findall(r"^- \*\*(.+?)\*\*:", GLOSSARY, flags=re.MULTILINE))
    assert meanings["Depth"] == "The position of the needle, as a share of the text: 0 is the start, 1 the end."
    assert not any(mark in meaning for meaning in meanings.values() for mark in ("](", "`", "**"))


def test_a_run_without_a_verdict_has_no_terms_of_the_gate() -> None:
    assert set(words(gated=True)) - set(words(gated=False))
    assert "Verdict" in dict(words(gated=True))
    assert "Verdict" not in dict(words(gated=False))
