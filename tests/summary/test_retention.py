"""What survives of a transcript: recall by strategy, kind and place, and which strategy dominates."""

from __future__ import annotations

from longctx.stats.rates import Rate
from longctx.summary.retention import retention
from tests.rows import retained, row


def test_a_strategy_is_dominated_by_one_that_recalls_more_from_fewer_tokens() -> None:
    made = [
        *retained("none", 1, "correct", "correct"),
        *retained("summary", 0.3, "correct", "wrong"),
        *retained("truncate", 0.4, "correct", "wrong"),
        *retained("ends", 0.3, "wrong", "wrong"),
    ]
    assert {each.strategy: each.dominated_by for each in retention(made)} == {
        "none": (),
        "summary": (),
        "truncate": ("summary",),
        "ends": ("summary",),
    }


def test_recall_by_kind_and_by_thirds_of_the_conversation() -> None:
    made = [
        *retained("none", 1, "correct", "wrong", depth=0.0),
        *retained("none", 1, "wrong", depth=0.5, probe="rule"),
        *retained("none", 1, "correct", depth=1.0, probe="rule", trace={"stale": 1, "lost": 0, "invented": 0}),
    ]
    [found] = retention(made)
    assert found.by_kind == {"file": Rate(1, 2), "rule": Rate(1, 2)}
    assert found.by_place == {"first third": Rate(1, 2), "middle third": Rate(0, 1), "last third": Rate(1, 1)}
    assert found.wrong == {"stale": 1, "lost": 0, "invented": 0}
    assert (found.usd, found.seconds) == (0.01, 2.0)


def test_edits_that_were_not_made_and_unknown_prices_are_reported() -> None:
    applied = [{"applied compact_20260112": number} for number in (0, 1, 0)]
    made = [each for trace in applied for each in retained("compact", 1, "correct", trace=trace, strategy_usd=None)]
    [found] = retention(made)
    assert found.not_applied == {"compact_20260112": 2}
    assert found.usd is None


def test_rows_without_a_transcript_have_none() -> None:
    assert retention([row("correct")]) == ()
