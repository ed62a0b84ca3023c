"""The documents of prompts that changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.engine.changed_documents import MOST_DOCUMENTS, changes_of_documents
from longctx.engine.finish import LONGEST_DOCUMENT, document_texts
from longctx.report.verdict_blocks import TextChange
from longctx.results.sent_texts import KnownTexts, SentTexts
from longctx.vocabulary.bank import Bank, Section
from longctx.vocabulary.both import Both
from tests.report.sample import MANIFEST


def changes(before: dict[str, str], after: dict[str, str], kept: bool = True) -> list[TextChange]:
    banks = Both(before, after).map(
        lambda texts: Bank({name: Section(name, text, 1) for name, text in texts.items()}, (), "", frozenset())
    )
    manifests = banks.map(lambda bank: replace(MANIFEST, documents={"own": bank.digests}))
    known = banks.map(lambda bank: KnownTexts(SentTexts(document_texts({"own": bank} if kept else {})).kept))
    return [*changes_of_documents(known, manifests)]


def test_a_changed_document_is_shown() -> None:
    [change] = changes({"a": "one\ntwo", "b": "x"}, {"a": "one\nthree", "c": "y"})
    assert (change.name, change.lines) == ("document a of own", (" one", "-two", "+three"))


def test_of_many_the_first_are_shown() -> None:
    texts = {f"d{number}": f"text {number}" for number in range(9)}
    found = changes(texts, {name: f"{text}!" for name, text in texts.items()})
    assert len(found) == MOST_DOCUMENTS
    assert found[0].name == "document d0 of own, 1 of 9 that changed"


@pytest.mark.parametrize("end", ["!", "\n" * 9])
def test_the_end_of_a_long_one_is_folded(end: str) -> None:
    text = "x\n" * LONGEST_DOCUMENT
    [change] = changes({"a": text}, {"a": text + end})
    assert [line[:4] for line in change.lines if line[0] in "-+"] == ["-… 4", "+… 4"]


def test_documents_of_which_no_text_is_kept_have_none() -> None:
    assert changes({"a": "one"}, {"a": "two"}, kept=False) == []
