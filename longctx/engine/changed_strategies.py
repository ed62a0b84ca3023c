"""What changed in the project's own strategies of context management."""

from __future__ import annotations

from collections.abc import Iterator

from longctx.engine.differences import difference
from longctx.gate.verdict import RunVerdict
from longctx.report.verdict_blocks import TextChange
from longctx.results.sent_texts import KnownTexts, digest_of_name
from longctx.vocabulary.both import Both
from longctx.vocabulary.shapes import STRATEGY


def strategy_changes(known: Both[KnownTexts], verdict: RunVerdict) -> Iterator[TextChange]:
    """Yield what changed in the files of strategies that both runs name and keep."""
    names: dict[str, str] = {}
    for test in verdict.tests:
        was, now = (dict(subject.labels).get(STRATEGY) for subject in (test.before, test.after))
        if now and was == now:
            names.setdefault(now, test.test)
    for name, of in names.items():
        before, after = (texts.text("strategy", digest_of_name(name)) for texts in known)
        if before is not None and after is not None and (lines := difference(Both(before, after))):
            yield TextChange(f"strategy {name}", lines, test=of)
