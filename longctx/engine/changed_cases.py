"""What changed in the cases of test functions, by which they ask and judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.engine.differences import first_differences
from longctx.gate.verdict import RunVerdict
from longctx.report.verdict_blocks import TextChange
from longctx.results.judged_by import digests_by_part
from longctx.results.row import Row
from longctx.results.sent_texts import KnownTexts
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import is_check

MOST_CASES = 3
"""The most cases of a test that are shown."""


def case_changes(known: Both[KnownTexts], rows: Both[Sequence[Row]], verdict: RunVerdict) -> Iterator[TextChange]:
    """Yield what changed in the first cases of each test whose texts both runs keep, alike changes once."""
    was, now = rows.map(_digests)
    for test in dict.fromkeys(test.test for test in verdict.tests if not is_check(test.test)):
        earlier, later = was.get(test, {}), now.get(test, {})
        changed = [item for item, digest in later.items() if earlier.get(item, digest) != digest]
        which = f", 1 of {len(changed):,} that changed" if len(changed) > 1 else ""
        texts = (
            (item, Both(known.before.text("case", earlier[item]), known.after.text("case", later[item])))
            for item in changed
        )
        for item, lines in first_differences(texts, MOST_CASES):
            yield TextChange(f"case {item} of {test}{which}", lines, test=test)


def _digests(rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    """Return the digest of each case, by test and item."""
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        if row.item and (digest := digests_by_part(row.judged_by).get("case")):
            found.setdefault(row.test, {})[row.item] = digest
    return found
