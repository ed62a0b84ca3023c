"""The cases of test functions and the documents that changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from longctx.engine.changed_by_name import MOST_SHOWN, case_changes, changes_of_documents
from longctx.engine.finish import LONGEST_DOCUMENT, document_texts
from longctx.gate.verdict import give_verdict
from longctx.report.verdict_blocks import TextChange
from longctx.results.row import Row
from longctx.results.sent_texts import KnownTexts, SentTexts
from longctx.vocabulary.bank import Bank, Section
from longctx.vocabulary.both import Both
from tests.gate.examples import RULES
from tests.rows import run


def digest(text: str) -> str:
    return text.encode().hex()[:12].ljust(12, "0")


def rows(cases: dict[str, str]) -> list[Row]:
    found = run(*["correct"] * len(cases), test="test_a", band="all")
    return [
        replace(row, item=item, judged_by=f"case={digest(text)}" if text else None)
        for row, (item, text) in zip(found, cases.items(), strict=True)
    ]


def of_cases(before: dict[str, str], after: dict[str, str]) -> list[TextChange]:
    texts = Both(before, after).map(lambda cases: KnownTexts({"case": {digest(text): text for text in cases.values()}}))
    both = Both(rows(before), rows(after))
    return [*case_changes(texts, both, give_verdict(*both, RULES))]


CASES = {f"q{number}": f"a: {number}" for number in range(30)}


def test_a_changed_case_is_named_by_its_item() -> None:
    [change] = of_cases(CASES, CASES | {"q3": "a: x"})
    assert (change.name, change.lines, change.test) == ("case q3 of test_a", ("-a: 3", "+a: x"), "test_a")


def test_of_many_the_first_are_shown() -> None:
    found = of_cases(CASES, {item: f"b: {text}" for item, text in CASES.items()})
    assert [change.name for change in found] == [
        f"case q{number} of test_a, 1 of 30 that changed" for number in range(MOST_SHOWN)
    ]


def test_cases_that_came_or_went_or_moved_are_none() -> None:
    moved = dict(reversed(CASES.items()))
    assert of_cases(CASES, {**moved, "q3": "", "new": "a: new"}) == []


def of_documents(before: dict[str, str], after: dict[str, str], kept: bool = True) -> list[TextChange]:
    banks = Both(before, after).map(
        lambda texts: Bank({name: Section(name, text, 1) for name, text in texts.items()}, (), "", frozenset())
    )
    digests: Both[Mapping[str, Mapping[str, str]]] = banks.map(lambda bank: {"own": bank.digests})
    known = banks.map(lambda bank: KnownTexts(SentTexts(document_texts({"own": bank} if kept else {})).kept))
    return [*changes_of_documents(known, digests)]


def test_a_changed_document_is_shown() -> None:
    [change] = of_documents({"a": "one\ntwo", "b": "x"}, {"a": "one\nthree", "c": "y"})
    assert (change.name, change.lines) == ("document a of own", (" one", "-two", "+three"))


def test_of_many_documents_the_first_are_shown() -> None:
    texts = {f"d{number}": f"text {number}" for number in range(9)}
    found = of_documents(texts, {name: f"{text}!" for name, text in texts.items()})
    assert len(found) == MOST_SHOWN
    assert found[0].name == "document d0 of own, 1 of 9 that changed"


@pytest.mark.parametrize("end", ["!", "\n" * 9])
def test_the_end_of_a_long_one_is_folded(end: str) -> None:
    text = "x\n" * LONGEST_DOCUMENT
    [change] = of_documents({"a": text}, {"a": text + end})
    assert [line[:4] for line in change.lines if line[0] in "-+"] == ["-… 4", "+… 4"]


def test_documents_of_which_no_text_is_kept_have_none() -> None:
    assert of_documents({"a": "one"}, {"a": "two"}, kept=False) == []
