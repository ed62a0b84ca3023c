"""What a run cost, in a sentence for each model."""

from __future__ import annotations

import pytest

from longctx.report.cost import sentences
from longctx.summary.costs import Cost


@pytest.mark.parametrize(
    ("cost", "sentence"),
    [
        (Cost("a", 200, 1.234, 0, 0.0, "2026-01-01"), "a: 200 answers asked live cost $1.23, at prices of 2026-01-01."),
        (Cost("a", 0, 0.0, 1, 0.5), "a: 1 answer replayed had cost $0.50 when asked."),
        (
            Cost("a", 1, 0.25, 2, 0.5, "2026-01-01"),
            "a: 1 answer asked live cost $0.25; 2 answers replayed had cost $0.50 when asked, at prices of 2026-01-01.",
        ),
        (
            Cost("a", 3, None, 0, 0.0),
            "a: what 3 answers asked live cost is not known, since prices are missing (--ctx-price, or [prices] in the "
            "model's profile).",
        ),
        (
            Cost("a", 1, None, 2, 0.5),
            "a: what 1 answer asked live cost is not known, since prices are missing (--ctx-price, or [prices] in the "
            "model's profile); 2 answers replayed had cost $0.50 when asked.",
        ),
        (Cost("a", 0, 0.0, 3, None), None),
        (Cost("own", 3, 0.0, 3, 0.0, "2026-01-01"), None),
    ],
)
def test_a_sentence_for_what_cost_something(cost: Cost, sentence: str | None) -> None:
    assert list(sentences([cost])) == ([sentence] if sentence else [])
