"""What changed in the texts that tests sent: those of the baseline's requests against those of the run's.

A text is known if both runs keep it by the digest in their rows. Of the others, the verdict counts that they differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from longctx.engine.differences import difference
from longctx.gate.verdict import RunVerdict
from longctx.report.verdict_blocks import TextChange
from longctx.results.request_parts import as_mapping, parts_that_differ
from longctx.results.row import Row
from longctx.results.sent_texts import KnownTexts, TextKind
from longctx.text import some_of
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import is_check

NAMES: Mapping[TextKind, str] = {"system": "system prompt", "tools": "tools", "parameters": "parameters"}
"""What people call each kind of text, in the order in which they are shown."""
MOST_TESTS = 3
"""The most tests that the name of a change lists."""


def request_changes(known: Both[KnownTexts], verdict: RunVerdict) -> Iterator[TextChange]:
    """Yield what changed in the parts of requests: of each kind an example for each test, alike ones together."""
    pairs: dict[str, dict[tuple[str, str], None]] = {}
    for test in verdict.tests:
        if not is_check(test.test):
            compared = (pair for evidence in test.evidence for pair in evidence.pairs)
            requests = pairs.setdefault(test.test, {})
            requests.update(dict.fromkeys(filter(None, map(_requests, compared))))
    for kind, name in NAMES.items():
        tests: dict[tuple[str, ...], list[str]] = {}
        several: dict[tuple[str, ...], int] = {}
        for named, requests in pairs.items():
            changes = dict.fromkeys(filter(None, (_texts(known, kind, *each) for each in requests)))
            shown = next(filter(None, map(difference, changes)), None)
            if shown:
                tests.setdefault(shown, []).append(named)
                several[shown] = max(several.get(shown, 0), len(changes))
        for lines, of in tests.items():
            which = f", 1 of {several[lines]:,} that differ" if several[lines] > 1 else ""
            yield TextChange(f"{name} of {some_of(of, MOST_TESTS)}{which}", lines, test=of[0])


def _requests(pair: Both[Row]) -> tuple[str, str] | None:
    """Return the digests of the parts of two requests; None if they are the same, or those of one are not known."""
    was, now = pair.map(lambda row: row.request_parts)
    return (was, now) if was and now and was != now else None


def _texts(known: Both[KnownTexts], kind: TextKind, was: str, now: str) -> Both[str] | None:
    """Return both texts of a part of two requests; None if they are the same, or one is not known."""
    if not parts_that_differ(was, now).get(kind):
        return None
    before, after = (
        texts.text(kind, as_mapping(parts).get(kind)) for texts, parts in zip(known, (was, now), strict=True)
    )
    return Both(before, after) if before is not None and after is not None and before != after else None
