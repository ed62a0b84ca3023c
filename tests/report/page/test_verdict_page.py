"""The page of a verdict on two files or runs."""

from __future__ import annotations

import json
import re

import pytest

from longctx.gate.verdict import give_verdict
from longctx.report.page import verdict_page
from longctx.report.verdict_document import verdict_document
from longctx.vocabulary.both import Both
from tests.gate.examples import RULES
from tests.rows import right_of, run


def test_of_many_trials_the_lost_ones_are_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict_page, "MOST_TRIALS", 30)
    rows = Both(run(*right_of(100, 100), band="all"), run(*right_of(80, 100), band="all"))
    document = verdict_document(give_verdict(*rows, RULES), "old", [])
    page = verdict_page.verdict_page(document, rows, lambda *_: ({}, {}), {})
    found = re.search(r'<script type="application/json" id="index">(.*?)</script>', page)
    assert found
    index = json.loads(found[1])
    changes = [index["names"]["change"][trial[4]] for trial in index["trials"]]
    assert changes == ["lost"] * 20 + ["unchanged"] * 10
    assert "The page has 30 of 100 trials" in page


def test_texts_that_are_known_are_next_to_each_other() -> None:
    rows = Both(run(*right_of(60, 60), band="all"), run(*right_of(30, 60), band="all"))
    asked: list[int] = []

    def texts(
        *sides: object,
    ) -> tuple[dict[tuple[object, ...], dict[str, str]], dict[tuple[object, ...], dict[str, str]]]:
        asked.extend(len(side) for side in sides)
        before, after = rows.map(lambda side: {row.identity: {"reply": row.outcome} for row in side})
        return before, after

    page = verdict_page.verdict_page(verdict_document(give_verdict(*rows, RULES), "old", []), rows, texts, {})
    assert asked == [60, 60]
    assert 'class="compared"' in page
