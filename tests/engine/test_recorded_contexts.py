"""What is recorded of several questions about one context is replayed, and its contexts are clusters."""

from __future__ import annotations

from collections import Counter

from longctx.engine.run import Run
from tests.here import HERE


def test_the_recorded_contexts_are_replayed() -> None:
    rows = Run("contexts", root=HERE.root).measure().rows
    assert rows
    assert all(row.measured and row.source == "replayed" for row in rows)
    clusters = Counter((row.test, str(row.cluster)) for row in rows)
    assert {(test, questions) for (test, _), questions in clusters.items()} == {
        ("variable_tracking", 2),
        ("multiple_needles", 4),
    }
    assert ("variable_tracking", "window-800-chains-2-hops-2-questions-2/context-0") in clusters
    assert ("multiple_needles", "window-800-keys-4-values-2-queries-1-questions-4/context-0") in clusters
