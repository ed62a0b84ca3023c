"""The cases of test functions that changed."""

from __future__ import annotations

from dataclasses import replace

from longctx.engine.changed_cases import MOST_CASES, case_changes
from longctx.gate.verdict import give_verdict
from longctx.report.verdict_blocks import TextChange
from longctx.results.row import Row
from longctx.results.sent_texts import KnownTexts
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


def changes(before: dict[str, str], after: dict[str, str]) -> list[TextChange]:
    texts = Both(before, after).map(lambda cases: KnownTexts({"case": {digest(text): text for text in cases.values()}}))
    both = Both(rows(before), rows(after))
    return [*case_changes(texts, both, give_verdict(*both, RULES))]


CASES = {f"q{number}": f"a: {number}" for number in range(30)}


def test_a_changed_case_is_named_by_its_item() -> None:
    [change] = changes(CASES, CASES | {"q3": "a: x"})
    assert (change.name, change.lines, change.test) == ("case q3 of test_a", ("-a: 3", "+a: x"), "test_a")


def test_of_many_the_first_are_shown() -> None:
    found = changes(CASES, {item: f"b: {text}" for item, text in CASES.items()})
    assert [change.name for change in found] == [
        f"case q{number} of test_a, 1 of 30 that changed" for number in range(MOST_CASES)
    ]


def test_cases_that_came_or_went_or_moved_are_none() -> None:
    moved = dict(reversed(CASES.items()))
    assert changes(CASES, {**moved, "q3": "", "new": "a: new"}) == []
