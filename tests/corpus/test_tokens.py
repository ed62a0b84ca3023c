"""The reference vocabulary counts as the notebook's tokenizer did."""

from pathlib import Path

import pytest

from longctx.corpus import documents
from longctx.corpus.documents import reference_tokens
from tests.given import words_of
from tests.protocols import LineRetrieval
from tests.refusals import refused


@pytest.mark.parametrize(("text", "expected"), [("", 0), ("hello world!", 3), ("\ufb01", 1)])
def test_counts(text: str, expected: int) -> None:
    """`hello world!` is the example of @anthropic-ai/tokenizer; it folds ligatures (NFKC) before counting."""
    assert reference_tokens(text) == expected


def test_a_line_retrieval_file_has_as_many_tokens_as_its_page_says() -> None:
    words = words_of(LineRetrieval)
    assert reference_tokens(LineRetrieval(6500).build(words, 0, 0).user) == pytest.approx(96_661, abs=30)


def test_special_tokens_in_documents_are_ordinary_text() -> None:
    assert reference_tokens("<EOT>") > 1


def test_a_missing_vocabulary_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(documents, "packaged", lambda: tmp_path)
    documents._encoding.cache_clear()
    try:
        with refused("vocabulary-unreadable", "claude-2.json"):
            reference_tokens("text")
    finally:
        documents._encoding.cache_clear()
