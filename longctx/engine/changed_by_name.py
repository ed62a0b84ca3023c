"""What changed in texts that go by a name: the cases of test functions, and the project's own documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from longctx.engine.differences import first_differences
from longctx.gate.changed import changed_names
from longctx.gate.verdict import RunVerdict
from longctx.report.verdict_blocks import TextChange
from longctx.results.judged_by import digests_by_part
from longctx.results.row import Row
from longctx.results.sent_texts import KnownTexts, TextKind
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import is_check

MOST_SHOWN = 3
"""The most cases of a test, and documents of a bank, that are shown."""
Known = Both[KnownTexts]


def case_changes(known: Known, rows: Both[Sequence[Row]], verdict: RunVerdict) -> Iterator[TextChange]:
    """Yield what changed in the first cases of each test."""
    was, now = rows.map(_digests_of_cases)
    for test in dict.fromkeys(test.test for test in verdict.tests if not is_check(test.test)):
        yield from _changes(known, "case", Both(was.get(test, {}), now.get(test, {})), test, test)


def changes_of_documents(known: Known, documents: Both[Mapping[str, Mapping[str, str]]]) -> Iterator[TextChange]:
    """Yield what changed in the first documents of each bank. documents: the digest of each, by bank and name."""
    for bank, digests in documents.after.items():
        yield from _changes(known, "document", Both(documents.before.get(bank, {}), digests), bank)


def _changes(
    known: Known, kind: TextKind, digests: Both[Mapping[str, str]], of: str, test: str = ""
) -> Iterator[TextChange]:
    """Yield the first changes of texts that both runs keep, alike ones once. digests: those of the texts, by name."""
    changed = changed_names(*digests)["changed"]
    which = f", 1 of {len(changed):,} that changed" if len(changed) > 1 else ""
    texts = (
        (name, Both(known.before.text(kind, digests.before[name]), known.after.text(kind, digests.after[name])))
        for name in changed
    )
    for name, lines in first_differences(texts, MOST_SHOWN):
        yield TextChange(f"{kind} {name} of {of}{which}", lines, test=test)


def _digests_of_cases(rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    """Return the digest of each case, by test and item."""
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        if row.item and (digest := digests_by_part(row.judged_by).get("case")):
            found.setdefault(row.test, {})[row.item] = digest
    return found
