"""The project's own strategies that changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.engine.changed_strategies import strategy_changes
from longctx.gate.verdict import RunVerdict, give_verdict
from longctx.results.sent_texts import KnownTexts, SentText, SentTexts, digest_of_name
from longctx.vocabulary.both import Both
from tests.gate.examples import RULES
from tests.rows import run


def verdict(*names: str) -> RunVerdict:
    found = run(*["correct"] * 30, test="test_a", band="all")
    before, after = ([replace(row, labels={"strategy": name}) for row in found] for name in names)
    return give_verdict(before, after, RULES)


def known(**sources: str) -> KnownTexts:
    return KnownTexts(
        SentTexts(SentText("strategy", digest_of_name(name), text) for name, text in sources.items()).kept
    )


def test_a_changed_file_is_shown() -> None:
    texts = Both(known(ends="a\nb"), known(ends="a\nc"))
    [change] = strategy_changes(texts, verdict("ends", "ends"))
    assert (change.name, change.lines, change.test) == ("strategy ends", (" a", "-b", "+c"), "test_a")


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (Both(known(ends="a"), known(ends="a")), ("ends", "ends")),
        (Both(known(), known(ends="a")), ("ends", "ends")),
        (Both(known(ends="a"), known(other="b")), ("ends", "other")),
        (Both(known(), known()), ("summary-2", "summary-2")),
    ],
)
def test_of_the_same_unknown_or_another_strategy_there_is_none(texts: Both[KnownTexts], names: tuple[str, str]) -> None:
    assert [*strategy_changes(texts, verdict(*names))] == []
